"""An import that the dynamic loader refuses says why: `import soresolve.hook`, or SORESOLVE_HOOK=1.

An ImportError of an extension module, and an OSError of ctypes.CDLL, get the cause and the command to try as a note
(PEP 678), judged in this process's own context: what is loaded, by /proc/self. Before Python 3.11, which has no notes,
they follow the traceback on standard error. Nothing is done until an import fails.

Code that tries several library names in turn gets no delay: an OSError for a bare name is judged only when it ends the
program.
"""

from __future__ import annotations

import importlib.machinery
import os
import re
import sys
import threading
from types import TracebackType
from typing import Any, Optional

# Messages of glibc's and musl's dlerror() begin with the object: "PATH: cannot open shared object file: …".
_LOADER_WORDS = (
    "cannot open shared object file",
    "undefined symbol",
    "version `",
    "invalid ELF header",
    "wrong ELF class",
    "file too short",
    "cannot allocate memory in static TLS block",
    "cannot enable executable stack",
    "symbol not found",
    "Error loading shared library",
    "Error relocating",
    "failed to map segment",
    "ELF load command",
    "unexpected PLT reloc",
    "unsupported relocation",
)
_NOTE_MARK = "soresolve: "
_MAX_PROBLEMS = 3

_busy = threading.local()
_installed: dict[str, Any] = {}


def is_loader_message(text: str) -> bool:
    """Is it one that the dynamic loader prints?

    >>> is_loader_message("libfoo.so.1: cannot open shared object file: No such file or directory")
    True
    >>> is_loader_message("No module named 'foo'")
    False
    """
    return any(word in text for word in _LOADER_WORDS)


def note_for(file: str) -> Optional[str]:
    """Why this process cannot load `file`, and the command to try; None where it can, or where that is unknown."""
    from . import World
    from .errors import SoresolveError

    try:
        run = World.of_process().resolve(file)
        if not run.to_dict()["answer"] == "fails":
            return None
        lines = [_NOTE_MARK + run.verdict]
        lines += [f"  try: {command}" for command in run.try_commands]
        fatal = [problem for problem in run.problems if problem.severity == "fatal"]
        for problem in fatal[:_MAX_PROBLEMS]:
            # A path is printed once, and called by its short name after that.
            lines.append(f"  cause: {problem.text.replace(file, os.path.basename(file))}")
        if len(fatal) > _MAX_PROBLEMS:
            lines.append(f"  and {len(fatal) - _MAX_PROBLEMS} more causes")
        lines.append(f"  all of it: soresolve why --exe {_word(sys.executable)} {_word(file)}")
        return "\n".join(lines)
    except SoresolveError as error:
        # Of a library that is missing altogether the loader's own words say all.
        return None if error.code == 1 else f"{_NOTE_MARK}{error}"


def _word(text: str) -> str:
    import shlex

    return shlex.quote(text)


def annotate(error: BaseException, file: Optional[str] = None) -> bool:
    """Adds the note to an ImportError or OSError of the loader. True: it has one now.

    `file`: what was loaded; else what the exception names. Never raises: an exception of the user's program must not
    be replaced by another.
    """
    text = str(error)
    if not isinstance(error, (ImportError, OSError)) or not is_loader_message(text):
        return False
    if getattr(error, "__soresolve__", None) is not None:
        return True
    if getattr(_busy, "on", False):
        return False
    _busy.on = True
    try:
        asked = file or file_of(error)
        note = None if not asked else note_for(asked)
    except Exception as problem:  # whatever it is, the user's exception is the one to see
        note = f"{_NOTE_MARK}could not judge it: {type(problem).__name__}: {problem}"
    finally:
        _busy.on = False
    if note is None:
        return False
    try:
        error.__soresolve__ = note  # type: ignore[union-attr]
        if hasattr(error, "add_note"):
            error.add_note(note)
    except (AttributeError, TypeError):
        return False
    return True


