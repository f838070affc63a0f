"""Roots for tests of the fleet: programs of this machine with what they load, and faults that are planted in copies."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

PROGRAMS = ("/usr/bin/ls", "/usr/bin/tar", "/usr/bin/find", "/usr/bin/sed")
MISSING = "libpcre2-8.so.0"  # what libselinux needs, which they need
OTHER = "libacl.so.1"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def make_root(soresolve, folder):
    """PROGRAMS and their libraries, at their places."""
    folder = pathlib.Path(folder)
    paths = set()
    for program in PROGRAMS:
        if not os.path.exists(program):
            skip(f"no {program} here")
        listed = subprocess.run([soresolve, "ldd", program], capture_output=True, text=True, check=True).stdout
        paths |= {program, *re.findall(r"(?:=> |^\t)(/\S+)", listed, re.M)}
    for name in (MISSING, OTHER):
        if not any(path.endswith("/" + name) for path in paths):
            skip(f"the programs here do not load {name}")
    for path in sorted(paths):
        target = folder / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o755)
        os.utime(target, (1_600_000_000, 1_600_000_000))
    (folder / "etc").mkdir(exist_ok=True)
    return folder


def copy_root(root, to, times=None):
    """A copy; with other times, if they are given."""
    shutil.copytree(root, to)
    if times is not None:
        for path in pathlib.Path(to).rglob("*"):
            os.utime(path, (times, times))
    return pathlib.Path(to)


def library(root, name):
    return next(pathlib.Path(root).rglob(name))


def plant_missing(root):
    library(root, MISSING).unlink()


def plant_other_content(root):
    """Another build: its build id differs, and nothing else that can be seen from outside."""
    path = library(root, OTHER)
    data = bytearray(path.read_bytes())
    at = data.index(b"GNU\0", data.index(b"\x03\0\0\0GNU\0")) + 4
    data[at] ^= 0xff
    times = path.stat()
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def plant_preload(root):
    """Every program loads one library more, first."""
    (pathlib.Path(root) / "etc/ld.so.preload").write_text("/" + str(library(root, OTHER).relative_to(root)) + "\n")


def oci_layout(folder, root, tag):
    """An OCI layout of one layer, which is the same for each tag."""
    folder.mkdir()
    blobs = folder / "blobs/sha256"
    blobs.mkdir(parents=True)
    layer = subprocess.run(["tar", "-C", root, "--sort=name", "--mtime=@0", "-cf", "-", "."], capture_output=True,
                           check=True).stdout

    def blob(data):
        digest = hashlib.sha256(data).hexdigest()
        (blobs / digest).write_bytes(data)
        return {"digest": f"sha256:{digest}", "size": len(data)}

    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    layer_entry = dict(blob(layer), mediaType="application/vnd.oci.image.layer.v1.tar")
    config = dict(blob(json.dumps({"architecture": machine, "os": "linux", "author": tag, "config": {}, "rootfs": {
        "type": "layers", "diff_ids": [layer_entry["digest"]]}}).encode()),
        mediaType="application/vnd.oci.image.config.v1+json")
    manifest = dict(blob(json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                                     "config": config, "layers": [layer_entry]}).encode()),
                    mediaType="application/vnd.oci.image.manifest.v1+json")
    (folder / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [manifest]}))
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')


class Fleet:
    """Runs `soresolve-fleet`, and counts what is not as it has to be."""

    def __init__(self, source, python, soresolve, folder):
        self.python, self.folder = python, pathlib.Path(folder)
        self.environment = dict(os.environ, PYTHONPATH=source, SORESOLVE=soresolve, LC_ALL="C.UTF-8",
                                TMPDIR=str(folder), RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")
        self.faults = []

    def arguments(self, *arguments):
        return [self.python, "-m", "soresolve_fleet", *map(str, arguments)]

    def run(self, *arguments, status=None):
        done = subprocess.run(self.arguments(*arguments), capture_output=True, text=True, env=self.environment,
                              cwd=self.folder, timeout=120)
        if status is not None and done.returncode != status:
            self.faults.append(f"{arguments}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
        return done

    def start(self, *arguments):
        return subprocess.Popen(self.arguments(*arguments), env=self.environment, cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def sql(self, out, query):
        done = self.run("sql", out, query, "--json", status=0)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def expect(self, what, got, wanted):
        if got != wanted:
            self.faults.append(f"{what}: {got!r}, not {wanted!r}")

    def expect_in(self, what, text, *parts):
        for part in parts:
            if part not in text:
                self.faults.append(f"{what}: nothing of {part!r} in\n{text}")

    def end(self, good):
        for fault in self.faults:
            print(fault)
        if not self.faults:
            print(good)
        sys.exit(1 if self.faults else 0)
