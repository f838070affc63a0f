"""python -m soresolve: the command; `run SCRIPT.py` runs it in this interpreter, so that a broken import is judged in
the process where it breaks."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Optional


def _run_script(words: list[str]) -> None:
    """As `python SCRIPT`, its tracebacks too: this module and runpy are not in them."""
    from . import hook  # the import installs it

    hook.install()
    try:
        _run(words)
    except SystemExit:
        raise
    except BaseException as error:
        # The program may have set a hook of its own: it gets the traceback. Then the interpreter ends as always.
        error.__traceback__ = _of_program(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.excepthook = lambda *_: None
        raise


def _of_program(traceback: Optional[TracebackType]) -> Optional[TracebackType]:
    """Without the frames in front, which are not the program's: none is left where it did not begin."""
    import runpy

    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file not in (__file__, runpy.__file__, "<frozen runpy>") and not file.startswith("<frozen importlib."):
            break
        traceback = traceback.tb_next
    return traceback


def _run(words: list[str]) -> None:
    import runpy

    script = words[0]
    sys.argv[:] = words
    if script == "-m":
        sys.argv[:] = words[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")


def main() -> int:
    words = sys.argv[1:]
    if len(words) > 1 and words[0] == "run":
        rest = words[2:] if words[1] == "--" and len(words) > 2 else words[1:]
        if rest[0] == "-m" and len(rest) > 1 or rest[0].endswith((".py", ".pyw")):
            _run_script(rest)
            return 0
    from ._command import find_command
    from .errors import EngineError

    try:
        command = find_command()
    except EngineError as error:
        print(f"soresolve: {error}", file=sys.stderr)
        return 3
    os.execv(command, [command, *words])


if __name__ == "__main__":
    sys.exit(main())
