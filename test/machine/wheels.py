"""Wheels as pip would lay them out, without installing or importing anything.

Each set is one release of torch with the nvidia parts that its METADATA requires, or another package
without them. Wheels are downloaded with pip, and unpacked once, into a cache outside the repository:
${SORESOLVE_TEST_CACHE:-$HOME/.cache/soresolve-test}/wheels and .../site-packages/<set>.
A part that the package index does not have (some mirrors lack single versions) is taken in another
version, or left out, and named: a library that is really missing is a case, too.

Tests call this when they need a wheel, several at once and in any order. Each wheel and each set has a lock, is moved
into its place when it is whole, and is waited for no longer than the deadline. Where the package index did not answer it
is not asked again for some minutes.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import typing
import zipfile


class WheelSet(typing.NamedTuple):
    name: str
    requirement: str
    python: str  # whose ABI to ask pip for
    has_parts: bool = True  # with the nvidia parts that it requires


SETS = [
    WheelSet("torch-1.13.1", "torch==1.13.1", "3.10"),
    WheelSet("torch-2.15.0", "torch==2.15.0", "3.11"),
]

# Extension modules of other packages, without the nvidia parts that they can be given.
MODULE_SETS = [
    WheelSet("onnxruntime-gpu-1.31.1", "onnxruntime-gpu==1.31.1", "3.11", False),
    WheelSet("cupy-14.2.0", "cupy-cuda12x==14.2.0", "3.11", False),
]

PLATFORMS = ["manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_x86_64"] + [
    f"manylinux_2_{minor}_x86_64" for minor in (17, 24, 25, 26, 27, 28, 31)]

STAMP = ".unpacked.json"
FREE_BYTES = 12 << 30  # all wheels of both sets, packed and unpacked
SILENCE = re.compile(r"NewConnectionError|ConnectTimeout|ReadTimeout|NameResolutionError|ProxyError|Connection (aborted|refused)")
SECONDS_UNTIL_ASKED_AGAIN = 180


class Requirement(typing.NamedTuple):
    name: str
    extras: typing.List[str]
    version: str  # as in the METADATA: "==8.5.0.96", "<14,>=13.2", ""
    marker: str


class Missing(Exception):
    """A wheel that is not in the cache, and that the package index does not have, either."""


class NoRoom(Exception):
    """The time or the disk for downloading is used up, or the package index does not answer; the text says which."""


def cache_root():
    chosen = os.environ.get("SORESOLVE_TEST_CACHE")
    return pathlib.Path(chosen) if chosen else pathlib.Path.home() / ".cache" / "soresolve-test"


def parse_requirement(text):
    """A Requirement from one Requires-Dist value, old spelling (`name (==1)`) or new."""
    match = re.match(r"\s*([\w.-]+)\s*(?:\[([^]]*)\])?\s*\(?([^;)]*)\)?\s*(?:;(.*))?$", text)
    name, extras, version, marker = match.groups()
    return Requirement(name, [extra.strip() for extra in (extras or "").split(",") if extra.strip()],
                       version.strip(), (marker or "").strip())


def requirements_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode()
    return [parse_requirement(line.split(":", 1)[1]) for line in text.splitlines()
            if line.startswith("Requires-Dist:")]


def shared_objects_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return [name for name in archive.namelist() if re.search(r"\.so(\.|$)", name)]


class Wheels:
    """The wheel files in the cache, downloaded on demand until `deadline` (of time.monotonic)."""

    def __init__(self, deadline, free_bytes=FREE_BYTES):
        self.folder = cache_root() / "wheels"
        self.deadline = deadline
        self.free_bytes = free_bytes

    def find(self, requirement):
        """The newest cached file that `requirement` (its name and `==` version) allows, or None."""
        stem = re.sub(r"[-_.]+", "_", requirement.name).lower()
        exact = re.match(r"==([^*]*?)(\.\*)?$", requirement.version)
        found = []
        for path in sorted(self.folder.glob("*.whl")):
            name, version = path.name.split("-")[:2]
            if name.lower() != stem:
                continue
            if exact and version != exact[1] and not (exact[2] and version.startswith(exact[1] + ".")):
                continue
            found.append(path)
        return found[-1] if found else None

    def download(self, requirement, python):
        """Leaves what pip finds for `requirement` in the cache. Raises NoRoom."""
        wanted = requirement.name + requirement.version
        if self.deadline <= time.monotonic():
            raise NoRoom(f"{wanted} is not in {self.folder}, and there is no time to download it")
        self.folder.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(self.folder).free < self.free_bytes:
            raise NoRoom(f"{wanted} is not in {self.folder}, and {self.free_bytes >> 20} MiB are not free there")
        with locked(self.folder, re.sub(r"[-_.]+", "-", requirement.name).lower(), self.deadline):
            if self.find(requirement) is None:  # or another process was faster
                print(f"  downloading {wanted}", flush=True)
                download(wanted, self.folder, self.deadline, python, PLATFORMS)

    def get(self, requirement, python):
        """The wheel file for `requirement`. Raises Missing, NoRoom."""
        found = self.find(requirement)
        if found is None:
            self.download(requirement, python)
            found = self.find(requirement)
        if found is None and time.monotonic() > self.deadline:
            raise NoRoom(f"no time is left to download {requirement.name}{requirement.version}")
        if found is None:
            raise Missing(f"{requirement.name}{requirement.version}")
        return found


def parts_of(wheel, wheels, python):
    """(name, version) of what `wheel` requires from nvidia, the cuda-toolkit package resolved."""
    parts = []
    for requirement in requirements_of(wheel):
        if requirement.name == "cuda-toolkit":
            for part in requirements_of(wheels.get(requirement, python)):
                extra = re.search(r"extra == ['\"]([\w-]+)['\"]", part.marker)
                if extra and extra[1] in requirement.extras:
                    parts.append((part.name, part.version))
        elif requirement.name.startswith("nvidia-"):
            parts.append((requirement.name, requirement.version))
    return list(dict.fromkeys(parts))


def collect(wheel_set, wheels):
    """(wheel files, notes on parts that differ or are absent) of a set. Raises Missing, NoRoom."""
    torch = wheels.get(parse_requirement(wheel_set.requirement), wheel_set.python)
    files, notes = [torch], []
    for name, version in parts_of(torch, wheels, wheel_set.python) if wheel_set.has_parts else []:
        for wanted in (version, ""):
            try:
                found = wheels.get(Requirement(name, [], wanted, ""), wheel_set.python)
            except Missing:
                continue
            if shared_objects_in(found):
                files.append(found)
                if not wanted:
                    notes.append(f"{name} is {found.name.split('-')[1]} instead of {version}")
                break
        else:
            notes.append(f"{name}{version} is not to be had")
    return files, notes


def unpack(wheel, folder):
    """Lays the wheel out in `folder` as pip would, without its C and C++ headers."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if "/include/" in member.filename or member.is_dir():
                continue
            path = archive.extract(member, folder)
            if member.external_attr >> 16 & 0o111:
                os.chmod(path, 0o755)


