"""Real files that break: made by the C compiler in a temporary directory."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

CC = shutil.which("cc") or shutil.which("gcc") or "cc"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX") or ".so"

_MODULE = """
int helper(void);
struct PyModuleDef;
void* PyInit_%s(void) { return (void*)(long)helper(); }
"""


def compile(source: str, output: pathlib.Path, *words: str) -> pathlib.Path:
    """A shared library of a C source."""
    subprocess.run([CC, "-shared", "-fPIC", "-x", "c", "-", "-o", os.fspath(output), *words], input=source.encode(),
                   check=True)
    return output


def broken_module(folder: pathlib.Path, name: str = "brokenmod") -> pathlib.Path:
    """An extension module that needs libhelper.so, which lies in `folder`/elsewhere, where the loader does not look."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    helper = compile("int helper(void) { return 0; }", elsewhere / "libhelper.so", "-Wl,-soname,libhelper.so")
    return compile(_MODULE % name, folder / f"{name}{SUFFIX}", f"-L{helper.parent}", "-lhelper", "-Wl,--no-as-needed")


def python(*words: str, folder: pathlib.Path, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """A child of this Python that finds the package as this one does."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.run([sys.executable, *words], cwd=folder, env={**os.environ, "PYTHONPATH": path, **(env or {})},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
