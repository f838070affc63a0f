"""Takes the numbers of the bench: wall time, instructions, system calls, peak memory.

How each is taken is told at the top of `run`.
"""

import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import typing


class Tool(typing.NamedTuple):
    name: str
    command: typing.List[str]
    settings: typing.List[str] = []  # NAME=VALUE, in its environment
    slow: bool = False  # fewer rounds
    counted: typing.Optional[typing.List[str]] = None  # the command for callgrind; [] for none
    counted_settings: typing.List[str] = []


class Cost(typing.NamedTuple):
    wall_ms: float
    instructions: typing.Optional[int]
    syscalls: typing.Optional[int]
    peak_mib: float
    walls: typing.List[float]  # one for each round


def compile_c(source, folder):
    """The path of a static program made from a file of this folder, or from text."""
    path = folder / (source.stem if isinstance(source, pathlib.Path) else "empty")
    if not isinstance(source, pathlib.Path):
        text, source = source, folder / "empty.c"
        source.write_text(text)
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O2", "-static", str(source), "-o", str(path)], check=True)
    return str(path)


def measure_wall(tools, rounds, launcher):
    """For each tool its wall times in ms by round, and its peak in MiB."""
    command = [launcher, str(rounds)]
    for tool in tools:
        command += ["--"] + [*tool.settings, *tool.command]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    walls, peaks = [[] for _ in tools], [0.0] * len(tools)
    for line in out.splitlines():
        number, wall, peak, status = (int(word) for word in line.split())
        if status < 0 or status > 1:
            sys.exit(f"{tools[number].command} ended with {status}")
        walls[number].append(wall / 1e6)
        peaks[number] = max(peaks[number], peak / 1024)
    return walls, peaks


def count_instructions(tool):
    command = tool.command if tool.counted is None else tool.counted
    settings = dict(setting.split("=", 1) for setting in tool.counted_settings)
    if not command or not shutil.which("valgrind"):
        return None
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=yes", *command],
        env=dict(os.environ, **settings),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        errors="replace", check=False)
    counts = [int(count) for count in re.findall(r"Collected : (\d+)", done.stderr)]
    return sum(counts) if counts else None


def count_syscalls(tool, folder):
    if not shutil.which("strace"):
        return None
    report = folder / "strace"
    settings = [word for setting in tool.settings for word in ("-E", setting)]
    subprocess.run(["strace", "-c", "-f", "-o", str(report), *settings, *tool.command],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    total = [line.split() for line in report.read_text().splitlines() if line.endswith(" total")]
    return int(total[0][3 if len(total[0]) > 4 else 2]) if total else None


def measure(tools, rounds, folder, launcher):
    """The Cost of each tool, by name."""
    costs = {}
    for slow in (False, True):
        group = [tool for tool in tools if tool.slow == slow]
        if not group:
            continue
        walls, peaks = measure_wall(group, rounds // 8 if slow else rounds, launcher)
        for tool, times, peak in zip(group, walls, peaks):
            costs[tool.name] = Cost(statistics.median(times), count_instructions(tool),
                                    count_syscalls(tool, folder), peak, times)
    return costs
