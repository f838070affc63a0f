"""CUDA libraries of many releases, for asking which can stand in for which.

From Debian's non-free archives (test/support/fetch_cuda), from the package index (single nvidia
wheels), from what compare_wheels has unpacked, and from this machine's toolkit: the one of nvcc, of
CUDA_HOME, or /usr/local/cuda. What cannot be had is left out, with the reason.
"""

import os
import pathlib
import shutil
import subprocess
import time
import typing

import wheels

FETCH = pathlib.Path(__file__).resolve().parents[1] / "support" / "fetch_cuda"


class Missing(Exception):
    """A release that cannot be had here; the text says why."""


class Debian(typing.NamedTuple):
    suite: str
    packages: typing.Tuple[str, ...]

    def folders(self, deadline):
        command = [str(FETCH), self.suite, *self.packages]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=max(deadline(), 1), check=False)
        except subprocess.TimeoutExpired:
            raise Missing("no time is left to download it") from None
        if done.returncode:
            raise Missing(done.stdout.strip().splitlines()[-1])
        return [wheels.cache_root() / "cuda" / self.suite / "usr/lib/x86_64-linux-gnu"]


class Wheel(typing.NamedTuple):
    requirement: str

    def folders(self, deadline):
        folder = wheels.cache_root() / "cuda" / self.requirement.replace("==", "-")
        try:
            with wheels.locked(folder.parent / "wheels", folder.name, time.monotonic() + max(deadline(), 1)):
                if not (folder / wheels.STAMP).exists():
                    requirement = wheels.parse_requirement(self.requirement)
                    found = wheels.Wheels(time.monotonic() + deadline()).get(requirement, "3.11")
                    wheels.unpack(found, folder)
                    (folder / wheels.STAMP).write_text(found.name)
        except (wheels.Missing, wheels.NoRoom) as reason:
            raise Missing(str(reason)) from None
        return sorted(folder.glob("nvidia/*/lib"))


class Unpacked(typing.NamedTuple):
    """The nvidia parts of a set of compare_wheels, if that has run."""

    name: str

    def folders(self, _deadline):
        folder = wheels.cache_root() / "site-packages" / self.name
        if not (folder / wheels.STAMP).exists():
            raise Missing(f"compare_wheels has not unpacked {self.name}")
        return sorted(folder.glob("nvidia/*/lib"))


class Toolkit(typing.NamedTuple):
    def folders(self, _deadline):
        nvcc = shutil.which("nvcc")
        candidates = [os.environ.get("CUDA_HOME"), nvcc and pathlib.Path(nvcc).resolve().parents[1],
                      "/usr/local/cuda"]
        for root in filter(None, candidates):
            found = [path for path in (pathlib.Path(root) / "lib64",) if path.is_dir()]
            if found:
                return found
        raise Missing("no CUDA toolkit on this machine")


class Release(typing.NamedTuple):
    label: str
    source: typing.Union[Debian, Wheel, Unpacked, Toolkit]


class Family(typing.NamedTuple):
    """One library through its releases, the oldest first."""

    stem: str
    base: typing.Tuple[str, ...]  # functions that every release has
    releases: typing.Tuple[Release, ...]


def runtime(major, version):
    return Wheel(f"nvidia-cuda-runtime-cu{major}=={version}")


TOOLKIT = Release("toolkit", Toolkit())
TORCH_11 = Release("torch 1.13", Unpacked("torch-1.13.1"))
TORCH_13 = Release("torch 2.15", Unpacked("torch-2.15.0"))

FAMILIES = (
    Family("libcudart.so", ("cudaMalloc", "cudaFree", "cudaMemcpy", "cudaGetDeviceCount"), (
        Release("11.2 deb", Debian("bullseye", ("libcudart11.0",))),
        Release("11.7", runtime(11, "11.7.99")),
        Release("11.8", runtime(11, "11.8.89")),
        Release("11.8 deb", Debian("bookworm", ("libcudart11.0",))),
        Release("12.1", runtime(12, "12.1.105")),
        Release("12.4", runtime(12, "12.4.127")),
        Release("12.4 deb", Debian("trixie", ("libcudart12",))),
        Release("12.6", runtime(12, "12.6.77")),
        Release("12.8", runtime(12, "12.8.90")),
        TOOLKIT, TORCH_13)),
    Family("libnvJitLink.so", (), (  # its names carry the release
        Release("12.1", Wheel("nvidia-nvjitlink-cu12==12.1.105")),
        Release("12.4 deb", Debian("trixie", ("libnvjitlink12",))),
        Release("12.8", Wheel("nvidia-nvjitlink-cu12==12.8.93")),
        TOOLKIT)),
    Family("libcurand.so", ("curandCreateGenerator", "curandGenerateUniform"), (
        Release("11.2 deb", Debian("bullseye", ("libcurand10",))),
        Release("11.8 deb", Debian("bookworm", ("libcurand10",))),
        Release("12.4 deb", Debian("trixie", ("libcurand10",))),
        TOOLKIT)),
    Family("libnvrtc.so", ("nvrtcVersion", "nvrtcCreateProgram", "nvrtcGetPTX"), (
        Release("11.2 deb", Debian("bullseye", ("libnvrtc11.2",))),
        Release("11.8 deb", Debian("bookworm", ("libnvrtc11.2",))),
        Release("12.4 deb", Debian("trixie", ("libnvrtc12",))),
        TOOLKIT)),
    Family("libnvToolsExt.so", ("nvtxRangePushA", "nvtxRangePop"), (
        Release("11.2 deb", Debian("bullseye", ("libnvtoolsext1",))),
        Release("11.8 deb", Debian("bookworm", ("libnvtoolsext1",))),
        Release("12.4 deb", Debian("trixie", ("libnvtoolsext1",))))),
    Family("libcublas.so", ("cublasCreate_v2", "cublasSgemm_v2"), (
        Release("11.2 deb", Debian("bullseye", ("libcublas11", "libcublaslt11"))),
        TORCH_11,
        Release("12.4 deb", Debian("trixie", ("libcublas12", "libcublaslt12"))),
        TOOLKIT, TORCH_13)),
    Family("libcudnn.so", ("cudnnCreate", "cudnnGetVersion"), (TORCH_11, TOOLKIT, TORCH_13)),
    Family("libcudnn_graph.so", (), (TOOLKIT, TORCH_13)),
    Family("libnccl.so", ("ncclGetVersion", "ncclCommInitAll"), (TOOLKIT, TORCH_13)),
)


class Library(typing.NamedTuple):
    label: str
    path: pathlib.Path            # the file itself
    folders: typing.List[str]     # where the libraries are that it needs


def find_library(family, release, deadline):
    """The Library of one release; `deadline()` tells how many seconds are left. Raises Missing."""
    folders = release.source.folders(deadline)
    for folder in folders:
        found = sorted(path for path in folder.glob(family.stem + ".[0-9]*") if path.is_file())
        if found:
            return Library(release.label, found[0].resolve(), [str(path) for path in folders])
    raise Missing(f"no {family.stem} in it")
