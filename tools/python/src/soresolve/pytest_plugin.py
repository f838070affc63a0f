"""pytest --soresolve: every extension module of the environment is judged before the tests run.

What would not load is a failed test item of its own, `soresolve::CODE NAME`; what could not be judged is one,
`soresolve::unknown`; an environment that is whole is one that passes. `--soresolve-place DIR` (repeatable) judges these places in place of the environment.
"""

from __future__ import annotations

import sysconfig
from typing import Any, Iterator, Mapping, Optional

import pytest


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("soresolve")
    group.addoption("--soresolve", action="store_true", help="judge every extension module of the environment first")
    group.addoption("--soresolve-place", action="append", default=[], metavar="DIR", help="judge what is below DIR")
    group.addoption("--soresolve-driver", default=None, metavar="DRIVER", help="on a host with this NVIDIA driver")


class LoadItem(pytest.Item):
    """One cause, or the environment as a whole."""

    def __init__(self, *, text: str, is_good: bool, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.text = text
        self.is_good = is_good

    def runtest(self) -> None:
        if not self.is_good:
            raise _DoesNotLoad(self.text)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, _DoesNotLoad):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Any, Optional[int], str]:
        return self.path, None, self.name


class _DoesNotLoad(Exception):
    pass


def _places(config: Any) -> list[str]:
    given = list(config.getoption("--soresolve-place"))
    return given or sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})


def _items(session: Any, config: Any) -> Iterator[LoadItem]:
    from . import World
    from .testing import describe, judge

    def item(name: str, text: str, is_good: bool) -> LoadItem:
        made: LoadItem = LoadItem.from_parent(session, name=name, nodeid=name, text=text, is_good=is_good)
        return made

    scan = World.host(driver=config.getoption("--soresolve-driver")).scan(*_places(config))
    causes, unknown = judge(scan)
    for record in causes:
        yield item(f"soresolve::{record['code']} {_subject(record)}", describe(record), False)
    if unknown:
        yield item("soresolve::unknown", "\n".join(unknown), False)
    if not causes and not unknown:
        yield item(f"soresolve::environment ({scan.found} files)", "", True)


def _subject(record: Mapping[str, Any]) -> str:
    key = str(record.get("key", ""))
    return str(record.get("library") or (key.split("|", 1)[1] if "|" in key else record.get("headline", "")))


def pytest_collection_modifyitems(session: Any, config: Any, items: list[Any]) -> None:
    if config.getoption("--soresolve") or config.getoption("--soresolve-place"):
        items[:0] = list(_items(session, config))
