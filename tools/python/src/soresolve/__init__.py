"""What the ELF dynamic linker does with a file, and why.

>>> import soresolve
>>> run = soresolve.World.host().resolve("/bin/sh")
>>> run.missing
()
>>> run.check().line
'ok'

`World` is where questions are asked: this machine, another root, a live process. The functions here ask on this
machine. The answers are those of the command `soresolve`, its JSON (schema soresolve/1) included. Nothing that is
looked at is loaded or executed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence

from .errors import (
    EngineError,
    LimitError,
    MalformedError,
    NoLoaderError,
    NoMemoryError,
    NotElfError,
    NotFoundError,
    SoresolveError,
    UnreadableError,
    UnsupportedError,
    UsageError,
)

if TYPE_CHECKING:
    from ._answers import (
        Answer as Answer,
        Binding as Binding,
        CheckResult as CheckResult,
        Evidence as Evidence,
        Fix as Fix,
        LoadedObject as LoadedObject,
        Need as Need,
        Problem as Problem,
    )
    from ._world import (
        PathLike,
        Resolution as Resolution,
        Scan as Scan,
        ScanProgress as ScanProgress,
        World as World,
        versions as versions,
    )

__version__ = "0.1.0"

_LAZY = {
    "Answer": "_answers",
    "Binding": "_answers",
    "CheckResult": "_answers",
    "Evidence": "_answers",
    "Fix": "_answers",
    "LoadedObject": "_answers",
    "Need": "_answers",
    "Problem": "_answers",
    "Resolution": "_world",
    "Scan": "_world",
    "ScanProgress": "_world",
    "World": "_world",
    "versions": "_world",
}

__all__ = [
    *_LAZY,
    "EngineError",
    "LimitError",
    "MalformedError",
    "NoLoaderError",
    "NoMemoryError",
    "NotElfError",
    "NotFoundError",
    "SoresolveError",
    "UnreadableError",
    "UnsupportedError",
    "UsageError",
    "doctor",
    "explain",
    "gpu",
    "resolve",
    "scan",
    "symvers",
]


# ctypes, json and subprocess are imported when they are first of use: `import soresolve` is cheap.
def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])


def _host() -> "World":
    from ._world import World

    return World.host()


def resolve(
    file: "PathLike",
    *,
    exe: Optional["PathLike"] = None,
    loaded: Sequence["PathLike"] = (),
    rtld: Optional[str] = None,
) -> "Resolution":
    """`World.resolve` on this machine.

    >>> resolve("libc.so.6").missing
    ()
    """
    return _host().resolve(file, exe=exe, loaded=loaded, rtld=rtld)


def scan(
    *places: "PathLike",
    fixes: bool = True,
    jobs: Optional[int] = None,
    progress: Optional[Callable[["ScanProgress"], object]] = None,
) -> "Scan":
    """`World.scan` on this machine: the records of everything below the places."""
    return _host().scan(*places, fixes=fixes, jobs=jobs, progress=progress)


def symvers(library: "PathLike", *, need: Optional[str] = None) -> dict[str, Any]:
    """`World.symvers` on this machine.

    >>> symvers("libc.so.6")["library"]["soname"]
    'libc.so.6'
    """
    return _host().symvers(library, need=need)


def explain(text: str) -> "Answer":
    """`World.explain` on this machine."""
    return _host().explain(text)


def gpu(file: "PathLike", *, device: Optional[str] = None) -> "Answer":
    """`World.gpu` on this machine.

    >>> gpu("/bin/sh").data["targets"]
    []
    """
    return _host().gpu(file, device=device)


def doctor(*, only: Sequence[str] = (), search: Sequence["PathLike"] = ()) -> "Answer":
    """`World.doctor` on this machine.

    >>> [check["name"] for check in doctor(only=["platform"]).data["checks"]]
    ['platform']
    """
    return _host().doctor(only=only, search=search)
