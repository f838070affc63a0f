"""Faults drawn at random, from a seed: what is done to which library of an environment, or to the process.

A fault is a kind and a victim: a library that the healthy import has mapped. Each kind says how it is planted, as a
Change: files that are put aside, files that take their places, variables of the process.
"""

import os
import pathlib
import random
import re
import struct
import subprocess
import typing

DT_RPATH, DT_RUNPATH = 15, 29
EM_AARCH64 = 183


class Change(typing.NamedTuple):
    # path below site-packages: its new content, or a file to take it from; None: it is gone
    files: typing.Dict[str, typing.Union[bytes, pathlib.Path, None]] = {}
    environment: typing.Dict[str, str] = {}


class Fault(typing.NamedTuple):
    kind: str
    victim: str      # below site-packages
    detail: str
    change: Change

    @property
    def name(self):
        return f"{self.kind} {self.victim}" + (f" ({self.detail})" if self.detail else "")


def stem(path):
    """libcudart of libcudart-1234abcd.so.11.0 and libcudart.so.12."""
    return re.sub(r"[-.][0-9a-f]{8}$", "", os.path.basename(path).split(".so")[0])


class Elf:
    """The dynamic section of one file of 64 bits, to be patched in place."""

    def __init__(self, content):
        self.content = bytearray(content)
        phoff, = struct.unpack_from("<Q", content, 32)
        size, count = struct.unpack_from("<HH", content, 54)
        self.dynamic, self.loads = None, []
        for i in range(count):
            kind, _, offset, vaddr, _, filesz = struct.unpack_from("<IIQQQQ", content, phoff + i * size)
            if kind == 2:
                self.dynamic = (offset, filesz)
            if kind == 1:
                self.loads.append((vaddr, offset, filesz))

    def entries(self):
        """(place in the file, tag, value)"""
        offset, size = self.dynamic
        for at in range(offset, offset + size, 16):
            tag, value = struct.unpack_from("<qQ", self.content, at)
            if tag == 0:
                return
            yield at, tag, value

    def search_tag(self):
        return next(((at, tag) for at, tag, _ in self.entries() if tag in (DT_RPATH, DT_RUNPATH)), None)

    def names(self, wanted):
        strings = next(value for _, tag, value in self.entries() if tag == 5)
        start = next(offset + strings - vaddr for vaddr, offset, size in self.loads if vaddr <= strings < vaddr + size)
        for _, tag, value in self.entries():
            if tag == wanted:
                end = self.content.index(0, start + value)
                yield self.content[start + value:end].decode()


class Workshop:
    """Makes the files that faults need; `folder` can be written to."""

    def __init__(self, folder, site, others):
        self.folder, self.site = folder, site
        self.others = others   # stem: paths of libraries of other releases

    def read(self, victim):
        return (self.site / victim).read_bytes()

    def stub(self, victim):
        """A library of the victim's names that defines nothing of use."""
        soname = next(iter(Elf(self.read(victim)).names(14)), os.path.basename(victim))
        target = self.folder / "stub.so"
        source = "int stub_only(void) { return 1; }\n"
        subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(target), f"-Wl,-soname,{soname}"], input=source.encode(), check=True)
        return target.read_bytes()

    def other(self, victim, rng):
        """A library of the same stem from another release, or None."""
        found = [path for path in self.others.get(stem(victim), []) if os.path.getsize(path) != (self.site / victim).stat().st_size]
        return rng.choice(found) if found else None

    def beside(self, name, content):
        """A directory of its own with one library in it."""
        folder = self.folder / "beside"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
        return str(folder)


def removed(shop, victim, _):
    return "", Change({victim: None})


def renamed(shop, victim, _):
    other = os.path.join(os.path.dirname(victim), stem(victim) + ".so.0")
    return os.path.basename(other), Change({victim: None, other: shop.site / victim})


