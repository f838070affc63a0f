"""For packagers' own tests: does what was installed load?

>>> assert_loads("/bin/sh")
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any, Mapping, Optional

from ._world import Scan, World
from .errors import NotFoundError


class LoadError(AssertionError):
    """Files of the package do not load, or were not judged; `problems` has the records of the scan."""

    def __init__(self, text: str, problems: list[Mapping[str, Any]]) -> None:
        super().__init__(text)
        self.problems = problems


def judge(scan: Scan) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Why not everything is known to load: the causes that count, and sentences on what was not judged. Both are empty
    where the command's status is 0."""
    causes, unknown = [], []
    for record in scan:
        if record["type"] == "problem" and record["severity"] == "fatal" and not record.get("optional"):
            causes.append(record)
        elif record["type"] == "skipped" and record["open"]:
            unknown.append(f"not judged: {record['path']}: {record['reason'] or record['why']}")
    if scan.is_good:
        return [], []
    summary = scan.summary or {"unjudged": 0, "dynamic": 0}
    if not summary["dynamic"] and not unknown:
        unknown.append("nothing to judge: no program and no module is there")
    elif summary["unjudged"] > len(unknown):
        unknown.append(f"not judged: {summary['unjudged'] - len(unknown)} more files and directories")
    if not causes and not unknown:
        unknown.append(f"not known: {scan!r} has no good answer")
    return causes, unknown


def describe(problem: Mapping[str, Any]) -> str:
    """A cause of a scan in a few lines: what, who needs it, what to type."""
    lines = [str(problem.get("headline") or problem.get("what"))]
    if problem.get("what") and problem["what"] != lines[0]:
        lines.append(f"  cause: {problem['what']}")
    needers = list(problem.get("needers", ()))
    if needers:
        lines.append(f"  needed by: {', '.join(needers[:3])}" + (f" and {len(needers) - 3} more" if needers[3:] else ""))
    command = (problem.get("fix") or {}).get("command")
    if command:
        lines.insert(1, f"  try: {command}")
    if problem.get("loader_says"):
        lines.append(f"  loader: {problem['loader_says']}")
    return "\n".join(lines)


def _place_of(package: str) -> list[str]:
    if "/" in package or os.path.exists(package):
        return [package]
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise NotFoundError(f"no module named {package!r} in this environment", code=1)
    if spec.submodule_search_locations:
        return [place for place in spec.submodule_search_locations if os.path.isdir(place)]
    return [spec.origin] if spec.origin and os.path.exists(spec.origin) else []


def assert_loads(package: str, *, driver: Optional[str] = None, world: Optional[World] = None) -> None:
    """Every extension module and program of an installed package (or below a path) loads, in its own process.

    `driver`: on a host with this NVIDIA driver ("550", a directory). Raises LoadError, which is an AssertionError, where
    one does not load, and where something could not be judged, or nothing is there to be judged; nothing of the package is
    imported.
    """
    asked = world or World.host(driver=driver)
    places = _place_of(package)
    causes, unknown = judge(asked.scan(*places)) if places else ([], ["nothing to judge: it has no files"])
    on = "" if driver is None else f" with driver {driver}"
    text = "\n".join([*map(describe, causes), *unknown])
    if causes:
        raise LoadError(f"{package} does not load{on}: {len(causes)} problem{'s' if causes[1:] else ''}\n{text}", causes)
    if unknown:
        raise LoadError(f"whether {package} loads{on} is not known\n{text}", [])
