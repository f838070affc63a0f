"""What answers are made of: objects of the link map, problems with their evidence and fixes, bindings, verdicts.

Each is read from the JSON of the command, or from a link map that the library has in this process.
"""

from __future__ import annotations

import html as _html
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Optional, Sequence, TypeVar

from . import _native

_Made = TypeVar("_Made")

_ROLES = ("main", "loader", "vdso", "library", "missing")
_STEPS = (
    "already loaded",
    "path",
    "RPATH",
    "LD_LIBRARY_PATH",
    "RUNPATH",
    "ld.so.cache",
    "default directories",
)
_RESOLUTIONS = (
    "mapped",
    "by path",
    "by name",
    "by SONAME",
    "by file",
    "not found",
    "failed",
    "empty token",
    "not loaded",
)
_NOT_THERE = ("no such directory", "no such file")
_KINDS = ("needed", "auxiliary", "filter", "preload", "dlopen")


def _name(values: Sequence[str], number: int) -> str:
    return values[number] if 0 <= number < len(values) else f"number {number}"


@dataclass(frozen=True)
class Need:
    """One request of an object: an edge of the dependency graph."""

    name: str  #: what the loader looks for
    target: Optional[int]  #: index of the object that serves it, or of its placeholder
    resolution: str  #: "mapped", "by SONAME", "not found", …
    kind: str = "needed"  #: "needed", "auxiliary", "filter", "preload", "dlopen"


@dataclass(frozen=True)
class LoadedObject:
    """One object of the link map, in the loader's order."""

    index: int
    role: str  #: "main", "loader", "vdso", "library", "missing"
    path: str  #: as the loader opened it; of what is missing, the name
    requested: str  #: the name that caused the load
    soname: Optional[str]
    loader: Optional[int]  #: the object whose request caused the load
    found_by: str  #: the stage of the search: "RUNPATH", "ld.so.cache", …
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """A line of proof, and the bytes that show it."""

    text: str
    path: Optional[str] = None
    offset: Optional[int] = None  #: in bytes, in `path`


@dataclass(frozen=True)
class Fix:
    """A change that was tried in memory: nothing on disk has changed."""

    kind: str
    verdict: str  #: "works", "partly", "fails", "untested"
    text: str
    commands: tuple[str, ...]
    mends: tuple[str, ...] = ()


@dataclass(frozen=True)
class Problem:
    """What is wrong, with its code (`soresolve help CODE`), evidence and the fixes for it."""

    code: str
    severity: str  #: "fatal", "warning", "note"
    name: str  #: the library, version or symbol
    text: str
    phase: str = "start"  #: "start", "dlopen", "call", "gpu"
    loader_prints: Optional[str] = None
    evidence: tuple[Evidence, ...] = ()
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class Binding:
    """One symbol reference and the definition that it binds to."""

    referrer: str
    symbol: str
    version: Optional[str]
    provider: str


@dataclass(frozen=True)
class CheckResult:
    """Will it start, or load? True as a bool where all was judged, and nothing fails."""

    verdict: str  #: "ok", "fails", "depends" (on the process that loads it), "unknown"
    line: str  #: "ok", or the line with which the loader ends
    exit_status: Optional[int]
    data: Mapping[str, Any] = field(repr=False, default_factory=dict)

    @property
    def is_ok(self) -> bool:
        return self.verdict in ("ok", "depends")

    def __bool__(self) -> bool:
        return self.is_ok


@dataclass(frozen=True)
class Answer:
    """A document of the schema soresolve/1, with its views. True as a bool where the command's status is 0."""

    command: str  #: that gives the same
    data: Mapping[str, Any] = field(repr=False)
    is_good: bool = True
    text: str = field(repr=False, default="")

    def __bool__(self) -> bool:
        return self.is_good

    def to_dict(self) -> dict[str, Any]:
        return dict(self.data)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{_html.escape(self.text)}</pre>"


def fixes_of(data: Mapping[str, Any]) -> tuple[Fix, ...]:
    """The fixes in a document of `soresolve why --json` or "check"."""
    return tuple(
        Fix(f["kind"], f["verdict"], f["text"], tuple(f["commands"]), tuple(f.get("mends", ())))
        for f in data.get("remedies", ())
    )


def problems_of(data: Mapping[str, Any]) -> tuple[Problem, ...]:
    """The problems in a document of `soresolve why --json` or "check", each with the fixes for it."""
    fixes = fixes_of(data)
    return tuple(
        Problem(
            code=f["code"],
            severity=f["severity"],
            name=f["name"],
            text=f["text"],
            phase=f.get("phase", "start"),
            loader_prints=f.get("loader_prints"),
            evidence=_evidence_of(f, data),
            fixes=tuple(fix for fix in fixes if f["name"] in fix.mends),
        )
        for f in data.get("problems", ())
    )


def _evidence_of(problem: Mapping[str, Any], data: Mapping[str, Any]) -> tuple[Evidence, ...]:
    """The lines of proof; of a search that failed, its attempts in the loader's order. Of the subdirectories that a
    directory can have for a processor only those that are there count."""
    lines = [Evidence(e["text"], e["path"], e["offset"]) for e in problem.get("evidence", ())]
    if lines or problem["severity"] == "note":
        return tuple(lines)
    for request in problem.get("requests", ()):
        need = data["objects"][request["needer"]]["needs"][request["need"]]
        for attempt in need.get("attempts", ()):
            if attempt["subdirectory"] and attempt["outcome"] in _NOT_THERE:
                continue
            place = attempt["candidate"] or attempt["entry"]
            lines.append(Evidence(f"{attempt['step']}: {attempt['outcome']}", place or None))
    return tuple(lines)


def _made(kind: type[_Made], /, **fields: Any) -> _Made:
    """An object of a frozen dataclass with all its fields: its own constructor takes three times as long."""
    made = object.__new__(kind)
    made.__dict__.update(fields)
    return made


def objects_of_map(map_: _native.Map) -> Iterator[LoadedObject]:
    """The objects of a link map that the library has in this process."""
    decode = _native.decode
    for index, (entry, needs) in enumerate(map_.objects()):
        yield _made(
            LoadedObject,
            index=index,
            role=_name(_ROLES, entry.role),
            path=decode(entry.path) or decode(entry.name),
            requested=decode(entry.requested),
            soname=None if entry.soname is None else decode(entry.soname),
            loader=None if entry.loader == _native.NONE else entry.loader,
            found_by=_name(_STEPS, entry.step) if entry.role == 3 else "",
            needs=tuple(
                _made(
                    Need,
                    name=decode(need.name),
                    target=None if need.target == _native.NONE else need.target,
                    resolution=_name(_RESOLUTIONS, need.resolution),
                    kind=_name(_KINDS, need.kind),
                )
                for need in needs
            ),
        )


def objects_of_data(data: Mapping[str, Any]) -> Iterator[LoadedObject]:
    """The objects in a document of `soresolve tree --json`."""
    for entry in data.get("objects", ()):
        yield LoadedObject(
            index=entry["index"],
            role=entry["role"],
            path=entry["path"],
            requested=entry["requested_name"],
            soname=entry["soname"],
            loader=entry["loader"],
            found_by=(entry.get("found") or {}).get("step", ""),
            needs=tuple(Need(n["name"], n["target"], n["resolution"], n["kind"]) for n in entry["needs"]),
        )