def file_of(error: BaseException) -> Optional[str]:
    """What the loader was asked for when it refused: by the exception, or by its message. None for another exception.

    >>> file_of(OSError("libfoo.so.1: cannot open shared object file: No such file or directory"))
    'libfoo.so.1'
    """
    text = str(error)
    if not isinstance(error, (ImportError, OSError)) or not is_loader_message(text):
        return None
    named = getattr(error, "path", None) or getattr(error, "__soresolve_file__", None)
    match = re.match(r"(?:Error loading shared library |Error relocating )?(?P<file>[^:\n]+):", text)
    return named or (match.group("file") if match else None)


def _wrap_extension_loader() -> None:
    loader = importlib.machinery.ExtensionFileLoader
    original = loader.create_module

    def create_module(self: Any, spec: Any) -> Any:
        try:
            return original(self, spec)
        except ImportError as error:
            annotate(error, getattr(self, "path", None))
            raise

    # As a part of the import system: its frames are left out of the tracebacks of an ImportError.
    create_module.__code__ = create_module.__code__.replace(co_filename=original.__code__.co_filename)
    _installed["create_module"] = original
    loader.create_module = create_module  # type: ignore[method-assign]


def _wrap_ctypes() -> None:
    import ctypes

    original = ctypes.CDLL.__init__

    def __init__(self: Any, name: Any, *arguments: Any, **keywords: Any) -> None:
        try:
            original(self, name, *arguments, **keywords)
        except OSError as error:
            native = sys.modules.get("soresolve._native")
            if name is not None and not (native is not None and native.is_loading()):
                path = os.fsdecode(name)
                # A bare name is often one of several that are tried in turn.
                if "/" in path:
                    annotate(error, path)
                else:
                    error.__soresolve_file__ = path  # type: ignore[attr-defined]
            raise

    _installed["cdll"] = original
    ctypes.CDLL.__init__ = __init__  # type: ignore[method-assign]


def _without_own_frames(traceback: Optional[TracebackType]) -> Optional[TracebackType]:
    """What this module has put between the program and the call that failed is left out."""
    frames = []
    while traceback is not None:
        frames.append(traceback)
        traceback = traceback.tb_next
    kept = [frame for frame in frames if frame.tb_frame.f_code.co_filename != __file__]
    for frame, following in zip(kept, [*kept[1:], None]):
        frame.tb_next = following
    return kept[0] if kept else None


def _excepthook(kind: type[BaseException], error: BaseException, traceback: Optional[TracebackType]) -> None:
    seen = set()
    told = []
    link: Optional[BaseException] = error
    traceback = _without_own_frames(traceback)
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        link.__traceback__ = _without_own_frames(link.__traceback__)
        if annotate(link, getattr(link, "__soresolve_file__", None)):
            told.append(str(getattr(link, "__soresolve__", "")))
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    if told and getattr(error, "__soresolve__", None) is None:
        # The end of the output is what people see: the verdict and the command stand there, too.
        short = [line for line in told[0].splitlines() if line.startswith((_NOTE_MARK, "  try: "))]
        told.append("\n".join(short))
        if hasattr(error, "add_note"):
            error.add_note(told[-1])
    _installed["excepthook"](kind, error, traceback)
    if not hasattr(error, "add_note"):
        for note in told:
            print(note, file=sys.stderr)


def install() -> None:
    """Once for the process; a second call does nothing."""
    if _installed:
        return
    _installed["excepthook"] = sys.excepthook
    sys.excepthook = _excepthook
    _wrap_extension_loader()
    if "ctypes" in sys.modules:
        _wrap_ctypes()
    else:
        sys.meta_path.insert(0, _CtypesWatch())


def uninstall() -> None:
    """As before install()."""
    if not _installed:
        return
    if sys.excepthook is _excepthook:
        sys.excepthook = _installed["excepthook"]
    importlib.machinery.ExtensionFileLoader.create_module = _installed["create_module"]  # type: ignore[method-assign]
    if "cdll" in _installed:
        import ctypes

        ctypes.CDLL.__init__ = _installed["cdll"]  # type: ignore[method-assign]
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _CtypesWatch)]
    _installed.clear()


class _CtypesWatch:
    """ctypes takes some milliseconds to import: it is wrapped when the program imports it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "ctypes" or getattr(_busy, "finding", False):
            return None
        import importlib.util

        _busy.finding = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            _busy.finding = False
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            if _installed and "cdll" not in _installed:
                _wrap_ctypes()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


install()
