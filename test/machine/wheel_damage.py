"""Unpacked wheels in a state that people meet: copies with libraries gone, broken or changed.

A copy is made of hard links, so that it costs no room; what is damaged is put aside and put back.
"""

import contextlib
import os
import pathlib
import typing

import loader_trace


def shared_objects(folder):
    """Every ELF program and library below `folder`, sorted."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            header = loader_trace.read_elf_header(path)
            if header and header.type in (loader_trace.ET_EXEC, loader_trace.ET_DYN):
                found.append(path)
    return found


def roots_of(folder):
    """The files that a person would ask about."""
    return sorted([*folder.glob("torch/_C.*.so"), *folder.glob("torch/lib/libtorch_cuda.so"),
                   *folder.glob("functorch/_C.*.so")])


def library_dirs(folder):
    return sorted({str(path.parent) for path in folder.glob("nvidia/**/lib*.so*")})


def hard_link_tree(folder, copy):
    """The shared objects of `folder` again below `copy`, as hard links."""
    for path in shared_objects(folder):
        twin = copy / path.relative_to(folder)
        twin.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, twin)


def closure(file, copy):
    """The libraries inside `copy` that the loader lists for `file`."""
    trace = loader_trace.trace(str(file), loader_trace.read_elf_header(file))
    paths = [line.split(" => ")[1] for line in trace.lines if " => /" in line]
    return sorted({os.path.realpath(path) for path in paths if path.startswith(f"{copy}/")})


class Damage(typing.NamedTuple):
    """What is done to a tree: `paths` vanish, or hold `replacement` instead."""

    what: str
    paths: typing.List[str]
    replacement: typing.Optional[bytes] = None


def damages(copy):
    """Each library that torch reaches gone or broken, each nvidia folder gone, and all of them."""
    reached = sorted({path for root in roots_of(copy) for path in closure(root, copy)})
    yield Damage("nothing", [])
    for path in reached:
        name = os.path.basename(path)
        yield Damage(name, [path])
        yield Damage(f"the content of {name}", [path], b"")
        yield Damage(f"an ELF header in {name}", [path], b"version https://git-lfs.github.com/spec/v1\n" * 3)
    for folder in sorted({os.path.dirname(path) for path in reached if "/nvidia/" in path}):
        yield Damage(os.path.relpath(folder, copy), [str(path) for path in sorted(pathlib.Path(folder).glob("*.so*"))])
    yield Damage("nvidia/", [str(path) for path in sorted(copy.glob("nvidia/**/*.so*"))])


@contextlib.contextmanager
def damaged(damage):
    """Keeps the tree in that state for a while."""
    hidden = [(path, os.path.join(os.path.dirname(path), ".hidden-" + os.path.basename(path)))
              for path in damage.paths]
    for path, away in hidden:
        os.rename(path, away)
        if damage.replacement is not None:
            pathlib.Path(path).write_bytes(damage.replacement)
    try:
        yield
    finally:
        for path, away in hidden:
            os.rename(away, path)
