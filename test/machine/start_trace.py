"""What the real loader and soresolve say about symbols and versions of a file, nothing of it run.

With LD_TRACE_LOADED_OBJECTS, LD_WARN and LD_BIND_NOW the loader relocates every object but itself,
runs no resolver, and goes on after each error, so that all that is undefined comes out. A start
does more, and soresolve answers for a start. Left out of the comparison, therefore:

- what ld.so binds for itself: its own relocations, and its lookups in the program's name (malloc
  and the like, once all is relocated; since 2.41 `_r_debug`, just before the program gets control);
- "different size" of copies: LD_WARN tells of smaller ones, too.
"""

import json
import os
import tempfile
import typing

import loader_trace
from loader_trace import Skip

UNDEFINED = "undefined symbol: "
DIFFERENT_SIZE = "' has different size in shared object, consider re-linking"
# elf/dl-minimal.c:__rtld_malloc_init_real; since 2.41 elf/dl-debug.c:_dl_debug_post_relocate.
LOADERS_OWN = [b"malloc", b"calloc", b"free", b"realloc", b"_r_debug"]
KERNELS_OWN = (b"binding file linux-vdso.so.1 ", b"binding file linux-gate.so.1 ")
LIBC_FIRST = (2, 39)  # from here on a start relocates libc before all others; a trace does not


class Undefined(typing.NamedTuple):
    referrer: str
    symbol: str  # "S" or "S, version V", as the loader writes it


class Start(typing.NamedTuple):
    """How a start looks to one of the two."""

    undefined: typing.List[Undefined]  # in order, each once
    messages: typing.List[str]  # about preloads and versions, sorted
    end: str  # the loader's last words, if it does not come to an end


def distinct(items):
    return list(dict.fromkeys(items))


def binding_lines(log):
    """The distinct bindings in a file of LD_DEBUG=bindings, but for the kernel's object."""
    begin = log.find(b"\t") + 1
    lines = set(log.replace(log[:begin], b"").replace(b": protected symbol `", b": normal symbol `").splitlines())
    return {line for line in lines if line.startswith(b"binding file ") and not line.startswith(KERNELS_OWN)}


def as_loader_writes(line):
    """One line of `soresolve bindings` in the form of binding_lines()."""
    referrer, symbol, version, provider = line.split(b"\t")
    text = b"binding file %b [0] to %b [0]: normal symbol `%b'" % (referrer, provider, symbol)
    return text if version == b"-" else text + b" [%b]" % version


def is_loaders_own(line, program):
    """Whether a line of bindings may be missing from a trace: ld.so asks for it in the program's name."""
    return any(line.startswith(b"binding file %b [0] to " % os.fsencode(program)) and b"symbol `%b'" % symbol in line
               for symbol in LOADERS_OWN)


def read_stderr(text):
    undefined, messages = [], []
    for line in text.splitlines():
        if line.startswith(UNDEFINED) and line.endswith(")"):
            symbol, _, referrer = line[len(UNDEFINED):-1].partition("\t(")
            undefined.append(Undefined(referrer, symbol))
        elif DIFFERENT_SIZE not in line:
            messages.append(line)
    return distinct(undefined), sorted(messages)


def ask_loader(path, header, environment, timeout):
    """(its Start, the lines of its bindings). Raises Skip when the loader cannot be asked."""
    how, loader = loader_trace.choose_start(path, header)
    if not header.has_dynamic:
        raise Skip("without PT_DYNAMIC")
    with tempfile.TemporaryDirectory(prefix="soresolve-bindings-") as folder:
        variables = dict(environment, LD_TRACE_LOADED_OBJECTS="1", LD_WARN="1", LD_BIND_NOW="1",
                         LD_DEBUG="bindings", LD_DEBUG_OUTPUT=os.path.join(folder, "log"))
        command = [path] if how == "program" else [loader, path]
        status, _, err = loader_trace.run(command, variables, "/", timeout)
        logs = [open(entry.path, "rb").read() for entry in os.scandir(folder)]
    if status:
        return Start([], [], err.rstrip("\n") if status > 0 else f"signal {-status}"), set()
    return Start(*read_stderr(err), ""), set().union(*map(binding_lines, logs))


def is_same_symbol(entry, plain):
    """Whether they differ in the version at most."""
    return entry.referrer == plain.referrer and entry.symbol.partition(", version ")[0] == plain.symbol


def start_in(document, loader):
    """The Start that a document of `soresolve check --json` tells of, as a trace would show it.

    `loader` is the real loader's Start. Two things depend on it: a version that a missing file should
    have, which only a trace may not see (a placeholder's do not count for the size of its version
    table, elf/dl-version.c, so that it reads what lies behind the table: no version, or one without a
    name); and what ld.so itself looks up in vain.
    """
    path, told, undefined = document["file"], set(loader.undefined), []
    for entry in document["undefined"]:
        plain = Undefined(entry["referrer"], entry["symbol"])
        versioned = plain._replace(symbol=f"{plain.symbol}, version {entry['version']}") if entry["version"] else plain
        is_of_missing_file = entry["required_from"] and not entry["provider"]
        if versioned not in told and is_of_missing_file:
            versioned = next((told_one for told_one in loader.undefined if is_same_symbol(told_one, plain)), versioned)
        if versioned in told or not (plain.referrer == path and plain.symbol.encode() in LOADERS_OWN):
            undefined.append(versioned)
    messages = [line for line in document["stderr"] if line.startswith("ERROR: ld.so: ")]
    messages += [f"{path}: {entry['provider']}: {entry['text']}" for entry in document["versions"]]
    return Start(distinct(undefined), sorted(messages), "")


def documents(text):
    """The JSON documents that stand one after the other in `text`."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        document, at = decoder.raw_decode(text, at)
        yield document
        while at < len(text) and text[at].isspace():
            at += 1


def in_comparable_order(undefined, release):
    """Stable, object by object where a start has another order of objects than a trace."""
    return undefined if release < LIBC_FIRST else sorted(undefined, key=lambda entry: entry.referrer)
