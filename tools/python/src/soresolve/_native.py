"""libsoresolve.so by ctypes: soresolve.h, as far as the package needs it.

ctypes takes no compiled extension, so that one wheel serves every Python, and it releases the GIL during each call.
Texts of ELF files come as bytes; os.fsdecode() keeps what is no UTF-8. What a document says is UTF-8 JSON.

Where the library is looked for: SORESOLVE_LIBRARY, then beside this file, then as the loader finds libsoresolve.so.0.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
import weakref
from typing import Callable, Iterator, Optional

from .errors import EngineError, SoresolveError, error_of

SONAME = "libsoresolve.so.0"

SET_ROOT, SET_ENV, SET_CWD, SET_CPU, SET_SECURE, SET_GLIBC = 1, 2, 3, 4, 5, 6
SET_EXE, SET_LOADED, SET_RTLD, SET_CALLER, SET_PID, SET_USER = 7, 8, 9, 10, 11, 12
SET_RUNNING_PYTHON = 14

QUESTIONS = {"tree": 1, "why": 2, "check": 3}
RENDERINGS = {"text": 1, "json": 2, "html": 4}
NONE = ctypes.c_size_t(-1).value

_MACHINES = {3: "i386", 40: "arm", 62: "x86-64", 183: "aarch64", 21: "ppc64", 22: "s390x", 243: "riscv64"}


class Object(ctypes.Structure):
    """soresolve_object"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("path", ctypes.c_char_p),
        ("requested", ctypes.c_char_p),
        ("soname", ctypes.c_char_p),
        ("loader", ctypes.c_size_t),
        ("need_count", ctypes.c_size_t),
        ("role", ctypes.c_int),
        ("step", ctypes.c_int),
    ]


class Need(ctypes.Structure):
    """soresolve_need"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("written", ctypes.c_char_p),
        ("target", ctypes.c_size_t),
        ("attempt_count", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("resolution", ctypes.c_int),
    ]


class _Binding(ctypes.Structure):
    _fields_ = [
        ("referrer", ctypes.c_char_p),
        ("symbol", ctypes.c_char_p),
        ("version", ctypes.c_char_p),
        ("provider", ctypes.c_char_p),
        ("is_weak", ctypes.c_int),
        ("is_lazy", ctypes.c_int),
    ]


_Visit = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Binding), ctypes.c_void_p)

_P = ctypes.c_void_p
_SIGNATURES: dict[str, tuple[object, list[object]]] = {
    "soresolve_version": (ctypes.c_char_p, []),
    "soresolve_error_code_of": (ctypes.c_int, [_P]),
    "soresolve_error_text": (ctypes.c_char_p, [_P]),
    "soresolve_error_path": (ctypes.c_char_p, [_P]),
    "soresolve_error_free": (None, [_P]),
    "soresolve_text_free": (None, [_P]),
    "soresolve_world_new": (_P, []),
    "soresolve_world_set": (ctypes.c_int, [_P, ctypes.c_int, ctypes.c_char_p]),
    "soresolve_world_free": (None, [_P]),
    "soresolve_resolve": (_P, [_P, ctypes.c_char_p, _P]),
    "soresolve_map_free": (None, [_P]),
    "soresolve_map_object_count": (ctypes.c_size_t, [_P]),
    "soresolve_map_object": (ctypes.c_int, [_P, ctypes.c_size_t, _P, ctypes.c_size_t]),
    "soresolve_map_need": (ctypes.c_int, [_P, ctypes.c_size_t, ctypes.c_size_t, _P, ctypes.c_size_t]),
    "soresolve_map_failure": (ctypes.c_char_p, [_P]),
    "soresolve_map_ask": (_P, [_P, ctypes.c_int, ctypes.c_int, _P]),
    "soresolve_ask": (_P, [_P, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, _P]),
    "soresolve_document_free": (None, [_P]),
    "soresolve_document_is_good": (ctypes.c_int, [_P]),
    "soresolve_document_get": (_P, [_P, ctypes.c_int, _P]),
    "soresolve_library_open": (_P, [_P, ctypes.c_char_p, _P]),
    "soresolve_library_free": (None, [_P]),
    "soresolve_library_text": (_P, [_P, ctypes.c_char_p, _P, ctypes.c_int]),
    "soresolve_bind_file": (_P, [_P, ctypes.c_char_p, _P]),
    "soresolve_bindings_free": (None, [_P]),
    "soresolve_bindings_visit": (ctypes.c_int, [_P, _Visit, _P]),
}


def _machine_of(path: str) -> int | None:
    """e_machine of an ELF file; None for another file."""
    with open(path, "rb") as file:
        head = file.read(20)
    if len(head) < 20 or head[:4] != b"\x7fELF":
        return None
    return int(struct.unpack_from("<H" if head[5] == 1 else ">H", head, 18)[0])


def _why_not(path: str, error: OSError) -> str:
    """Why dlopen refuses the library, in words that help."""
    if not os.path.exists(path):
        return f"{path} is missing: reinstall soresolve"
    machine, own = _machine_of(path), _machine_of(f"/proc/{os.getpid()}/exe")
    if machine is None:
        return f"{path} is not an ELF file: reinstall soresolve"
    if own is not None and machine != own:
        return (
            f"{path} is built for {_MACHINES.get(machine, f'machine {machine}')}, this Python for "
            f"{_MACHINES.get(own, f'machine {own}')}: install the wheel of this architecture"
        )
    text = str(error)
    if "musl" in text or "ld-linux" in text or not hasattr(os, "confstr") or _is_musl():
        return f"{path} is built for glibc, this Python for musl ({text}): install the musllinux wheel"
    return f"{path} cannot be loaded: {text}"


def _is_musl() -> bool:
    try:
        return not os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        return True


def own_path() -> str:
    """Where the wheel has the library."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), SONAME)


