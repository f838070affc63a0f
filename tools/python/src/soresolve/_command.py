"""The command soresolve, for what the C interface does not have: images and packages as roots, drivers, scan, explain,
gpu, doctor. The JSON is the same.

It is static, so that it runs where the library cannot be loaded (musl), and what it takes of memory and time is not
this process's. Where it is looked for: SORESOLVE_COMMAND, the scripts of this environment, beside this package (pip
install --target), PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from typing import IO, Iterator, Mapping, Optional, Sequence

from .errors import EngineError, error_of

NAME = "soresolve"
USAGE = 2
# The command's status says only that the question could not be asked; why, its sentence.
_MEANINGS = (
    ("does not exist", 1),
    ("No such file or directory", 1),
    ("is not an ELF file", 3),
    ("not a dynamic executable", 3),
    ("no loader for", 7),
    ("Permission denied", 2),
)


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
    arguments: Sequence[str], *, text: bytes = b"", env: Optional[Mapping[str, str]] = None, answers_with_usage: bool = False
) -> tuple[int, bytes]:
    """Runs it to its end: status and standard output. Raises for a question that could not be asked; with
    `answers_with_usage` an answer with status 2 is one, too. KeyboardInterrupt ends the command."""
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


def _is_refusal(out: bytes) -> bool:
    """Is it the object that stands in place of an answer to a question that could not be asked?"""
    try:
        document = json.loads(out)
    except ValueError:
        return False
    return isinstance(document, dict) and "error" in document


def lines(
    arguments: Sequence[str], env: Optional[Mapping[str, str]] = None, last: Optional[bytes] = None
) -> Iterator[bytes]:
    """The lines of its output as they come. Whoever stops early ends it. With status 2, which says that something was
    not judged, it has answered if its last line begins with `last`."""
    import tempfile

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
