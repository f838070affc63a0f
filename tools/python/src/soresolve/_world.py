"""Worlds and what is asked in them: the same questions and the same JSON as the command has.

A question goes to the library in this process where that has it, else to the command. A link map by the library costs
some microseconds beyond the answer; the command, some milliseconds.
"""

from __future__ import annotations

import html as _html
import json
import os
import sys
from dataclasses import asdict, dataclass
from typing import Any, Callable, Iterable, Iterator, Mapping, NoReturn, Optional, Sequence, Union

from . import _command, _native
from ._answers import (
    Answer,
    Binding,
    CheckResult,
    Fix,
    LoadedObject,
    Problem,
    fixes_of,
    objects_of_data,
    objects_of_map,
    problems_of,
)
from .errors import EngineError, NoLoaderError, NotElfError, SoresolveError, UnreadableError, UsageError

PathLike = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

# What the loader, the search for interpreters and the CUDA rules read; the library inherits nothing by itself.
_INHERITED = ("LD_", "GLIBC_TUNABLES", "CUDA_", "NVIDIA_", "CUDNN_", "NCCL_")
_INHERITED_NAMES = ("PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "HOME", "PYTHONPATH", "PYTHONHOME")


def inherited_environment() -> dict[str, str]:
    """What a world of the host takes over from this process's environment."""
    return {n: v for n, v in os.environ.items() if n.startswith(_INHERITED) or n in _INHERITED_NAMES}


def _frame(page: str) -> str:
    """The page in a frame of its own, so that its style and the notebook's do not meet."""
    return (
        f'<iframe srcdoc="{_html.escape(page, quote=True)}" sandbox="allow-scripts" '
        'style="width:100%;height:32em;border:1px solid #ccc"></iframe>'
    )


class Resolution:
    """What the loader does with one file, and why. Made by `World.resolve`.

    What is asked is worked out at the first use and kept; several threads may read it.
    """

    def __init__(self, world: "World", file: str, engine: "_Engine") -> None:
        self.world = world
        self.file = file
        self._engine = engine
        self._lock = _native.Lock()
        self._documents: dict[str, dict[str, Any]] = {}
        self._objects: Optional[tuple[LoadedObject, ...]] = None
        self._map = engine.map(file)
        self._pid = os.getpid()

    def __repr__(self) -> str:
        return f"<soresolve.Resolution of {self.file!r}>"

    def to_dict(self, question: str = "why") -> dict[str, Any]:
        """The document of `soresolve why --json`, or of "tree" or "check"."""
        with self._lock:
            if question not in self._documents:
                self._documents[question] = json.loads(self._rendered(question, "json"))
            return self._documents[question]

    def _rendered(self, question: str, form: str) -> bytes:
        with self._lock:
            if self._pid != os.getpid():  # a child of fork(): a thread of the parent may have been at work on the map
                self._map, self._pid = self._engine.map(self.file), os.getpid()
            return self._engine.document(question, self.file, form, self._map)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Resolution holds files of this machine open to questions: pickle its to_dict(), or its World, and resolve there"
        )

    @property
    def objects(self) -> tuple[LoadedObject, ...]:
        """The link map, in the loader's order; empty for a program that the kernel does not start.

        By the library, bytes of paths that are no UTF-8 come as lone surrogates (os.fsencode() takes them back); by
        the command they come as U+FFFD.
        """
        with self._lock:
            if self._objects is None:
                if self._map is not None:
                    self._objects = tuple(objects_of_map(self._map))
                else:
                    self._objects = tuple(objects_of_data(self.to_dict("tree")))
            return self._objects

    @property
    def missing(self) -> tuple[str, ...]:
        """The names that are not found, in the loader's order."""
        return tuple(entry.path for entry in self.objects if entry.role == "missing")

    @property
    def failure(self) -> Optional[str]:
        """The line with which the loader ends; None when every library is found (symbols: `check()`)."""
        if self._map is not None:
            return self._map.failure
        prints: Optional[str] = self.to_dict("tree").get("loader_prints")
        return prints

    def check(self) -> CheckResult:
        """Plays the start, or the dlopen, through: libraries, versions, symbols, CUDA."""
        data = self.to_dict("check")
        # data["verdict"] is of the start alone; what is opened later and CUDA count as they do for the command's status.
        verdict = "ok" if data["answer"] == "works" else str(data["answer"])
        return CheckResult(verdict, data["line"] or "ok", data.get("exit_status"), data)

    @property
    def verdict(self) -> str:
        """One line: what happens."""
        return str(self.to_dict()["verdict"])

    @property
    def try_commands(self) -> tuple[str, ...]:
        """The commands to type: of the fix that works and changes least; empty where none is known."""
        return tuple(self.to_dict().get("try", ()))

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """All changes that were tried, in order of choice."""
        return fixes_of(self.to_dict())

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong (severity "fatal" and "warning") and what is only worth knowing ("note")."""
        return problems_of(self.to_dict())

    def bindings(self) -> Iterator[Binding]:
        """Each symbol reference that a start with LD_BIND_NOW=1 resolves, and its definition."""
        yield from self._engine.bindings(self.file)

    def tree(self) -> str:
        """The dependency tree, each edge with how it was found."""
        return self._rendered("tree", "text").decode()

    def html(self) -> str:
        """A page for a browser: graph, table, every search. One file that needs nothing beside it."""
        return self._rendered("why", "html").decode()

    def __str__(self) -> str:
        return self._rendered("why", "text").decode()

    def _repr_html_(self) -> str:
        return _frame(self.html())

    def table(self) -> list[dict[str, Any]]:
        """The objects as rows, for pandas.DataFrame() or csv.DictWriter."""
        rows = []
        for entry in self.objects:
            row = asdict(entry)
            row["needs"] = [need.name for need in entry.needs]
            rows.append(row)
        return rows

    def to_pandas(self) -> Any:
        """The objects as a pandas.DataFrame; takes pandas."""
        import pandas

        return pandas.DataFrame(self.table())

    def to_arrow(self) -> Any:
        """The objects as a pyarrow.Table; takes pyarrow. Bytes that are no UTF-8 become U+FFFD."""
        import pyarrow

        return pyarrow.Table.from_pylist([_without_surrogates(row) for row in self.table()])


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, list):
        return [_without_surrogates(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _without_surrogates(entry) for key, entry in value.items()}
    return value


class _Engine:
    """Who answers for a world: the library if it can, else the command."""

    def __init__(self, asker: Optional[_native.Asker], options: tuple[str, ...], env: Optional[dict[str, str]]) -> None:
        self._asker = asker
        self._options = options
        self._env = env

    def map(self, file: str) -> Optional[_native.Map]:
        """The link map; None where the command answers, or where a refusal is the answer."""
        if self._asker is None:
            self.document("check", file, "json")  # the errors of the question come at once
            return None
        name = _native.encode(file)
        try:
            return self._asker.resolve(name)
        except (NotElfError, NoLoaderError, UnreadableError) as error:
            # A program that the kernel does not start is an answer.
            try:
                self._asker.document("check", name, _native.RENDERINGS["json"])
            except SoresolveError:
                raise error from None
            return None

    def document(self, question: str, file: str, form: str, walked: Optional[_native.Map] = None) -> bytes:
        """`walked`: the map that map() gave of the file."""
        if walked is not None:
            return walked.document(question, _native.RENDERINGS[form]).get(form)
        if self._asker is not None:
            return self._asker.document(question, _native.encode(file), _native.RENDERINGS[form]).get(form)
        if form == "html":
            return _page_of_command([question, *self._options], file, self._env)
        options = ["--json"] if form == "json" else ["--color", "never"]
        return _command.run([question, *options, *self._options, "--", file], env=self._env)[1]

    def bindings(self, file: str) -> Iterator[Binding]:
        if self._asker is not None:
            for referrer, symbol, version, provider, _weak, _lazy in self._asker.bindings(_native.encode(file)):
                yield Binding(referrer, symbol, version or None, provider)
            return
        for line in _command.lines(["bindings", *self._options, "--", file], env=self._env):
            referrer, symbol, version, provider = os.fsdecode(line.rstrip(b"\n")).split("\t")
            yield Binding(referrer, symbol, None if version == "-" else version, provider)


def _page_of_command(words: Sequence[str], file: str, env: Optional[Mapping[str, str]]) -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        _command.run([*words, "--html", page, "--", file], env=env)
        with open(page, "rb") as made:
            return made.read()


class World:
    """Where questions are asked: this machine, another root, or a live process.

    A world reads what its questions share once: after a change of the system, make a new one. Threads may share a
    world; a child of fork() and, pickled, of spawn, has its own.
    """

    def __init__(
        self,
        *,
        root: Optional[PathLike] = None,
        pid: Optional[int] = None,
        env: Optional[Mapping[str, str]] = None,
        cwd: Optional[PathLike] = None,
        cpu: Optional[str] = None,
        glibc: Optional[str] = None,
        user: Optional[str] = None,
        driver: Optional[str] = None,
    ) -> None:
        """`env`: in place of what is inherited (in a root: of nothing). `driver`: a release or a directory of the
        NVIDIA driver of the host that it is to run on."""
        self._root = None if root is None else os.fsdecode(root)
        self._pid = pid
        self._env = None if env is None else dict(env)
        self._cwd = None if cwd is None else os.fsdecode(cwd)
        self._cpu, self._glibc, self._user, self._driver = cpu, glibc, user, driver
        self._engines: dict[tuple[Any, ...], _Engine] = {}
        self._lock = _native.Lock()
        if self._root is not None and not os.path.lexists(self._root.split("//", 1)[0] or "/"):
            from .errors import NotFoundError

            raise NotFoundError(f"{self._root}: does not exist", code=1, path=self._root)

    @classmethod
    def host(cls, **settings: Any) -> "World":
        """This machine, with this process's environment.

        >>> import soresolve
        >>> run = soresolve.World.host().resolve("/bin/sh")
        >>> run.objects[0].role
        'main'
        >>> bool(run.check())
        True
        """
        return cls(**settings)

    @classmethod
    def root(cls, place: PathLike, **settings: Any) -> "World":
        """A directory, image, package, archive or snapshot as the root; paths are inside it."""
        return cls(root=place, **settings)

    @classmethod
    def of_process(cls, pid: Optional[int] = None, **settings: Any) -> "World":
        """A live process (None: this one): its root, program, environment and what it has mapped.

        >>> import soresolve
        >>> "libc.so.6" in [o.soname for o in soresolve.World.of_process().resolve("libm.so.6").objects]
        True
        """
        return cls(pid=os.getpid() if pid is None else pid, **settings)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        del state["_engines"], state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._engines, self._lock = {}, _native.Lock()

    def __repr__(self) -> str:
        if self._root is not None:
            return f"soresolve.World.root({self._root!r})"
        return "soresolve.World.host()" if self._pid is None else f"soresolve.World.of_process({self._pid})"

    def _place_options(self) -> list[str]:
        options: list[str] = []
        for name, value in (
            ("--root", self._root),
            ("--cwd", self._cwd),
            ("--cpu", self._cpu),
            ("--glibc", self._glibc),
            ("--user", self._user),
        ):
            if value is not None:
                options += [name, value]
        if self._env is not None:
            options += ["--clean-env"]
            for name, value in self._env.items():
                options += ["--env", f"{name}={value}"]
        return options

    def _driver_options(self) -> list[str]:
        return [] if self._driver is None else ["--driver", self._driver]

    def _settings(self) -> list[tuple[int, str]]:
        settings: list[tuple[int, str]] = []
        for setting, value in (
            (_native.SET_ROOT, self._root),
            (_native.SET_CWD, self._cwd),
            (_native.SET_CPU, self._cpu),
            (_native.SET_GLIBC, self._glibc),
            (_native.SET_USER, self._user),
            (_native.SET_PID, None if self._pid is None else str(self._pid)),
        ):
            if value is not None:
                settings.append((setting, value))
        env = self._env
        if env is None and self._pid is None and self._root is None:
            env = inherited_environment()
        settings += [(_native.SET_ENV, f"{name}={value}") for name, value in (env or {}).items()]
        if self._pid is None and self._root is None and sys.executable:
            settings.append((_native.SET_RUNNING_PYTHON, sys.executable))
        return settings

    def _engine(self, exe: Optional[str], loaded: tuple[str, ...], rtld: Optional[str]) -> _Engine:
        # The directory counts: a world follows os.chdir().
        key = (exe, loaded, rtld, os.getpid(), None if self._root or self._pid or self._cwd else os.getcwd())
        with self._lock:
            engine = self._engines.get(key)
            if engine is None:
                if len(self._engines) >= 8:
                    self._engines.pop(next(iter(self._engines)))
                engine = self._engines[key] = self._new_engine(exe, loaded, rtld)
            return engine

    def _new_engine(self, exe: Optional[str], loaded: tuple[str, ...], rtld: Optional[str]) -> _Engine:
        is_plain = self._root is None or (os.path.isdir(self._root) and "//" not in self._root.lstrip("/"))
        is_image = is_plain and self._root is not None and os.path.exists(os.path.join(self._root, "oci-layout"))
        if self._driver is None and is_plain and not is_image and _native.is_here():
            settings = self._settings()
            if exe is not None:
                settings.append((_native.SET_EXE, exe))
            settings += [(_native.SET_LOADED, name) for name in loaded]
            if rtld is not None:
                settings.append((_native.SET_RTLD, rtld))
            return _Engine(_native.Asker(tuple(settings)), (), None)
        options = self._place_options() + self._driver_options()
        if self._pid is not None:
            options += ["--pid", str(self._pid)]
        if exe is not None:
            options += ["--exe", exe]
        for name in loaded:
            options += ["--loaded", name]
        if rtld is not None:
            options += ["--rtld", rtld]
        return _Engine(None, tuple(options), None)

    def resolve(
        self,
        file: PathLike,
        *,
        exe: Optional[PathLike] = None,
        loaded: Iterable[PathLike] = (),
        rtld: Optional[str] = None,
    ) -> Resolution:
        """What the loader does with a program, a library, or a library name for dlopen.

        `exe`: the program that opens it ("none": it is looked at alone); `loaded`: what that has opened before, in
        order; `rtld`: how it is opened, words as "global,now". Raises SoresolveError where the file cannot be looked
        at: NotFoundError, NotElfError, …; a library that is missing is part of the answer.

        >>> import soresolve
        >>> soresolve.World.host().resolve("/no/such/file")
        Traceback (most recent call last):
            ...
        soresolve.errors.NotFoundError: /no/such/file: does not exist
        """
        names = (loaded,) if isinstance(loaded, (str, bytes)) else tuple(loaded)
        words = tuple(os.fsdecode(name) for name in names)
        program = None if exe is None else os.fsdecode(exe)
        return Resolution(self, os.fsdecode(file), self._engine(program, words, rtld))

    def resolve_import(self, module: str, *, python: Optional[PathLike] = None) -> Answer:
        """What `import MODULE` opens in Python, by its sources: `soresolve why --import`. `python`: the interpreter,
        or its environment (default: this one on the host)."""
        options = [*self._place_options(), *self._driver_options(), "--import", module]
        interpreter = sys.executable if python is None and self._root is None else python
        if interpreter is not None:
            options += ["--python", os.fsdecode(interpreter)]
        return self._answer(["why", *options])

    def _answer(self, words: list[str], *, tail: Sequence[str] = (), text: bytes = b"") -> Answer:
        status, data = _command.run([words[0], "--json", *words[1:], *tail], text=text, answers_with_usage=True)
        shown = _command.run([*words[:1], "--color", "never", *words[1:], *tail], text=text, answers_with_usage=True)[1]
        return Answer(f"soresolve {words[0]}", json.loads(data), status == 0, shown.decode("utf-8", "replace"))

    def symvers(self, library: PathLike, *, need: Optional[str] = None) -> dict[str, Any]:
        """The versions that a library defines and requires, and whether it serves `need` ("GLIBC_2.34",
        "cudaMalloc@libcudart.so.12").

        >>> import soresolve
        >>> data = soresolve.World.host().symvers("libc.so.6", need="GLIBC_2.4")
        >>> data["needs"][0]["served"]
        True
        """
        engine = self._engine(None, (), None)
        if engine._asker is not None:
            wanted = None if need is None else _native.encode(need)
            answer: dict[str, Any] = json.loads(engine._asker.symvers(_native.encode(os.fsdecode(library)), wanted))
            return answer
        options = [] if need is None else ["--need", need]
        out = _command.run(["symvers", "--json", *self._place_options(), *options, "--", os.fsdecode(library)])[1]
        answer = json.loads(out)
        return answer

    def explain(self, text: str) -> Answer:
        """What a message, a traceback or a log means, and what is behind it here.

        >>> import soresolve
        >>> answer = soresolve.World.host().explain("libfoo.so.1: cannot open shared object file: No such file or directory")
        >>> answer.data["messages"][0]["id"]
        'missing-library'
        """
        return self._answer(["explain", *self._place_options()], text=text.encode("utf-8", "surrogateescape"))

    def gpu(self, file: PathLike, *, device: Optional[str] = None) -> Answer:
        """The GPU code inside a file, and whether it runs on `device` ("sm_90", "H200", "host")."""
        options = [] if device is None else ["--device", device]
        return self._answer(["gpu", *self._place_options(), *options], tail=["--", os.fsdecode(file)])

    def doctor(self, *, only: Sequence[str] = (), search: Sequence[PathLike] = ()) -> Answer:
        """The machine as CUDA programs find it: driver, runtimes, cuDNN, frameworks."""
        options = [word for name in only for word in ("--only", name)]
        options += [word for place in search for word in ("--search", os.fsdecode(place))]
        return self._answer(["doctor", *self._place_options(), *self._driver_options(), *options])

    def scan(
        self,
        *places: PathLike,
        fixes: bool = True,
        jobs: Optional[int] = None,
        progress: Optional[Callable[["ScanProgress"], object]] = None,
    ) -> "Scan":
        """Every program and module below the places (default: the whole root), each in its own process.

        `progress` is called in this thread, at most ten times a second, until all is judged; the records come then.

        >>> import soresolve
        >>> steps = []
        >>> scan = soresolve.World.host().scan("/bin/sh", progress=steps.append)
        >>> [record["verdict"] for record in scan if record["type"] == "file"]
        ['works']
        >>> steps[-1]
        ScanProgress(files=1, judged=1, is_finding=False)
        """
        if not places and self._root is None:
            raise UsageError("a place or a root is required", code=9)
        options = [*self._place_options(), *self._driver_options()]
        options += [] if fixes else ["--no-fixes"]
        options += [] if jobs is None else ["--jobs", str(jobs)]
        return Scan(options, [os.fsdecode(place) for place in places], progress)


@dataclass(frozen=True)
class ScanProgress:
    """How far a scan is."""

    files: int  #: dynamic files that were found so far
    judged: int  #: of them; what a judged process loads is not judged by itself
    is_finding: bool  #: the places are still being searched


class Scan:
    """The records of a scan: {"type": "file", "path": …, "verdict": …}, "problem", "summary".

    `found` counts the files so far; `summary` is set when all have come. Whoever leaves the loop ends the scan. True as a
    bool where all was judged, and works.
    """

    def __init__(
        self,
        options: Sequence[str],
        places: Sequence[str],
        progress: Optional[Callable[[ScanProgress], object]] = None,
        guard: Optional[_command.Guard] = None,
    ) -> None:
        self._progress = progress
        self._guard = guard
        told = [] if progress is None else ["--progress"]
        self._words = ["scan", "--json", *told, *options, "--", *places]
        self.found = 0
        self.summary: Optional[Mapping[str, Any]] = None

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        self.found, self.summary = 0, None
        for line in _command.lines(self._words, last=b'{"type":"summary"', guard=self._guard):
            record: Mapping[str, Any] = json.loads(line)
            if record["type"] == "error":
                continue  # raised with the status
            if record["type"] == "progress" and self._progress is not None:
                self._progress(ScanProgress(record["files"], record["judged"], record["is_finding"]))
                continue
            if record["type"] == "file":
                self.found += 1
            if record["type"] == "summary":
                self.summary = record
            yield record

    @property
    def is_good(self) -> bool:
        """Is the command's status 0? Runs it, where the records have not come to their end yet."""
        if self.summary is None:
            for _ in self:
                pass
        return self.summary is not None and bool(self.summary["good"])

    def __bool__(self) -> bool:
        return self.is_good

    def problems(self) -> Iterator[Mapping[str, Any]]:
        """The causes only, each with the files that it concerns."""
        return (record for record in self if record["type"] == "problem")


def versions() -> dict[str, str]:
    """What is installed: the library's release, the command's path. Values are reasons where one is missing."""
    found = {}
    try:
        found["library"] = _native.decode(_native.library().soresolve_version())
    except EngineError as error:
        found["library"] = str(error)
    try:
        found["command"] = _command.find_command()
    except EngineError as error:
        found["command"] = str(error)
    return found