class Lock:
    """A lock that a child of fork() finds free, whoever held it in the parent; its owner may take it again."""

    _all: "weakref.WeakSet[Lock]" = weakref.WeakSet()

    def __init__(self) -> None:
        self._lock = threading.RLock()
        Lock._all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @staticmethod
    def _renew() -> None:
        for lock in list(Lock._all):
            lock._lock = threading.RLock()


os.register_at_fork(after_in_child=Lock._renew)

_library: Optional[ctypes.CDLL] = None
_reason: Optional[str] = None
_loading = Lock()
_own = threading.local()


def is_loading() -> bool:
    """Is this thread loading the library now? Its failure is told by EngineError, not by what the library would say."""
    return getattr(_own, "is_loading", False)


def _open() -> ctypes.CDLL:
    given = os.environ.get("SORESOLVE_LIBRARY", "")
    path = given or own_path()
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        if given or os.path.exists(path):
            raise EngineError(_why_not(path, error), path=path) from None
    try:
        return ctypes.CDLL(SONAME)
    except OSError:
        raise EngineError(
            f"libsoresolve is not in this package ({path} is missing), and the system has no {SONAME}", path=path
        ) from None


def library() -> ctypes.CDLL:
    """The library, with its functions declared. Raises EngineError."""
    global _library, _reason
    if _library is not None:
        return _library
    with _loading:
        if _library is None:
            if _reason is not None:
                raise EngineError(_reason)
            _own.is_loading = True
            try:
                loaded = _open()
            except EngineError as error:
                _reason = str(error)
                raise
            finally:
                _own.is_loading = False
            for name, (result, arguments) in _SIGNATURES.items():
                try:
                    function = getattr(loaded, name)
                except AttributeError:
                    _reason = f"libsoresolve is older than this package: it has no {name}"
                    raise EngineError(_reason) from None
                function.restype = result
                function.argtypes = arguments
            _library = loaded
    return _library


def is_here() -> bool:
    """Can the library be loaded into this process?"""
    try:
        library()
    except EngineError:
        return False
    return True


def encode(text: str) -> bytes:
    """Bytes for C: a path as the file system has it. Raises UsageError for a NUL."""
    data = os.fsencode(text)
    if b"\0" in data:
        from .errors import UsageError

        raise UsageError(f"embedded null byte in {text!r}", code=9)
    return data


def decode(data: bytes | None) -> str:
    """A text of an ELF file; bytes that are no UTF-8 become lone surrogates."""
    return "" if data is None else os.fsdecode(data)


def _take_error(error: ctypes.c_void_p) -> SoresolveError:
    lib = library()
    if not error:
        return error_of(10, "no memory", "")
    try:
        return error_of(
            lib.soresolve_error_code_of(error),
            decode(lib.soresolve_error_text(error)),
            decode(lib.soresolve_error_path(error)),
        )
    finally:
        lib.soresolve_error_free(error)


class _Handle:
    """An answer of the library, freed once, and not in a child of fork(), where it is a copy."""

    __slots__ = ("_at", "_free", "_lib", "__weakref__")

    def __init__(self, lib: ctypes.CDLL, at: int, free: str) -> None:
        self._lib = lib
        self._at = at
        self._free: Optional[Callable[[int], None]] = getattr(lib, free)

    @property
    def at(self) -> int:
        return self._at

    def __del__(self) -> None:
        # At the interpreter's end the function may be gone before.
        free, self._free = getattr(self, "_free", None), None
        if free is not None and not sys.is_finalizing():
            free(self._at)


