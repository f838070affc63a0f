"""Makes the wheel and the sdist of the Python package: a build backend (PEP 517), and pack() for tools/dev/wheel.

meson-python does not fit: it maps what Meson installs, and here two compilers make one wheel (the static command by the
system's, the library by one for an old glibc). So the parts are built by Meson, and laid into the zip file here.
The wheel's form: "Binary distribution format" of packaging.python.org; the same input gives the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from typing import Any, Iterable, Optional

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib  # type: ignore[no-redef]

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tools/python/src"
LIBRARY = "soresolve/libsoresolve.so.0"


def _project() -> dict[str, Any]:
    beside = ROOT / "pyproject.toml"
    with open(beside if beside.exists() else ROOT / "tools/python/pyproject.toml", "rb") as file:
        project: dict[str, Any] = tomllib.load(file)["project"]
    return project


def version() -> str:
    """That of meson.build."""
    found = re.search(r"^  version: '([^']+)'", (ROOT / "meson.build").read_text(), re.M)
    if found is None:
        raise SystemExit("meson.build says no version")
    return found.group(1)


def metadata() -> str:
    """The file METADATA."""
    project = _project()
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}"]
    lines += [f"Summary: {project['description']}", f"License: {project['license']['text']}"]
    lines += [f"Keywords: {','.join(project['keywords'])}"]
    lines += [f"Classifier: {entry}" for entry in project["classifiers"]]
    lines += [f"Requires-Python: {project['requires-python']}"]
    for extra, needs in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        for need in needs:
            requirement, _, marker = need.partition(";")
            condition = f"({marker.strip()}) and " if marker else ""
            lines.append(f'Requires-Dist: {requirement}; {condition}extra == "{extra}"')
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text()]
    return "\n".join(lines)


def entry_points() -> str:
    """The file entry_points.txt."""
    project = _project()
    groups = dict(project.get("entry-points", {}))
    if project.get("scripts"):
        groups["console_scripts"] = project["scripts"]
    lines = []
    for group, entries in groups.items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items()), ""]
    return "\n".join(lines)


class _Wheel:
    """A wheel while it is written; RECORD comes last."""

    def __init__(self, path: pathlib.Path) -> None:
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._record: list[str] = []

    def add(self, name: str, data: bytes, mode: int = 0o644) -> None:
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100000 | mode) << 16
        self._zip.writestr(info, data, compresslevel=9)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, record: str) -> None:
        self._record.append(f"{record},,")
        self.add(record, ("\n".join(self._record) + "\n").encode())
        self._zip.close()


def _python_files() -> Iterable[tuple[str, pathlib.Path]]:
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(SOURCES).as_posix(), path


def pack(
    directory: pathlib.Path,
    tags: Iterable[str],
    command: pathlib.Path,
    library: Optional[pathlib.Path],
    helpers: Iterable[pathlib.Path] = (),
) -> pathlib.Path:
    """Writes the wheel for the platform tags into `directory`: the sources, the command and its helpers as scripts, the
    library inside the package (None: the command answers for it)."""
    platforms = list(tags)
    name = f"soresolve-{version()}"
    path = directory / f"{name}-py3-none-{'.'.join(platforms)}.whl"
    wheel = _Wheel(path)
    for inside, file in _python_files():
        wheel.add(inside, file.read_bytes())
    if library is not None:
        wheel.add(LIBRARY, library.read_bytes(), 0o755)
    for program in (command, *helpers):
        wheel.add(f"{name}.data/scripts/{program.name}", program.read_bytes(), 0o755)
    info = f"{name}.dist-info"
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.add(f"{info}/METADATA", metadata().encode())
    text = "Wheel-Version: 1.0\nGenerator: soresolve\nRoot-Is-Purelib: false\n"
    wheel.add(f"{info}/WHEEL", (text + "".join(f"Tag: py3-none-{p}\n" for p in platforms)).encode())
    wheel.add(f"{info}/entry_points.txt", entry_points().encode())
    wheel.close(f"{info}/RECORD")
    return path


def _strip(path: pathlib.Path, into: pathlib.Path) -> pathlib.Path:
    strip = shutil.which("strip")
    made = into / path.name
    if strip is None:
        shutil.copy(path.resolve(), made)
    else:
        subprocess.run([strip, "-o", made, path.resolve()], check=True)
    return made


# ---- PEP 517 ----------------------------------------------------------------------------------------


def build_wheel(
    wheel_directory: str, config_settings: Optional[dict[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    """The wheel for this machine, by its own compiler: its tag promises nothing of other machines."""
    del config_settings, metadata_directory
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder, "build")
        meson = shutil.which("meson") or os.path.join(sysconfig.get_path("scripts"), "meson")
        options = ["--buildtype=release", "-Dtests=disabled", "-Dsite=disabled", "-Dwitness=disabled"]
        subprocess.run([meson, "setup", str(build), str(ROOT), *options], check=True, stdout=sys.stderr)
        parts = ["tools/soresolve/soresolve", f"lib/libsoresolve.so.{version()}"]
        subprocess.run(["ninja", "-C", str(build), *parts], check=True, stdout=sys.stderr)
        stripped = pathlib.Path(folder, "stripped")
        stripped.mkdir()
        command, library = (_strip(build / part, stripped) for part in parts)
        tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        return pack(pathlib.Path(wheel_directory), [tag], command, library).name


def _tracked() -> list[str]:
    listed = ROOT / ".sdist-files"
    if listed.exists():
        return listed.read_text().splitlines()
    out = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout
    return [name for name in out.decode().split("\0") if name and not name.startswith("test/")]


def build_sdist(sdist_directory: str, config_settings: Optional[dict[str, Any]] = None) -> str:
    """The tracked tree without its tests, with pyproject.toml at the root."""
    del config_settings
    name = f"soresolve-{version()}"

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = info.mtime = 0
        info.uname = info.gname = ""
        return info

    def add(tar: tarfile.TarFile, inside: str, data: bytes) -> None:
        import io

        info = plain(tarfile.TarInfo(f"{name}/{inside}"))
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))

    path = pathlib.Path(sdist_directory, f"{name}.tar.gz")
    files = _tracked()
    # gzip would put down the time and the name of its file.
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in files:
            tar.add(ROOT / file, f"{name}/{file}", recursive=False, filter=plain)
        if "pyproject.toml" not in files:
            add(tar, "pyproject.toml", (ROOT / "tools/python/pyproject.toml").read_bytes())
        add(tar, ".sdist-files", "\n".join([*files, "pyproject.toml"][: len(files) + 1]).encode())
        add(tar, "PKG-INFO", metadata().encode())
    return path.name
