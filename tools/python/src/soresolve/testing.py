"""For packagers' own tests: does what was installed load?

>>> assert_loads("json")
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any, Mapping, Optional

from ._world import World
from .errors import NotFoundError


class LoadError(AssertionError):
    """Files of the package do not load; `problems` has the records of the scan."""

    def __init__(self, text: str, problems: list[Mapping[str, Any]]) -> None:
        super().__init__(text)
        self.problems = problems


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

    `driver`: on a host with this NVIDIA driver ("550", a directory). Raises LoadError, which is an AssertionError;
    nothing of the package is imported.
    """
    asked = world or World.host(driver=driver)
    places = _place_of(package)
    if not places:
        return
    fatal = [p for p in asked.scan(*places).problems() if p["severity"] == "fatal" and not p.get("optional")]
    if fatal:
        on = "" if driver is None else f" with driver {driver}"
        text = "\n".join(describe(problem) for problem in fatal)
        raise LoadError(f"{package} does not load{on}: {len(fatal)} problem{'s' if fatal[1:] else ''}\n{text}", fatal)
