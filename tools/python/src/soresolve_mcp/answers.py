"""The results of the tools: typed, short, and cut where a limit is reached.

Each is made from the JSON of the command (lib/report/schema.json); fields keep its meaning. The lines for the
assistant come from the result, not from a second rendering. Texts of analysed files (names, paths) have control
characters escaped, so that none of them makes a line of its own.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, TypeVar

from soresolve._answers import Problem as FoundProblem
from soresolve._answers import fixes_of, problems_of

T = TypeVar("T")
_TEXT_CHARACTERS = 2000


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Cutter:
    """Cuts lists and texts of one answer, and counts what it leaves out by the name of the list."""

    def __init__(self, items: int, characters: int) -> None:
        self._items = items
        self._characters = characters
        self.left_out: dict[str, int] = {}

    def text(self, value: object) -> str:
        """One line, without what a terminal or a reader of lines would act on."""
        text = re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]",
                      lambda found: _escape(ord(found.group())), str(value))
        if len(text) > _TEXT_CHARACTERS:
            self._count("characters", len(text) - _TEXT_CHARACTERS)
            text = text[:_TEXT_CHARACTERS] + "…"
        self._characters -= len(text)
        return text

    def items(self, name: str, values: Iterable[Any], make: Callable[[Any], T]) -> list[T]:
        """The first values as `make` shows them."""
        made: list[T] = []
        for value in values:
            if len(made) < self._items and self._characters > 0:
                made.append(make(value))
            else:
                self._count(name, 1)
        return made

    def texts(self, name: str, values: Iterable[object]) -> list[str]:
        """The first texts."""
        return self.items(name, values, self.text)

    def commands(self, name: str, values: Iterable[str]) -> list[str]:
        """All commands, or none: a part of a command, or of a sequence, does something else."""
        lines = list(values)
        if sum(map(len, lines)) > 2 * _TEXT_CHARACTERS or max(map(len, lines), default=0) > _TEXT_CHARACTERS:
            self._count(name, len(lines))
            return []
        return [self.text(line) for line in lines]

    def _count(self, name: str, number: int) -> None:
        self.left_out[name] = self.left_out.get(name, 0) + number


@dataclass
class Evidence:
    """A line of proof, and the file that shows it."""

    text: str
    path: Optional[str] = None


@dataclass
class Fix:
    """A change that was tried in memory: verdict "works", "partly", "fails" or "untested"."""

    verdict: str
    text: str
    commands: List[str]


@dataclass
class Problem:
    """What is wrong: severity "fatal", "warning" or "note"; `soresolve help CODE` explains the code."""

    code: str
    severity: str
    text: str
    phase: str = "start"
    evidence: List[Evidence] = field(default_factory=list)
    fixes: List[Fix] = field(default_factory=list)


@dataclass
class Answer:
    """What every tool returns."""

    verdict: str  #: What happens, in one line.
    answer: str  #: works, fails, depends (on the process that loads it), or unknown.
    try_commands: List[str]  #: To type: the fix that works and changes least; empty where none is known.
    problems: List[Problem]
    counts: Dict[str, int]  #: How many there are, before anything was left out.
    command: str  #: Gives the whole answer in a shell.
    left_out: Dict[str, int] = field(default_factory=dict)  #: What was cut, by list; empty: nothing.
    notes: List[str] = field(default_factory=list)
    is_cut: bool = False

    def __post_init__(self) -> None:
        self.is_cut = bool(self.left_out)

    def lines(self) -> Iterator[str]:
        """For an assistant: the verdict, the command to type, what proves it."""
        yield self.verdict
        whole = f"all of it: {self.command}"
        if self.try_commands:
            yield "try: " + "; ".join(self.try_commands)
        else:
            yield whole if self.answer == "works" else "try: no fix is known"
        for problem in self.problems:
            yield f"[{problem.severity}] {problem.code}: {problem.text}"
            for line in problem.evidence[:10]:
                yield f"  {line.text}" + (f" ({line.path})" if line.path else "")
            for fix in problem.fixes[:5]:
                yield f"  fix, {fix.verdict}: {'; '.join(fix.commands) or fix.text}"
        yield from self.own_lines()
        for note in self.notes:
            yield f"note: {note}"
        if self.left_out:
            yield "left out: " + ", ".join(f"{number} {name}" for name, number in self.left_out.items())
        if self.try_commands or self.answer != "works":
            yield whole

    def own_lines(self) -> Iterator[str]:
        """What only one tool has."""
        return iter(())


@dataclass
class CheckAnswer(Answer):
    """Of `check`: what the start, or dlopen, ends with."""

    line: Optional[str] = None  #: The loader's own line with which it ends.
    missing: List[str] = field(default_factory=list)
    versions: List[str] = field(default_factory=list)
    undefined: List[str] = field(default_factory=list)

    def own_lines(self) -> Iterator[str]:
        yield from (f"missing: {name}" for name in self.missing)
        yield from (f"version: {text}" for text in self.versions)
        yield from (f"undefined: {text}" for text in self.undefined)


@dataclass
class Message:
    """A known message in the text."""

    id: str
    text: str
    printer: str
    cause: str
    next: str
    commands: List[str]


@dataclass
class Lookup:
    """What the files here have to do with a message."""

    command: str
    verdict: str
    is_good: bool


@dataclass
class ExplainAnswer(Answer):
    """Of `explain`."""

    messages: List[Message] = field(default_factory=list)
    here: List[Lookup] = field(default_factory=list)

    def own_lines(self) -> Iterator[str]:
        for message in self.messages:
            yield f"message: {message.text}"
            yield f"  from: {message.printer} [{message.id}]"
            yield f"  cause: {message.cause}"
            yield f"  next: {message.next}"
        for lookup in self.here:
            yield f"here: {lookup.command}: {lookup.verdict}"


@dataclass
class Need:
    """Does the library provide a version or symbol; if not, what it has instead."""

    asked: str
    served: bool
    instead: List[str]


@dataclass
class SymversAnswer(Answer):
    """Of `symvers`."""

    path: str = ""
    soname: Optional[str] = None
    needs: List[Need] = field(default_factory=list)
    defines: List[str] = field(default_factory=list)
    requires: List[str] = field(default_factory=list)

    def own_lines(self) -> Iterator[str]:
        for need in self.needs:
            yield f"{'provides' if need.served else 'does not provide'} {need.asked}" + (
                f"; it has {', '.join(need.instead)}" if need.instead else "")
        yield f"defines: {', '.join(self.defines) or 'no versions'}"
        yield f"requires: {', '.join(self.requires) or 'no versions'}"


@dataclass
class DoctorCheck:
    """One check of the machine: result "pass", "skip", "warn" or "fail"."""

    name: str
    result: str
    seen: str
    advice: List[str]


@dataclass
class DoctorAnswer(Answer):
    """Of `doctor`."""

    checks: List[DoctorCheck] = field(default_factory=list)
    torch_backend: str = ""  #: The index of PyTorch's wheels that run here: cpu, cu126, …

    def own_lines(self) -> Iterator[str]:
        for check in self.checks:
            yield f"{check.result}: {check.name}: {check.seen}"
            yield from (f"  do: {text}" for text in check.advice)


@dataclass
class Cause:
    """One cause of failures in a scan, with the files that need what is missing."""

    code: str
    severity: str
    text: str
    needers: List[str]
    fix: Optional[Fix] = None


@dataclass
class ScanAnswer(Answer):
    """Of `scan`: its causes stand in place of problems."""

    causes: List[Cause] = field(default_factory=list)
    skipped: List[str] = field(default_factory=list)

    def own_lines(self) -> Iterator[str]:
        for cause in self.causes:
            yield f"[{cause.severity}] {cause.code}: {cause.text}"
            yield f"  needed by: {', '.join(cause.needers)}"
            if cause.fix is not None:
                yield f"  fix, {cause.fix.verdict}: {'; '.join(cause.fix.commands) or cause.fix.text}"
        yield from (f"not judged: {text}" for text in self.skipped)


def structured(answer: Answer) -> Dict[str, Any]:
    """As JSON types."""
    return asdict(answer)


# ---- from the command's JSON ------------------------------------------------------------------------


def _fix(cut: Cutter, fix: Any) -> Fix:
    return Fix(fix.verdict, cut.text(fix.text), cut.commands("commands", fix.commands))


def _problem(cut: Cutter, problem: FoundProblem) -> Problem:
    return Problem(
        code=problem.code,
        severity=problem.severity,
        text=cut.text(problem.text),
        phase=problem.phase,
        fixes=cut.items("fixes", problem.fixes, lambda fix: _fix(cut, fix)),
        evidence=cut.items(
            "evidence", problem.evidence, lambda e: Evidence(cut.text(e.text), None if e.path is None else cut.text(e.path))
        ),
    )


def why_answer(data: Mapping[str, Any], command: str, cut: Cutter) -> Answer:
    """From a document of `soresolve why --json`."""
    found = problems_of(data)
    return Answer(
        verdict=cut.text(data["verdict"]),
        answer=data["answer"],
        try_commands=cut.commands("try_commands", data.get("try", ())),
        problems=cut.items("problems", found, lambda p: _problem(cut, p)),
        notes=cut.texts("notes", data.get("notes", ())),
        counts={"problems": len(found), "fixes": len(fixes_of(data)), "objects": len(data.get("objects", ()))},
        command=cut.text(command),
        left_out=cut.left_out,
    )


def check_answer(data: Mapping[str, Any], command: str, cut: Cutter) -> CheckAnswer:
    """From a document of `soresolve check --json`."""
    found = problems_of(data)
    line = data["line"]
    if line is None:
        line_or_verdict = {"fails": data.get("death") or "fails"}.get(data["answer"], data["answer"])
    else:
        line_or_verdict = line
    commands = [command for fix in fixes_of(data)[:1] for command in fix.commands]
    if data["answer"] == "fails" and not commands:
        commands = [command.replace("soresolve check", "soresolve why", 1)]
    undefined = data.get("undefined", ())
    return CheckAnswer(
        verdict=cut.text(line_or_verdict),
        answer=data["answer"],
        try_commands=cut.commands("try_commands", commands),
        problems=cut.items("problems", found, lambda p: _problem(cut, p)),
        notes=cut.texts("notes", data.get("notes", ())),
        counts={"problems": len(found), "missing": len(data["missing"]), "undefined": len(undefined),
                "unmet_versions": len(data["versions"]), **data["counts"]},
        command=cut.text(command),
        left_out=cut.left_out,
        line=None if line is None else cut.text(line),
        missing=cut.items("missing", data["missing"], lambda m: cut.text(
            f"{m['name']}: {m['text']}, needed by {', '.join(m['needed_by'][:5])}")),
        versions=cut.items("versions", data["versions"], lambda v: cut.text(v["text"])),
        undefined=cut.items("undefined", undefined, lambda u: cut.text(
            u["symbol"] + ("" if u["version"] is None else f"@{u['version']}") + f", referred to by {u['referrer']}")),
    )


def explain_answer(data: Mapping[str, Any], command: str, cut: Cutter, notes: Sequence[str]) -> ExplainAnswer:
    """From a document of `soresolve explain --json`."""
    reports = [answer["report"] for answer in data["answers"] if answer["report"] and "verdict" in answer["report"]]
    found = [problem for report in reports for problem in problems_of(report)]
    commands = [command for report in reports for command in _tries(report)]
    messages = data["messages"]
    if reports:
        verdict = str(reports[0]["verdict"])
    elif messages:
        verdict = messages[0]["cause"]
    else:
        verdict = "no message that soresolve recognises is in this text: give the whole output, with standard error"
    if not commands and messages:
        commands = messages[0]["commands"].splitlines()
    return ExplainAnswer(
        verdict=cut.text(verdict),
        answer="unknown" if not reports else str(reports[0].get("answer", "unknown")),
        try_commands=cut.commands("try_commands", commands),
        messages=cut.items("messages", messages, lambda m: Message(
            m["id"], cut.text(m["text"]), cut.text(m["printer"]), cut.text(m["cause"]), cut.text(m["next"]),
            cut.commands("commands", m["commands"].splitlines()))),
        here=cut.items("here", data["answers"], lambda a: Lookup(
            cut.text(a["command"]), cut.text(a["error"] or (a["report"] or {}).get("verdict", "")), a["is_good"])),
        problems=cut.items("problems", found, lambda p: _problem(cut, p)),
        notes=[cut.text(note) for note in notes],
        counts={"messages": len(messages), "answers": len(data["answers"]), "problems": len(found)},
        command=cut.text(command),
        left_out=cut.left_out,
    )


def _tries(report: Mapping[str, Any]) -> list[str]:
    tries = report.get("try") or []
    return [tries] if isinstance(tries, str) else list(tries)


def symvers_answer(data: Mapping[str, Any], command: str, cut: Cutter) -> SymversAnswer:
    """From a document of `soresolve symvers --json`."""
    library, needs = data["library"], data["needs"]
    unmet = [need["asked"] for need in needs if not need["served"]]
    unmet += [f"all that {c['consumer']} needs" for c in data["consumers"] if not c["served"]]
    if unmet:
        verdict = f"{library['path']} does not provide {', '.join(unmet)}"
    elif needs or data["consumers"]:
        asked = [need["asked"] for need in needs] + [f"all that {c['consumer']} needs" for c in data["consumers"]]
        verdict = f"{library['path']} provides {', '.join(asked)}"
    else:
        verdict = f"{library['path']} defines {len(library['defines'])} versions and requires {len(library['requires'])}"
    return SymversAnswer(
        verdict=cut.text(verdict),
        answer="fails" if unmet else "works",
        try_commands=[],
        problems=[],
        path=cut.text(library["path"]),
        soname=None if library["soname"] is None else cut.text(library["soname"]),
        needs=cut.items("needs", needs, lambda n: Need(
            cut.text(n["asked"]), n["served"], cut.texts("instead", n["instead"]))),
        defines=cut.texts("defines", (entry["name"] for entry in library["defines"])),
        requires=cut.texts("requires", (f"{entry['version']} of {entry['file']}" for entry in library["requires"])),
        counts={"defines": len(library["defines"]), "requires": len(library["requires"]),
                "defined_symbols": library["defined_symbols"], "needs": len(needs), "unmet": len(unmet)},
        command=cut.text(command),
        left_out=cut.left_out,
    )


def doctor_answer(data: Mapping[str, Any], command: str, cut: Cutter) -> DoctorAnswer:
    """From a document of `soresolve doctor --json`."""
    checks = data["checks"]
    failed = [check for check in checks if check["result"] == "fail"]
    return DoctorAnswer(
        verdict=cut.text(data["verdict"]),
        answer="works" if data["healthy"] else "fails",
        try_commands=cut.commands("try_commands", _tries(data)),
        problems=[],
        checks=cut.items("checks", checks, lambda c: DoctorCheck(
            c["name"], c["result"], cut.text(c["seen"]),
            cut.texts("advice", ("; ".join([a["text"], *a["commands"]]) for a in c["advice"])))),
        torch_backend=data["torch_backend"],
        counts={"checks": len(checks), "failed": len(failed), "frameworks": len(data["frameworks"])},
        command=cut.text(command),
        left_out=cut.left_out,
    )


def scan_answer(
    problems: Sequence[Mapping[str, Any]],
    skipped: Sequence[Mapping[str, Any]],
    summary: Mapping[str, Any],
    command: str,
    cut: Cutter,
) -> ScanAnswer:
    """From the lines of `soresolve scan --json`."""
    counted = {key: value for key, value in summary.items() if isinstance(value, int) and not isinstance(value, bool)}
    roots, fails, unjudged = summary["roots"], summary["fails"], summary["unjudged"]
    if fails:
        verdict = f"fails: {fails} of {roots} processes, for {len(problems)} cause{'s' if len(problems) != 1 else ''}"
        verdict += f"; {unjudged} not judged" if unjudged else ""
    elif not summary["good"]:
        verdict = f"unknown: {unjudged} not judged, {roots} processes judged" if roots else "nothing is there to be judged"
    else:
        verdict = f"works: all {roots} processes"
    fixes = [problem["fix"] for problem in problems if problem["fix"]]

    def fix(problem: Mapping[str, Any]) -> Optional[Fix]:
        tried = problem["fix"]
        if not tried:
            return None
        return Fix(tried["verdict"], cut.text(tried["text"]), cut.commands("commands", tried["command"].splitlines()))

    return ScanAnswer(
        verdict=verdict,
        answer="fails" if fails else "works" if summary["good"] else "unknown",
        try_commands=cut.commands("try_commands", fixes[0]["command"].splitlines() if fixes else ()),
        problems=[],
        causes=cut.items("causes", problems, lambda p: Cause(
            p["code"], p["severity"], cut.text(p["what"]), cut.texts("needers", p["needers"]), fix(p))),
        skipped=cut.texts("skipped", (f"{entry['path']}: {entry['reason']}" for entry in skipped)),
        counts={**counted, "causes": len(problems), "skipped": len(skipped)},
        command=cut.text(command),
        left_out=cut.left_out,
    )
