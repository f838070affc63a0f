"""What the real loader does with a file, as lines that can be compared with `soresolve ldd`.

The judge is the loader's own trace, for a program by running the program itself with
LD_TRACE_LOADED_OBJECTS=1: neither ldd(1) nor `ld.so --list` is fair (ldd asks the system's ld.so
whatever PT_INTERP says and takes $ORIGIN from the name as typed; --list makes a missing library
fatal). A library has no interpreter, so for it `ld.so FILE` is traced, as ldd does.

A program is only ever started when its PT_INTERP is a glibc loader: anything else, a static program
above all, would not trace but run.
"""

import os
import re
import stat
import struct
import subprocess
import typing

PT_DYNAMIC = 2
PT_INTERP = 3
ET_EXEC = 2
ET_DYN = 3

# The loaders that ldd(1) knows on this architecture, by (EI_CLASS, e_machine).
LOADERS = {
    (2, 62): "/lib64/ld-linux-x86-64.so.2",
    (1, 3): "/lib/ld-linux.so.2",
    (1, 62): "/libx32/ld-linux-x32.so.2",
    (2, 183): "/lib/ld-linux-aarch64.so.1",
}

NOT_DYNAMIC = "\tnot a dynamic executable"

ADDRESS = re.compile(r" \(0x[0-9a-f]+\)$")
VDSO = re.compile(r"\tlinux-(vdso|gate|vdso64)\.so\.1$")


class ElfHeader(typing.NamedTuple):
    elf_class: int
    machine: int
    type: int
    interp: str  # "" when there is no PT_INTERP
    has_dynamic: bool


class Trace(typing.NamedTuple):
    """Either `lines`, or the `message` with which the loader died."""

    lines: typing.List[str]
    message: str
    status: int  # of the loader's process; negative: a signal
    how: str  # "program", "argument" (ld.so FILE) or "verify"

    @property
    def died(self):
        return self.status != 0


class Skip(Exception):
    """The judge cannot be asked about this file; the text says why."""


def read_elf_header(path):
    """The ElfHeader of `path`; None when it is not an ELF file (or one cut off in its headers)."""
    with open(path, "rb") as file:
        ident = file.read(64)
        if len(ident) < 52 or ident[:4] != b"\x7fELF" or ident[4] not in (1, 2) or ident[5] not in (1, 2):
            return None
        wide = ident[4] == 2
        if wide and len(ident) < 64:
            return None
        order = "<" if ident[5] == 1 else ">"
        e_type, machine = struct.unpack_from(order + "HH", ident, 16)
        phoff = struct.unpack_from(order + ("Q" if wide else "I"), ident, 32 if wide else 28)[0]
        phentsize, phnum = struct.unpack_from(order + "HH", ident, 54 if wide else 42)
        interp, has_dynamic = "", False
        if phentsize == (56 if wide else 32):
            file.seek(phoff)
            table = file.read(phentsize * phnum)
            for at in range(0, len(table) - phentsize + 1, phentsize):
                if wide:
                    kind, _, offset, _, _, size = struct.unpack_from(order + "IIQQQQ", table, at)
                else:
                    kind, offset, _, _, size = struct.unpack_from(order + "IIIII", table, at)
                # Separate debug files keep both headers with nothing in the file.
                if kind == PT_DYNAMIC and size > 0:
                    has_dynamic = True
                elif kind == PT_INTERP and size > 0:
                    file.seek(offset)
                    interp = file.read(min(size, 4096)).split(b"\0")[0].decode(errors="surrogateescape")
        return ElfHeader(ident[4], machine, e_type, interp, has_dynamic)


_loader_verdicts = {}


def is_glibc_loader(path):
    """Whether `path` is a loader that honours LD_TRACE_LOADED_OBJECTS (musl's takes other names)."""
    if path not in _loader_verdicts:
        try:
            with open(path, "rb") as file:
                image = file.read()
            _loader_verdicts[path] = b"TRACE_LOADED_OBJECTS" in image and b"GLIBC_PRIVATE" in image
        except OSError:
            _loader_verdicts[path] = False
    return _loader_verdicts[path]


def is_privileged(path):
    """Whether starting `path` would be secure (AT_SECURE): the loader then ignores our variables."""
    if os.stat(path).st_mode & (stat.S_ISUID | stat.S_ISGID):
        return True
    try:
        os.getxattr(path, "security.capability")
        return True
    except OSError:
        return False


def clean_environment(**extra):
    """This process's environment without what steers the loader, and with `extra`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LD_") and k != "GLIBC_TUNABLES"}
    kept.update(extra)
    return kept


def normalise(text):
    """Trace lines without addresses and without the kernel's virtual object."""
    lines = [ADDRESS.sub("", line) for line in text.splitlines()]
    return [line for line in lines if not VDSO.match(line)]


def run(command, environment, cwd, timeout, executable=None):
    """(exit status, stdout, stderr) of `command`. Raises Skip when it cannot be run or hangs."""
    try:
        done = subprocess.run(
            command, executable=executable, env=environment, cwd=cwd, timeout=timeout,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    except subprocess.TimeoutExpired:
        raise Skip(f"no answer within {timeout} s") from None
    except OSError as error:
        raise Skip(f"cannot be run: {error.strerror}") from None
    decode = lambda data: data.decode(errors="surrogateescape")
    return done.returncode, decode(done.stdout), decode(done.stderr)


def system_loader(header):
    """The loader of this machine for files such as `header`; Skip when there is none."""
    path = LOADERS.get((header.elf_class, header.machine))
    if path is None or not is_glibc_loader(path):
        raise Skip("no loader for its machine here")
    return path


def choose_start(path, header):
    """How `path` can be traced: "program" or "argument", and the loader that will do it."""
    if not header.interp:
        return "argument", system_loader(header)
    if not is_glibc_loader(header.interp):
        raise Skip(f"its interpreter {header.interp} is not a glibc loader here")
    if is_privileged(path):
        raise Skip("set-uid, set-gid or with capabilities")
    return ("program" if os.access(path, os.X_OK) else "argument"), header.interp


def trace(path, header, environment=None, cwd="/", timeout=20):
    """The loader's Trace of `path`. Raises Skip when it cannot be had."""
    environment = clean_environment() if environment is None else environment
    how, loader = choose_start(path, header)
    if how == "argument" and not header.has_dynamic:
        # Tracing such a file crashes some loaders; --verify is what ldd asks first.
        status, _, _ = run([loader, "--verify", path], environment, cwd, timeout)
        return Trace([NOT_DYNAMIC], "", 1 if status not in (0, 2) else 0, "verify")
    traced = dict(environment, LD_TRACE_LOADED_OBJECTS="1")
    command = [path] if how == "program" else [loader, path]
    status, out, err = run(command, traced, cwd, timeout)
    if status:
        return Trace([], err.rstrip("\n"), status, how)
    return Trace(normalise(out), err.rstrip("\n"), 0, how)
