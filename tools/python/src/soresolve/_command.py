"""The command soresolve, for what the C interface does not have: images and packages as roots, drivers, scan, explain,
gpu, doctor. The JSON is the same.

It is static, so that it runs where the library cannot be loaded (musl), and what it takes of memory and time is not
this process's. Where it is looked for: SORESOLVE_COMMAND, the scripts of this environment, beside this package (pip
install --target), PATH.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from typing import IO, Any, Iterator, Mapping, Optional, Sequence

from .errors import EngineError, LimitError, error_of

NAME = "soresolve"
USAGE = 2
_CHUNK = 1 << 16
# The command's status says only that the question could not be asked; why, its sentence.
_MEANINGS = (
    ("does not exist", 1),
    ("No such file or directory", 1),
    ("is not an ELF file", 3),
    ("not a dynamic executable", 3),
    ("no loader for", 7),
    ("Permission denied", 2),
)


class Guard:
    """The bounds of one run of the command, for whoever runs it for others: past one of them it is killed, and
    LimitError says which. `end()` kills it from another thread, before it has started, too.

    The time is that of the clock; memory is its address space; its output is counted here. RLIMIT_CPU ends a command
    whose guard was killed itself. RLIMIT_FSIZE bounds its messages, the only file that it writes.
    """

    _MESSAGES_BYTES = 1 << 20

    def __init__(self, *, seconds: float, memory_bytes: int, output_bytes: int) -> None:
        self.seconds, self.memory_bytes, self.output_bytes = seconds, memory_bytes, output_bytes
        self._lock = threading.Lock()
        self._reason: Optional[str] = None
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self._taken = 0

    def end(self, reason: str) -> None:
        """Kills the command and what it has started. The first reason stays."""
        with self._lock:
            self._reason = self._reason or reason
            if self._process is not None and self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def take(self, data: bytes) -> bytes:
        """`data`, which is counted as output."""
        self._taken += len(data)
        if self._taken > self.output_bytes:
            self.end(f"its answer is larger than {self.output_bytes >> 20} MiB")
        self.check()
        return data

    def check(self) -> None:
        """Raises LimitError if it was ended."""
        if self._reason is not None:
            raise LimitError(f"{NAME} was ended: {self._reason}", code=8)

    @contextlib.contextmanager
    def run(self, arguments: Sequence[str], text: bytes, env: Optional[Mapping[str, str]]) -> Iterator[IO[bytes]]:
        """Starts the command with `text` as its standard input, and gives its standard output. At the end it is dead.
        Raises as start() and failure_of() do."""
        path = find_command()
        self.check()
        with _file_in_memory(text) as given, _file_in_memory(b"") as messages:
            try:
                process = subprocess.Popen(
                    [os.fsencode(path), *map(os.fsencode, arguments)],
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=messages,
                    env=env,
                    start_new_session=True,
                )
            except OSError as error:
                raise EngineError(f"{path} cannot be run: {error.strerror}", path=path) from None
            except ValueError as error:  # a NUL in an argument
                raise error_of(9, str(error), "") from None
            timer = threading.Timer(self.seconds, self.end, [f"it ran longer than {self.seconds:g} s"])
            timer.daemon = True
            try:
                with self._lock:
                    self._process = process
                if self._reason is not None:
                    self.end(self._reason)
                timer.start()
                self._limit(process.pid)
                assert process.stdout is not None
                with process.stdout:
                    yield process.stdout
            except BaseException:
                self.end("its answer was not read")
                raise
            finally:
                # Reaped under the lock: end() kills no other process that got its number.
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
                with self._lock:
                    process.wait()
                timer.cancel()
            self.check()
            self.status = process.returncode
            messages.seek(0)
            self.messages = messages.read(self._MESSAGES_BYTES)

    def _limit(self, pid: int) -> None:
        cpu_seconds = int(self.seconds * (os.cpu_count() or 1)) + 1
        for kind, value in (
            (resource.RLIMIT_AS, self.memory_bytes),
            (resource.RLIMIT_CPU, cpu_seconds),
            (resource.RLIMIT_FSIZE, self._MESSAGES_BYTES),
            (resource.RLIMIT_CORE, 0),
        ):
            with contextlib.suppress(OSError, ValueError):  # it has ended; a lower limit stands
                resource.prlimit(pid, kind, (value, value))


def _file_in_memory(data: bytes) -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create(NAME, os.MFD_CLOEXEC), "w+b")
    else:  # a Python that was built for a glibc before 2.27
        import tempfile

        file = tempfile.TemporaryFile()
    file.write(data)
    file.flush()
    file.seek(0)
    return file


def _candidates() -> Iterator[str]:
    given = os.environ.get("SORESOLVE_COMMAND", "")
    if given:
        yield given
        return
    package = os.path.dirname(os.path.abspath(__file__))
    site = os.path.dirname(package)
    yield os.path.join(sysconfig.get_path("scripts"), NAME)
    # lib/python3.x/site-packages of another prefix: --prefix, --user, an overlay of pip.
    yield os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(site))), "bin", NAME)
    yield os.path.join(site, "bin", NAME)
    yield os.path.join(os.path.dirname(sys.executable or ""), NAME)


def find_command() -> str:
    """The path of the command. Raises EngineError."""
    tried = []
    for path in _candidates():
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
        tried.append(path)
    on_path = None if os.environ.get("SORESOLVE_COMMAND") else shutil.which(NAME)
    if on_path is not None:
        return on_path
    raise EngineError(f"the command {NAME} is not installed (tried {', '.join(tried)}, PATH): reinstall soresolve")


def start(arguments: Sequence[str], env: Optional[Mapping[str, str]] = None) -> "subprocess.Popen[bytes]":
    """Starts the command; its output is piped. Raises EngineError."""
    path = find_command()
    try:
        return subprocess.Popen(
            [os.fsencode(path), *map(os.fsencode, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
    except OSError as error:
        raise EngineError(f"{path} cannot be run: {error.strerror}", path=path) from None
    except ValueError as error:  # a NUL in an argument
        raise error_of(9, str(error), "") from None


def failure_of(status: int, messages: bytes) -> Exception:
    """What a status other than 0 and 1 means."""
    text = os.fsdecode(messages).strip()
    lines = [line for line in text.splitlines() if not line.endswith("see --help") and ": warning: " not in line]
    text = (lines[-1] if lines else text).replace("soresolve: ", "", 1)
    if status == USAGE:
        return error_of(next((code for words, code in _MEANINGS if words in text), 9), text, "")
    if status < 0:
        return EngineError(f"the command {NAME} died of signal {-status}" + (f": {text}" if text else ""))
    return EngineError(text or f"the command {NAME} ended with status {status}")


def run(
    arguments: Sequence[str],
    *,
    text: bytes = b"",
    env: Optional[Mapping[str, str]] = None,
    answers_with_usage: bool = False,
    guard: Optional[Guard] = None,
) -> tuple[int, bytes]:
    """Runs it to its end: status and standard output. Raises for a question that could not be asked; with
    `answers_with_usage` an answer with status 2 is one, too. KeyboardInterrupt ends the command."""
    if guard is not None:
        with guard.run(arguments, text, env) as stdout:
            out = b"".join(guard.take(data) for data in iter(lambda: stdout.read1(_CHUNK), b""))  # type: ignore[attr-defined]
        status, messages = guard.status, guard.messages
    else:
        process = start(arguments, env)
        try:
            out, messages = process.communicate(text)
        except BaseException:
            process.kill()
            process.wait()
            raise
        status = process.returncode
    has_answered = answers_with_usage and status == USAGE and out and not _is_refusal(out)
    if status in (0, 1) or has_answered:
        return status, out
    raise failure_of(status, messages)


def document_of(out: bytes) -> Mapping[str, Any]:
    """The JSON of an answer. Raises EngineError where it is none."""
    try:
        document = json.loads(out)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise EngineError(f"the command {NAME} gave no JSON: is it another program?")
    return document


def shell_line(words: Sequence[str]) -> str:
    """The command with these words, to type."""
    return shlex.join([NAME, *words])


def _is_refusal(out: bytes) -> bool:
    """Is it the object that stands in place of an answer to a question that could not be asked?"""
    try:
        document = json.loads(out)
    except ValueError:
        return False
    return isinstance(document, dict) and "error" in document


def lines(
    arguments: Sequence[str],
    env: Optional[Mapping[str, str]] = None,
    last: Optional[bytes] = None,
    guard: Optional[Guard] = None,
) -> Iterator[bytes]:
    """The lines of its output as they come. Whoever stops early ends it. With status 2, which says that something was
    not judged, it has answered if its last line begins with `last`."""
    import tempfile

    if guard is not None:
        line = b""
        with guard.run(arguments, b"", env) as stdout:
            for line in iter(lambda: stdout.readline(guard.output_bytes), b""):
                yield guard.take(line)
        if guard.status not in (0, 1) and not (guard.status == USAGE and last is not None and line.startswith(last)):
            raise failure_of(guard.status, guard.messages)
        return

    path = find_command()
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            [os.fsencode(path), *map(os.fsencode, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=messages,
            env=env,
        )
        out: Optional[IO[bytes]] = process.stdout
        assert out is not None
        try:
            line = b""
            for line in out:
                yield line
            status = process.wait()
            has_answered = status == USAGE and last is not None and line.startswith(last)
            if status not in (0, 1) and not has_answered:
                messages.seek(0)
                raise failure_of(status, messages.read())
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            out.close()
