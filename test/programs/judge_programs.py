"""What CPython makes of programs: each is imported in a child of this process, so that the interpreter starts once.

usage: judge_programs.py FOLDER <NAMES

For each name on standard input a line of JSON: the name, the last line of the import ("" where it succeeds, None where
it does not end in time), and the libraries that ctypes was asked for, with whether each was opened."""
import collections
import contextlib
import ctypes
import dataclasses
import functools
import importlib
import itertools
import json
import os
import select
import signal
import sys
import time

MOST_SECONDS = 5
REALLY_OPEN = ctypes._dlopen
# They are only here to be imported once.
WARM = (collections, contextlib, dataclasses, functools, importlib, itertools, time)


def last_line(error):
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else kind.__module__ + "." + kind.__qualname__
    try:
        words = str(error)
    except BaseException:
        words = "<exception str() failed>"
    return name + ": " + words if words else name


def run(folder, write_end):
    opened = []

    def open_library(name, *rest):
        opened.append([name, False])
        handle = REALLY_OPEN(name, *rest)
        opened[-1][1] = True
        return handle

    ctypes._dlopen = open_library
    os.chdir(folder)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    try:
        importlib.import_module("main")
        line = ""
    except BaseException as error:
        line = last_line(error)
    os.write(write_end, json.dumps([line, opened]).encode()[:60000])
    os._exit(0)


def judge(folder):
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        run(folder, write_end)
    os.close(write_end)
    answer = b""
    ends_at = time.monotonic() + MOST_SECONDS
    while True:
        ready = select.select([read_end], [], [], max(0, ends_at - time.monotonic()))[0]
        part = os.read(read_end, 65536) if ready else None
        if not part:
            break
        answer += part
    os.close(read_end)
    if part is None:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return json.loads(answer) if part is not None and answer else [None, []]


def main(parent):
    sys.dont_write_bytecode = True
    # As of `python -c`.
    sys.path[0] = ""
    sys.argv = ["-c"]
    for name in sys.stdin.read().split():
        print(json.dumps([name, *judge(os.path.join(parent, name))]), flush=True)


main(os.path.abspath(sys.argv[1]))
