"""The six tools: typed arguments are checked and become words of the command, its JSON becomes a typed answer.

No argument can become an option. Paths are made absolute, other values have to match a pattern that begins with no
hyphen, and files stand behind `--`. The options are written here: only some that read. The command runs in a thread of
its own call, so that the event loop stays free; a call that is cancelled, or takes too long, ends the command.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Annotated, Any, Callable, Dict, List, Literal, Mapping, Optional, Set, TypeVar

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ListRootsRequest, ListRootsResult, TextContent
from pydantic import Field

from soresolve import World, _command
from soresolve._world import Scan, ScanProgress, inherited_environment
from soresolve.errors import LimitError, SoresolveError
from soresolve_mcp import answers
from soresolve_mcp.places import Places, Refused, places_of

T = TypeVar("T")
_ROOTS_SECONDS = 10
_MODULE = r"[A-Za-z_]\w{0,200}(\.[A-Za-z_]\w{0,200}){0,30}"
_VERSION = r"[A-Za-z0-9_][^\s\x00-\x1f]{0,500}"
_DRIVER = r"\d{1,5}(\.\d{1,5}){0,3}"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]{0,200}"

File = Annotated[str, Field(min_length=1, max_length=4096, description="absolute path of a program, a shared library or "
                            "an extension module, or the name of a library (libcudart.so.12)")]
Module = Annotated[str, Field(max_length=1000, description="in place of `file`: what `import MODULE` opens in Python, by "
                              "its sources (torch, numpy.linalg)")]
Place = Annotated[str, Field(min_length=1, max_length=4096, description="another root: a directory, a container image, a "
                             "package (.deb, .whl, .rpm, .conda), an archive or a snapshot of soresolve; all other paths "
                             "are then absolute paths inside it")]
Program = Annotated[str, Field(min_length=1, max_length=4096, description="path of the program that opens `file`")]
Python = Annotated[str, Field(min_length=1, max_length=4096, description="path of the Python interpreter, or of its "
                              "environment (default: python3 of the server's PATH)")]
Directory = Annotated[str, Field(min_length=1, max_length=4096, description="current directory of the process that fails")]
Environment = Annotated[Dict[str, str], Field(max_length=64, description="variables of the process that fails, such as "
                                              "LD_LIBRARY_PATH: the server does not have those of the user's shell")]
Driver = Annotated[str, Field(min_length=1, max_length=4096, description="NVIDIA driver of the host that it is to run on: "
                              "a release (550.54.14), or a directory with its libraries")]
Items = Annotated[int, Field(ge=1, le=500, description="entries of each list in the answer; the rest is counted")]
Text = Annotated[str, Field(min_length=1, max_length=200_000, description="the error message, traceback or log, whole")]

WhyResult = Annotated[CallToolResult, answers.Answer]
CheckResult = Annotated[CallToolResult, answers.CheckAnswer]
ExplainResult = Annotated[CallToolResult, answers.ExplainAnswer]
SymversResult = Annotated[CallToolResult, answers.SymversAnswer]
DoctorResult = Annotated[CallToolResult, answers.DoctorAnswer]
ScanResult = Annotated[CallToolResult, answers.ScanAnswer]
DoctorCheckName = Literal["platform", "device-nodes", "kernel-module", "gpus", "driver", "environment", "library-path",
                          "cache", "toolkits", "runtimes", "cudnn", "frameworks"]


@dataclass(frozen=True)
class Settings:
    """What whoever configures the server decides."""

    allow: tuple[str, ...] = ()
    seconds: float = 60
    memory_bytes: int = 4096 << 20
    calls: int = 4
    characters: int = 20_000
    output_bytes: int = 64 << 20


def _matching(name: str, value: str, pattern: str) -> str:
    if re.fullmatch(pattern, value) is None:
        raise Refused(f"{name}: {value[:100]!r} is not one")
    return value


class _World:
    """The world of one question: its options, and its paths, all of which have been checked."""

    def __init__(self, places: Places, root: Optional[str], cwd: Optional[str]) -> None:
        self.places = places
        self._root = None if root is None else self._on_host(root, os.getcwd())
        if root is not None and "//" in root.lstrip("/"):
            raise Refused("root: write the path inside as another argument, not behind //")
        self.cwd = os.getcwd() if cwd is None else self.path("cwd", cwd)
        self._has_cwd = cwd is not None

    def _on_host(self, path: str, base: str) -> str:
        if "\0" in path:
            raise Refused(f"{path[:100]!r} is not a path: it contains a NUL")
        return self.places.check(os.path.join(base, path))

    def path(self, name: str, value: str) -> str:
        """An absolute path; in a root it is inside that."""
        if self._root is None:
            return self._on_host(value, os.getcwd() if name == "cwd" else self.cwd)
        if not value.startswith("/") or "\0" in value:
            raise Refused(f"{name}: {value[:100]!r} is not an absolute path inside {self._root}")
        return value

    def file(self, value: str) -> str:
        """A path, or the name of a library."""
        is_path = "/" in value or "\0" in value or (self._root is None and os.path.lexists(os.path.join(self.cwd, value)))
        if is_path:
            return self.path("file", value)
        return f"./{value}" if value == "-" else value

    def options(self, env: Optional[Mapping[str, str]], driver: Optional[str] = None) -> List[str]:
        """The options for the command that make this world."""
        if driver is not None and re.fullmatch(_DRIVER, driver) is None:
            driver = self._on_host(driver, os.getcwd())
        given = None if env is None else {**({} if self._root else inherited_environment()), **self._variables(env)}
        world = World(root=self._root, cwd=self.cwd if self._has_cwd else None, env=given, driver=driver)
        return world._place_options() + world._driver_options()

    def _variables(self, env: Mapping[str, str]) -> Mapping[str, str]:
        for name, value in env.items():
            _matching("env", name, _VARIABLE)
            if "\0" in value or len(value) > 32_768:
                raise Refused(f"env: the value of {name} contains a NUL or has more than 32768 characters")
            if self._root is not None or self.places.allowed is None:
                continue
            for part in re.split("[: ]", value):
                if "$" in part or not self.places.has(os.path.join(self.cwd, part)):
                    raise Refused(f"env: {name} names {part[:200]}, which is outside of {self.places.sentence()} or has a $")
        return env


class Tools:
    """The tools of one server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._limiter = anyio.CapacityLimiter(settings.calls)
        self._guards: Set[_command.Guard] = set()

    def end_all(self, reason: str) -> None:
        """Kills the commands of all calls."""
        for guard in list(self._guards):
            guard.end(reason)

    # ---- the tools: each docstring is what an assistant reads to choose one -----------------------------

    async def why(
        self,
        context: Context[Any, Any],
        file: Optional[File] = None,
        module: Optional[Module] = None,
        library: Annotated[Optional[str], Field(max_length=4096, description="explain only this library")] = None,
        exe: Optional[Program] = None,
        python: Optional[Python] = None,
        root: Optional[Place] = None,
        cwd: Optional[Directory] = None,
        env: Optional[Environment] = None,
        driver: Optional[Driver] = None,
        max_items: Items = 20,
    ) -> WhyResult:
        """Why a library or an import does not load: what is missing or wrong, every place searched, and fixes that were
        tried in memory, in order of choice. Use it when a file or module is known; for an error message use explain."""

        def ask(places: Places, guard: _command.Guard, cut: answers.Cutter) -> answers.Answer:
            words, tail = self._subject(_World(places, root, cwd), file, module, exe, python, env, driver)
            if library is not None:
                if file is None or "/" in library or "\0" in library:
                    raise Refused("library: the name of a library that `file` loads, without a directory")
                tail.append(library)
            data, command = self._document("why", words, tail, guard)
            return answers.why_answer(data, command, cut)

        return await self._answer(context, ask, max_items)

    async def check(
        self,
        context: Context[Any, Any],
        file: Optional[File] = None,
        module: Optional[Module] = None,
        exe: Optional[Program] = None,
        python: Optional[Python] = None,
        root: Optional[Place] = None,
        cwd: Optional[Directory] = None,
        env: Optional[Environment] = None,
        driver: Optional[Driver] = None,
        max_items: Items = 20,
    ) -> CheckResult:
        """Will a program start, or a library or import load: works or fails, with the line that the loader would print,
        and every missing library, version and symbol. Faster than why; use it to verify a fix or a symbol."""

        def ask(places: Places, guard: _command.Guard, cut: answers.Cutter) -> answers.Answer:
            words, tail = self._subject(_World(places, root, cwd), file, module, exe, python, env, driver)
            data, command = self._document("check", words, tail, guard)
            return answers.check_answer(data, command, cut)

        return await self._answer(context, ask, max_items)

    async def explain(
        self,
        context: Context[Any, Any],
        text: Text,
        python: Optional[Python] = None,
        root: Optional[Place] = None,
        cwd: Optional[Directory] = None,
        env: Optional[Environment] = None,
        max_items: Items = 20,
    ) -> ExplainResult:
        """Explains an error message, traceback or log of the loader, Python, CUDA, cuDNN, PyTorch and others: cause, what
        to do, and what is so on this machine. Start here with an error message; paste all of it."""

        def ask(places: Places, guard: _command.Guard, cut: answers.Cutter) -> answers.Answer:
            world = _World(places, root, cwd)
            words = world.options(env)
            if python is not None:
                words += ["--python", world.path("python", python)]
            notes = []
            if root is None:
                outside = self._outside(text, world, guard)
                if outside is not None:
                    words.append("--no-analysis")
                    notes.append(f"explained without looking at files: {outside} is outside of {places.sentence()}")
            data, command = self._document("explain", words, [], guard, text=text)
            return answers.explain_answer(data, command, cut, notes)

        return await self._answer(context, ask, max_items)

    async def symvers(
        self,
        context: Context[Any, Any],
        file: File,
        need: Annotated[Optional[List[str]], Field(max_length=32, description="versions or symbols: GLIBC_2.34, 11.0, "
                                                   "cudaMalloc@libcudart.so.12")] = None,
        needed_by: Annotated[Optional[str], Field(max_length=4096, description="path of a file: does `file` provide all "
                                                  "that it needs of it?")] = None,
        root: Optional[Place] = None,
        cwd: Optional[Directory] = None,
        max_items: Items = 50,
    ) -> SymversResult:
        """Which symbol versions a library defines and requires, and whether it provides given ones (GLIBC_2.34 not found,
        GLIBCXX_3.4.30 not found)."""

        def ask(places: Places, guard: _command.Guard, cut: answers.Cutter) -> answers.Answer:
            world = _World(places, root, cwd)
            words = world.options(None)
            words += [f"--need={_matching('need', name, _VERSION)}" for name in need or ()]
            if needed_by is not None:
                words += ["--for", world.path("needed_by", needed_by)]
            data, command = self._document("symvers", words, [world.file(file)], guard)
            return answers.symvers_answer(data, command, cut)

        return await self._answer(context, ask, max_items)

    async def doctor(
        self,
        context: Context[Any, Any],
        only: Annotated[Optional[List[DoctorCheckName]], Field(max_length=12, description="these checks only")] = None,
        search: Annotated[Optional[List[str]], Field(max_length=16, description="further Python environments or "
                                                     "toolkits: directories")] = None,
        root: Optional[Place] = None,
        driver: Optional[Driver] = None,
        max_items: Items = 50,
    ) -> DoctorResult:
        """The machine as CUDA programs find it: GPUs, driver, CUDA runtimes and which to take, cuDNN, PyTorch and other
        frameworks. Use it for "CUDA not available", driver and version mismatches."""

        def ask(places: Places, guard: _command.Guard, cut: answers.Cutter) -> answers.Answer:
            world = _World(places, root, None)
            words = world.options(None, driver)
            words += [word for name in only or () for word in ("--only", name)]
            words += [word for place in search or () for word in ("--search", world.path("search", place))]
            data, command = self._document("doctor", words, None, guard)
            return answers.doctor_answer(data, command, cut)

        return await self._answer(context, ask, max_items)

    async def scan(
        self,
        context: Context[Any, Any],
        paths: Annotated[Optional[List[str]], Field(max_length=64, description="directories and files; with root: all of "
                                                    "it, if none is named")] = None,
        root: Optional[Place] = None,
        driver: Optional[Driver] = None,
        with_fixes: Annotated[bool, Field(description="look for fixes; takes longer")] = True,
        max_items: Items = 20,
    ) -> ScanResult:
        """Judges every program and module below directories, or in an image or wheel, and groups what fails by cause. Use
        it when the file that fails is unknown; name a small directory, the time is limited."""

        def ask(places: Places, guard: _command.Guard, cut: answers.Cutter) -> answers.Answer:
            world = _World(places, root, None)
            options = [*world.options(None, driver), "--lang", "en", "--config", "none"]
            options += [] if with_fixes else ["--no-fixes"]
            tail = [world.path("paths", path) for path in paths or ()]
            if not tail and root is None:
                raise Refused("paths: at least one is required without root")
            return self._scan(options, tail, guard, cut)

        return await self._answer(context, ask, max_items)

    # ---- what they share --------------------------------------------------------------------------------

    def _subject(
        self,
        world: _World,
        file: Optional[str],
        module: Optional[str],
        exe: Optional[str],
        python: Optional[str],
        env: Optional[Mapping[str, str]],
        driver: Optional[str],
    ) -> tuple[List[str], List[str]]:
        """Options and files of why and check."""
        if (file is None) == (module is None):
            raise Refused("name either file or module")
        words = world.options(env, driver)
        words += [] if exe is None else ["--exe", world.path("exe", exe)]
        words += [] if python is None else ["--python", world.path("python", python)]
        if module is not None:
            return [*words, "--import", _matching("module", module, _MODULE)], []
        assert file is not None
        return words, [world.file(file)]

    def _document(
        self, tool: str, words: List[str], tail: Optional[List[str]], guard: _command.Guard, text: str = ""
    ) -> tuple[Mapping[str, Any], str]:
        """The command's JSON, and what to type for the same."""
        rest = ["--", *tail] if tail else []
        asked = [tool, "--json", "--lang", "en", *words, *rest]
        out = _command.run(asked, text=text.encode("utf-8", "replace"), answers_with_usage=True, guard=guard)[1]
        return _command.document_of(out), _command.shell_line([tool, *words, *rest])

    def _scan(self, options: List[str], tail: List[str], guard: _command.Guard, cut: answers.Cutter) -> answers.Answer:
        seen: List[ScanProgress] = []
        scan = Scan(options, tail, lambda progress: seen.__setitem__(slice(None), [progress]), guard)
        problems, skipped = [], []
        try:
            for record in scan:
                if record["type"] == "problem":
                    problems.append(record)
                elif record["type"] == "skipped" and record["open"]:
                    skipped.append(record)
        except LimitError as error:
            far = f"; it had judged {seen[0].judged} of {seen[0].files} files" if seen else ""
            raise LimitError(f"{error}{far}: name a smaller directory", code=8) from None
        assert scan.summary is not None
        command = _command.shell_line(["scan", *options[: options.index("--lang")], "--", *tail])
        return answers.scan_answer(problems, skipped, scan.summary, command, cut)

    def _outside(self, text: str, world: _World, guard: _command.Guard) -> Optional[str]:
        """What of a message may not be asked about: a path in it, or what the command reads out of it (a path with
        spaces, or broken by a newline)."""
        if world.places.allowed is None:
            return None
        outside = world.places.first_outside(text, world.cwd)
        if outside is not None:
            return outside
        data = self._document("explain", ["--no-analysis"], [], guard, text=text)[0]
        for message in data["messages"]:
            names = [*message["captures"].values(), *(frame["file"] for frame in message["traceback"])]
            for name in names:
                has_space = "/" in name and re.search(r"\s", name) is not None
                if has_space or world.places.first_outside(name, world.cwd) is not None:
                    return str(name)
        return None

    async def _answer(
        self,
        context: Context[Any, Any],
        ask: Callable[[Places, _command.Guard, answers.Cutter], answers.Answer],
        max_items: int,
    ) -> CallToolResult:
        settings = self._settings
        guard = _command.Guard(
            seconds=settings.seconds, memory_bytes=settings.memory_bytes, output_bytes=settings.output_bytes
        )
        cut = answers.Cutter(max_items, settings.characters)
        self._guards.add(guard)
        try:
            places = await self._places(context)
            answer = await anyio.to_thread.run_sync(
                ask, places, guard, cut, abandon_on_cancel=True, limiter=self._limiter
            )
        except (Refused, SoresolveError) as error:
            raise ToolError(answers.Cutter(1, 0).text(error)) from None
        finally:
            guard.end("the call was cancelled")
            self._guards.discard(guard)
        text = "\n".join(answer.lines())
        if len(text) > settings.characters:
            rest = len(text) - settings.characters
            text = text[: settings.characters] + f"…\nleft out: {rest} characters of this text"
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=answers.structured(answer)
        )

    async def _places(self, context: Context[Any, Any]) -> Places:
        """The server's --allow and the client's roots, as they are now. A client that declares roots and does not list
        them has none."""
        capabilities = context.client_capabilities
        if capabilities is None or capabilities.roots is None:
            return places_of(self._settings.allow, None)
        try:
            with anyio.fail_after(_ROOTS_SECONDS):
                listed = await context.session.send_request(ListRootsRequest(), ListRootsResult)
        except (MCPError, TimeoutError):
            return places_of(self._settings.allow, ())
        return places_of(self._settings.allow, [str(root.uri) for root in listed.roots])