@contextlib.contextmanager
def locked(folder, name="", deadline=None):
    """Keeps two runs from making one thing at once. Raises NoRoom where the other takes until `deadline`."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f".lock{name and '-'}{name}", "w", encoding="utf-8") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (fcntl.LOCK_NB if deadline else 0))
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise NoRoom(f"another process is at work on {folder / name}") from None
                time.sleep(0.2)
        yield


def scratch(prefix):
    """A folder for a while on the file system of the cache, so that its files can be linked; no test looks there."""
    place = cache_root() / "scratch"
    place.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix=f"soresolve-{prefix}-", dir=place)


def download(wanted, folder, deadline, python="", platforms=()):
    """Moves the wheel that pip finds for `wanted` into `folder`, whole or not at all; without a `python` one for any.
    Raises NoRoom where the package index does not answer."""
    silence = cache_root() / "wheels" / ".silence"
    silence.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        ago = time.time() - silence.stat().st_mtime
        if 0 <= ago < SECONDS_UNTIL_ASKED_AGAIN:
            raise NoRoom(f"{wanted} is not in the cache, and the package index did not answer {ago:.0f} s ago")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--retries", "3", "--timeout", "20",
               "--no-deps", "--only-binary=:all:"]
    command += ["--implementation", "cp", "--python-version", python] if python else []
    for platform in platforms:
        command += ["--platform", platform]
    with scratch("download") as place:
        try:
            done = subprocess.run([*command, "--dest", place, wanted], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  errors="replace", timeout=max(deadline - time.monotonic(), 1), check=False)
        except subprocess.TimeoutExpired:
            return
        if done.returncode and SILENCE.search(done.stderr):
            silence.touch()
            raise NoRoom(f"{wanted} is not in the cache, and the package index does not answer")
        folder.mkdir(parents=True, exist_ok=True)
        for wheel in pathlib.Path(place).glob("*.whl"):
            wheel.replace(folder / wheel.name)


def site_packages(wheel_set, deadline):
    """(folder, notes) of the unpacked set; downloads and unpacks on first use, the former until
    `deadline`. Raises Missing, NoRoom."""
    folder = cache_root() / "site-packages" / wheel_set.name
    stamp = folder / STAMP
    if not stamp.exists():
        with locked(folder.parent, wheel_set.name, max(deadline, time.monotonic() + SECONDS_UNTIL_ASKED_AGAIN)):
            if not stamp.exists():
                lay_out(wheel_set, folder, deadline)
    return folder, json.loads(stamp.read_text())["notes"]


def lay_out(wheel_set, folder, deadline):
    files, notes = collect(wheel_set, Wheels(deadline))
    with scratch("unpacking") as name:
        place = pathlib.Path(name) / wheel_set.name
        for wheel in files:
            print(f"  unpacking {wheel.name}", flush=True)
            unpack(wheel, place)
        (place / STAMP).write_text(json.dumps({"wheels": [w.name for w in files], "notes": notes}, indent=1))
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was broken off
        place.replace(folder)
