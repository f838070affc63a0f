"""Why a question could not be asked: one family of exceptions.

A library that is missing is no error but part of the answer (`Resolution.problems`). These are raised when the files
cannot be looked at, or when soresolve itself is not whole. The codes are those of soresolve.h.
"""

from __future__ import annotations

import re


class SoresolveError(Exception):
    """The base of all errors of this package.

    `code` is the number of `enum soresolve_error_code`, or None where the library did not speak; `path` is the file
    concerned, "" where there is none.
    """

    def __init__(self, message: str, *, code: int | None = None, path: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (type(self), str(self), self.code, self.path))


def _restore(kind: type[SoresolveError], message: str, code: int | None, path: str) -> SoresolveError:
    return kind(message, code=code, path=path)


class NotFoundError(SoresolveError):
    """The path does not exist."""


class UnreadableError(SoresolveError):
    """It exists, but opening or reading it failed."""


class NotElfError(SoresolveError):
    """Not an ELF file, or not one that a dynamic loader takes."""


class MalformedError(SoresolveError):
    """The file ends before something that it announces, or contradicts itself."""


class UnsupportedError(SoresolveError):
    """A format, machine or loader that is not modelled."""


class NoLoaderError(SoresolveError):
    """The analysed system has no dynamic loader for the file."""


class LimitError(SoresolveError):
    """The input asks for more than a limit of the library."""


class UsageError(SoresolveError):
    """The question makes no sense: an unknown setting, or settings that contradict each other."""


class NoMemoryError(SoresolveError):
    """There was no memory for the answer."""


class EngineError(SoresolveError):
    """The library or the command of this package is missing, of another architecture, or failed."""


_BY_CODE: dict[int, type[SoresolveError]] = {
    1: NotFoundError,
    2: UnreadableError,
    3: NotElfError,
    4: MalformedError,
    5: MalformedError,
    6: UnsupportedError,
    7: NoLoaderError,
    8: LimitError,
    9: UsageError,
    10: NoMemoryError,
}


# Arguments of this package that are options of the command: "--root DIR" of a message is root=DIR here.
_ARGUMENTS = re.compile(
    r"--(cpu|cwd|device|driver|env|exe|glibc|import|jobs|loaded|need|only|pid|python|root|rtld|search|user)(?![\w-])(?: (?=[A-Z=]))?"
)


def error_of(code: int, message: str, path: str) -> SoresolveError:
    """The exception for a code of soresolve.h; SoresolveError for one that this release does not have. What the message
    calls by options of the command has the names of arguments."""
    return _BY_CODE.get(code, SoresolveError)(_ARGUMENTS.sub(r"\1=", message), code=code, path=path)
