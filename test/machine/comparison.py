"""Asks `soresolve ldd` about files of which the loader's trace is known, and shows what differs.

The contract: the trace's lines without addresses, in the same order, on stdout; exit status 1 when
a library is missing; where the loader itself dies its message on stderr, no object lines, and exit
status 1.
"""

import os
import typing

import loader_trace


class Difference(typing.NamedTuple):
    path: str
    want: str
    got: str


def expected_status(trace):
    """The exit status of `soresolve ldd` for what the loader showed."""
    if trace.died or any(line.endswith(" => not found") for line in trace.lines):
        return 1
    return 0


def describe(lines, status, message=""):
    """One answer as text, for comparing and for showing."""
    return "\n".join(lines + ([message] if message else []) + [f"exit {status}"])


def split_answers(text, paths):
    """The blocks of `soresolve ldd A B ...` by path, or None when they do not match `paths`."""
    if len(paths) == 1:
        return {paths[0]: text.splitlines()}
    blocks, rest = {}, iter(paths)
    awaited = next(rest)
    for line in text.splitlines():
        if line == f"{awaited}:":
            current = blocks[awaited] = []
            awaited = next(rest, "")
        elif not blocks:
            return None
        else:
            current.append(line)
    return blocks if len(blocks) == len(paths) else None


class Comparison:
    """Asks soresolve about files of which the loader's answer is known."""

    def __init__(self, command, environment, timeout):
        self.command = os.path.abspath(command)
        self.environment = environment
        self.timeout = timeout

    def ask(self, paths):
        return loader_trace.run([self.command, "ldd", *paths], self.environment, "/",
                                self.timeout * len(paths))

    def one(self, path, trace):
        """The Difference for one file, or None."""
        want = describe(trace.lines, expected_status(trace), trace.message if trace.status >= 0 else "")
        try:
            status, out, err = self.ask([path])
        except loader_trace.Skip as reason:
            return Difference(path, want, str(reason))
        lines, message = out.splitlines(), err.rstrip("\n")
        if trace.how == "verify":  # ldd says it on stderr; either stream will do
            lines, message = lines + err.splitlines(), ""
        elif trace.status < 0:  # the loader crashed and said nothing; soresolve may say so
            message = ""
        got = describe(lines, status, message)
        return None if got == want else Difference(path, want, got)

    def unjudged(self, path):
        """A Difference if soresolve crashes, hangs or says nothing about a file that has no judge."""
        want = "exit 0, 1 or 2, and a word"
        try:
            status, out, err = self.ask([path])
        except loader_trace.Skip as reason:
            return Difference(path, want, str(reason))
        return None if status in (0, 1, 2) and out + err else Difference(path, want, describe([], status))

    def batch(self, jobs):
        """Differences among `jobs`, pairs of path and Trace that all expect exit status 0."""
        paths = [path for path, _ in jobs]
        try:
            status, out, err = self.ask(paths)
            answers = split_answers(out, paths)
        except loader_trace.Skip:
            answers = None
        if answers is None or status != 0 or err:
            return [found for found in (self.one(*job) for job in jobs) if found]
        return [found for path, trace in jobs if answers[path] != trace.lines
                for found in [self.one(path, trace)] if found]


def print_difference(difference):
    want, got = difference.want.splitlines(), difference.got.splitlines()
    print(f"\nDIFFERENT {difference.path}")
    same = 0
    while same < min(len(want), len(got)) and want[same] == got[same]:
        same += 1
    if same:
        print(f"  the first {same} lines are equal")
    for who, lines in (("loader   ", want[same:]), ("soresolve", got[same:])):
        for line in lines[:6]:
            print(f"  {who} |{line}")
        if len(lines) > 6:
            print(f"  {who} |... {len(lines) - 6} more lines")
    if sorted(want) == sorted(got):
        print("  (the same lines in another order)")