class Map(_Handle):
    """A link map: soresolve_map."""

    def objects(self) -> Iterator[tuple[Object, list[Need]]]:
        """Each object with its needs. Their texts live as long as this map."""
        lib = self._lib
        for index in range(lib.soresolve_map_object_count(self.at)):
            entry = Object()
            lib.soresolve_map_object(self.at, index, ctypes.byref(entry), ctypes.sizeof(entry))
            needs = []
            for number in range(entry.need_count):
                need = Need()
                lib.soresolve_map_need(self.at, index, number, ctypes.byref(need), ctypes.sizeof(need))
                needs.append(need)
            yield entry, needs

    def document(self, question: str, forms: int) -> Document:
        """An answer about the file of this map, which is not walked again."""
        error = ctypes.c_void_p()
        at = self._lib.soresolve_map_ask(self.at, QUESTIONS[question], forms, ctypes.byref(error))
        if not at:
            raise _take_error(error)
        return Document(self._lib, at, "soresolve_document_free")

    @property
    def failure(self) -> str | None:
        """The line with which the loader ends; None when everything is found."""
        text = self._lib.soresolve_map_failure(self.at)
        return None if text is None else decode(text)


class Document(_Handle):
    """An answer as the command prints it: soresolve_document."""

    @property
    def is_good(self) -> bool:
        return bool(self._lib.soresolve_document_is_good(self.at))

    def get(self, form: str) -> bytes:
        """One rendering that was asked for, else b""."""
        size = ctypes.c_size_t()
        at = self._lib.soresolve_document_get(self.at, RENDERINGS[form], ctypes.byref(size))
        if size.value < 1 << 31:  # as much as string_at() takes
            return ctypes.string_at(at, size.value) if at else b""
        return bytes((ctypes.c_char * size.value).from_address(at))


class Asker:
    """A world of the library with its settings, for one thread at a time."""

    def __init__(self, settings: tuple[tuple[int, str], ...]) -> None:
        self._settings = settings
        self._lock = Lock()
        self._pid = os.getpid()
        self._world: Optional[_Handle] = None

    def _opened(self) -> _Handle:
        if self._world is None:
            lib = library()
            at = lib.soresolve_world_new()
            if not at:
                raise error_of(10, "no memory", "")
            world = _Handle(lib, at, "soresolve_world_free")
            for setting, value in self._settings:
                code = lib.soresolve_world_set(at, setting, encode(value))
                if code != 0:
                    raise error_of(code, f"{value!r} makes no sense as {_setting_name(setting)}", "")
            self._world = world
        return self._world

    def _ask(self, call: Callable[[ctypes.CDLL, int, object], int | None]) -> int:
        with self._lock:
            if self._pid != os.getpid():  # a child of fork(): a thread of the parent may have been at work on the world
                self._world, self._pid = None, os.getpid()
            world = self._opened()
            error = ctypes.c_void_p()
            answer = call(library(), world.at, ctypes.byref(error))
            if not answer:
                raise _take_error(error)
            return answer

    def resolve(self, file: bytes) -> Map:
        return Map(library(), self._ask(lambda lib, at, e: lib.soresolve_resolve(at, file, e)), "soresolve_map_free")

    def document(self, question: str, file: bytes, forms: int) -> Document:
        number = QUESTIONS[question]
        at = self._ask(lambda lib, world, e: lib.soresolve_ask(world, number, file, forms, e))
        return Document(library(), at, "soresolve_document_free")

    def symvers(self, name: bytes, need: bytes | None) -> bytes:
        lib = library()
        at = self._ask(lambda lib, world, e: lib.soresolve_library_open(world, name, e))
        opened = _Handle(lib, at, "soresolve_library_free")
        text = lib.soresolve_library_text(opened.at, need, None, 1)
        if not text:
            raise error_of(10, "no memory", "")
        try:
            return ctypes.string_at(text)
        finally:
            lib.soresolve_text_free(text)

    def bindings(self, file: bytes) -> list[tuple[str, str, str, str, bool, bool]]:
        lib = library()
        at = self._ask(lambda lib, world, e: lib.soresolve_bind_file(world, file, e))
        bound = _Handle(lib, at, "soresolve_bindings_free")
        found: list[tuple[str, str, str, str, bool, bool]] = []

        def visit(entry: "ctypes._Pointer[_Binding]", _data: object) -> None:
            b = entry.contents
            found.append(
                (
                    decode(b.referrer),
                    decode(b.symbol),
                    decode(b.version),
                    decode(b.provider),
                    bool(b.is_weak),
                    bool(b.is_lazy),
                )
            )

        if lib.soresolve_bindings_visit(bound.at, _Visit(visit), None) != 0:
            raise error_of(10, "no memory", "")
        return found


def _setting_name(setting: int) -> str:
    names = {SET_ROOT: "root", SET_ENV: "env", SET_CWD: "cwd", SET_CPU: "cpu", SET_SECURE: "secure"}
    names.update({SET_GLIBC: "glibc", SET_EXE: "exe", SET_LOADED: "loaded", SET_RTLD: "rtld"})
    names.update({SET_CALLER: "caller", SET_PID: "pid", SET_USER: "user", SET_RUNNING_PYTHON: "running python"})
    return names.get(setting, str(setting))
