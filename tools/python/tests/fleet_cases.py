"""What the fleet is tested with, in both tiers: places with each kind of answer, and answers of nodes that came damaged."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import time
import zipfile
import zlib
from typing import Any, Iterator

import broken

_VALUES: tuple[Any, ...] = (None, True, 0, -1, 1 << 70, 1.5, 1e300, float("nan"), "", "x", "\ud800", [], [1], ["x"], [[]], {}, {"a": 1})


def program(folder: pathlib.Path, name: str, *words: str) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([broken.CC, "-x", "c", "-", "-o", str(folder / name), *words], input=b"int main(void) { return 0; }", check=True)
    return folder / name


def root(command: str, folder: pathlib.Path) -> pathlib.Path:
    """A root in which one program starts: with its loader and libc."""
    made = program(folder / "usr/bin", "app")
    listed = subprocess.run([command, "ldd", str(made)], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in listed.splitlines():
        path = next(word for word in line.replace("\t", " ").split() if word.startswith("/"))
        target = folder / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return folder


def docker_save(path: pathlib.Path, layer_root: pathlib.Path, like: pathlib.Path | None = None) -> pathlib.Path:
    """An image of one layer. `like`: with the manifest and the configuration of another one."""
    work = path.with_suffix(".work")
    work.mkdir()
    with tarfile.open(work / "layer.tar", "w") as tar:
        tar.add(layer_root, ".")
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    config = json.dumps({"architecture": machine, "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": [
        "sha256:" + hashlib.sha256((work / "layer.tar").read_bytes()).hexdigest()]}})
    (work / "config.json").write_text(config)
    (work / "manifest.json").write_text(json.dumps([{"Config": "config.json", "RepoTags": [], "Layers": ["layer.tar"]}]))
    if like is not None:
        with tarfile.open(like) as tar:
            for name in ("config.json", "manifest.json"):
                (work / name).write_bytes(tar.extractfile(name).read())  # type: ignore[union-attr]
    with tarfile.open(path, "w") as tar:
        for name in ("manifest.json", "config.json", "layer.tar"):
            tar.add(work / name, name)
    return path


def wheel(path: pathlib.Path, **files: bytes) -> pathlib.Path:
    name = "-".join(path.name.split("-")[:2])
    tag = path.stem.split("-", 2)[2]
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in files.items():
            archive.writestr(member, data)
        archive.writestr(f"{name}.dist-info/METADATA", "Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\n")
        archive.writestr(f"{name}.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n")
        archive.writestr(f"{name}.dist-info/RECORD", "")
    return path


def places(command: str, folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """A place of each kind, by its name."""
    healthy = root(command, folder / "healthy")
    lacking = shutil.copytree(healthy, folder / "lacking", symlinks=True)
    (lacking / "usr/lib").mkdir(parents=True, exist_ok=True)
    broken.compile("int a(void) { return 0; }", folder / "libgone.so", "-Wl,-soname,libgone.so")
    program(lacking / "usr/bin", "bad", f"-L{folder}", "-Wl,--no-as-needed", "-lgone")
    cut = shutil.copytree(healthy, folder / "cut", symlinks=True)
    (cut / "usr/bin/half").write_bytes((cut / "usr/bin/app").read_bytes()[:700])
    both = shutil.copytree(lacking, folder / "both", symlinks=True)
    shutil.copy(cut / "usr/bin/half", both / "usr/bin/half")
    (folder / "lone").mkdir()
    module = broken.compile("int PyInit_m(void) { return 0; }", folder / "lone/m.so")
    (folder / "static/bin").mkdir(parents=True)
    with contextlib.suppress(subprocess.CalledProcessError):  # no libc.a: an empty place more
        program(folder / "static/bin", "st", "-static")
    (folder / "empty").mkdir()
    (folder / "texts").mkdir()
    (folder / "texts/readme").write_text("nothing to load\n")
    made = {name: folder / name for name in ("healthy", "lacking", "cut", "both", "lone", "static", "empty", "texts")}
    made["image"] = docker_save(folder / "image.tar", healthy)
    made["broken image"] = docker_save(folder / "broken.tar", lacking)
    made["cut image"] = folder / "cut.tar"
    made["cut image"].write_bytes(made["image"].read_bytes()[:200_000])
    for name, tag in (("wheel", "py3-none-linux_x86_64"), ("wheel of another Python", "cp37-cp37m-linux_x86_64")):
        suffix = "so" if name == "wheel" else "cpython-37m-x86_64-linux-gnu.so"
        made[name] = wheel(folder / f"pkg-1.0-{tag}.whl", **{f"pkg/m.{suffix}": module.read_bytes(), "pkg/__init__.py": b""})
    made["no wheel"] = folder / "no-1.0-py3-none-any.whl"
    made["no wheel"].write_bytes(b"PK")
    made["absent"] = folder / "absent"
    return made


# ---- answers of nodes --------------------------------------------------------------------------------------


def _answer(row: dict[str, Any], plain: bytes) -> bytes:
    return json.dumps(row).encode() + b"\n" + zlib.compress(plain, 1)


def answers(facts: Any, name: str) -> Iterator[tuple[str, bytes]]:
    """(what was done to it, the file) of a node's answer: first whole, then with each member dropped or of another type,
    in its facts as well, and cut at each byte."""
    tables: dict[str, Any] = json.loads(facts.Facts().packed())
    tables["files"] = [["/usr/bin/app", None, 7, "abc", "program", "works"]]
    tables["problems"] = [["missing", "fatal", "start", "key", True, "headline", "lib", "what", "says", 1, 1, None, None]]

    def packed(value: Any) -> bytes:
        return json.dumps(value).encode()

    def digest(plain: bytes) -> str:
        return hashlib.sha256(plain).hexdigest()[:32]

    plain = packed(tables)
    row: dict[str, Any] = {
        "name": name, "kind": "node", "group": "", "place": "/", "status": "ok", "reason": "", "started": time.time(), "host": "h",
        "facts": digest(plain), "dynamic": 1, "programs": 1, "roots": 1, "works": 1, "fails": 0, "depends": 0, "kernel": "6",
        "soresolve": "1", "doctor": "ok", "good": True, "snapshot": "a" * 64, "snapshot_bytes": 0, "parts": [], "part_bytes": [],
        "work_s": 0.1, "seconds": 0.2, "attempts": 1, "new_bytes": 0}
    whole = _answer(row, plain)
    yield "whole", whole
    for member in row:
        yield f"without {member}", _answer({key: value for key, value in row.items() if key != member}, plain)
        for value in _VALUES:
            yield f"{member} = {value!r}", _answer({**row, member: value}, plain)
    yield "a part that is not there", _answer({**row, "parts": ["b" * 64], "part_bytes": [1]}, plain)
    yield "a part by a path", _answer({**row, "parts": ["../../../../etc/passwd"], "part_bytes": [1]}, plain)
    for value in _VALUES:
        yield f"row = {value!r}", packed(value) + b"\n" + zlib.compress(plain)
        other = packed(value)
        yield f"facts = {value!r}", _answer({**row, "facts": digest(other)}, other)
        for table in tables:
            changed = dict(tables, **{table: value})
            yield f"{table} = {value!r}", _answer({**row, "facts": digest(packed(changed))}, packed(changed))
            for column in range(len(tables[table][0]) if tables[table] else 0):
                changed = copy.deepcopy(tables)
                changed[table][0][column] = value
                yield f"{table}[{column}] = {value!r}", _answer({**row, "facts": digest(packed(changed))}, packed(changed))
    yield "facts of another", _answer(row, packed(dict(tables, files=[])))
    yield "nested", b"[" * 100_000
    yield "facts nested", _answer({**row, "facts": digest(b"[" * 100_000)}, b"[" * 100_000)
    yield "a bomb", json.dumps(row).encode() + b"\n" + zlib.compress(zlib.compress(b"\0" * (1 << 24)))
    yield "not json", b"not json\n"
    yield "named alone", b'{"name":"n2"}\n'
    for end in range(len(whole)):
        yield f"cut at {end}", whole[:end]
