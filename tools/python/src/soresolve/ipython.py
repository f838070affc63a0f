"""%load_ext soresolve.ipython, then `%soresolve FILE`: why it does not load, as a page; `%soresolve` alone explains the
last exception. `%soresolve hook` and `%soresolve unhook` switch the notes of soresolve.hook."""

from __future__ import annotations

import sys
from typing import Any


def answer(line: str) -> Any:
    """What `%soresolve LINE` shows."""
    from . import World, hook

    words = line.strip()
    if words == "hook":
        hook.install()
        return None
    if words == "unhook":
        hook.uninstall()
        return None
    if words:
        return World.of_process().resolve(words)
    last = getattr(sys, "last_value", None)
    if last is None:
        print("soresolve: no exception so far; %soresolve FILE judges a file")
        return None
    file = hook.file_of(last)
    if file:
        return World.of_process().resolve(file)
    import traceback

    return World.host().explain("".join(traceback.format_exception(type(last), last, last.__traceback__)))


def load_ipython_extension(shell: Any) -> None:
    """For %load_ext."""
    shell.register_magic_function(answer, "line", "soresolve")