def truncated(shop, victim, rng):
    content = shop.read(victim)
    kept = rng.choice([0, 40, 4096, len(content) // 2])
    return f"{kept} bytes left", Change({victim: content[:kept]})


def pointer(shop, victim, _):
    return "", Change({victim: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1234567890123\n"})


def wrong_machine(shop, victim, _):
    content = bytearray(shop.read(victim))
    struct.pack_into("<H", content, 18, EM_AARCH64)
    return "", Change({victim: bytes(content)})


def wrong_class(shop, victim, _):
    content = bytearray(shop.read(victim))
    content[4] = 1
    return "", Change({victim: bytes(content)})


def stub(shop, victim, _):
    return "", Change({victim: shop.stub(victim)})


def swapped(shop, victim, rng):
    other = shop.other(victim, rng)
    return (shop_name(other), Change({victim: pathlib.Path(other)})) if other else None


def turned_tag(shop, victim, _):
    elf = Elf(shop.read(victim))
    found = elf.search_tag()
    if not found:
        return None
    at, tag = found
    struct.pack_into("<q", elf.content, at, DT_RUNPATH if tag == DT_RPATH else DT_RPATH)
    return "RPATH made RUNPATH" if tag == DT_RPATH else "RUNPATH made RPATH", Change({victim: bytes(elf.content)})


def lost_tag(shop, victim, _):
    elf = Elf(shop.read(victim))
    found = elf.search_tag()
    if not found:
        return None
    struct.pack_into("<q", elf.content, found[0], 0x6ffffef0)  # a tag that no loader knows
    return "", Change({victim: bytes(elf.content)})


def by_library_path(shop, victim, rng):
    other = shop.other(victim, rng)
    content = pathlib.Path(other).read_bytes() if other else shop.stub(victim)
    folder = shop.beside(os.path.basename(victim), content)
    return shop_name(other) if other else "a stub", Change({}, {"LD_LIBRARY_PATH": folder})


def by_preload(shop, victim, _):
    folder = shop.beside(os.path.basename(victim), shop.stub(victim))
    return "", Change({}, {"LD_PRELOAD": f"{folder}/{os.path.basename(victim)}"})


def lost_preload(shop, victim, _):
    return "", Change({victim: None}, {"LD_PRELOAD": "/opt/libjemalloc.so.2"})


def shop_name(path):
    return "/".join(pathlib.Path(path).parts[-3:])


# What is known to be lacking: which faults, which part of the answer ("": all of it), and what.
LACKS = [
    (r"cupy-\S+: (removed|renamed) cupy/cuda/cub\.", "", "only C code imports the module early: the import is told to pass"),
    (r"cupy-\S+: (removed|renamed).*\.cpython-", "first line", "C code imports the module first, and words its failure otherwise"),
]

LARGE = 200 << 20   # of these no other content is written
KINDS = {
    "removed": removed,
    "renamed": renamed,
    "truncated": truncated,
    "a pointer of Git LFS": pointer,
    "of another machine": wrong_machine,
    "of the other class": wrong_class,
    "a stub": stub,
    "another release": swapped,
    "RPATH and RUNPATH": turned_tag,
    "without search tag": lost_tag,
    "LD_LIBRARY_PATH": by_library_path,
    "LD_PRELOAD": by_preload,
    "removed, and a preload that is not there": lost_preload,
}


def draw(shop, victims, count, seed):
    """`count` faults of one environment, always the same for a seed and the same libraries."""
    rng = random.Random(seed)
    drawn, seen = [], set()
    kinds = sorted(KINDS)
    for _ in range(count * 20):
        if len(drawn) == count:
            break
        kind, victim = rng.choice(kinds), rng.choice(victims)
        is_large = (shop.site / victim).stat().st_size > LARGE
        if (kind, victim) in seen or (is_large and kind not in ("removed", "renamed", "a pointer of Git LFS")):
            continue
        seen.add((kind, victim))
        drawn.append((kind, victim, rng.getrandbits(32)))
    return drawn


def plant(shop, kind, victim, number):
    """The fault that was drawn; None where the victim has nothing to turn or swap."""
    made = KINDS[kind](shop, victim, random.Random(number))
    return Fault(kind, victim, made[0], made[1]) if made else None
