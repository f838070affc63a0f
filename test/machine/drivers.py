"""Drivers of ten branches, from Debian's non-free archives: unpacked, never installed."""

import pathlib
import typing

import cuda_libraries


class Packages(typing.NamedTuple):
    branch: int
    suite: str
    folder: str  # below the libraries of the suite
    packages: typing.Tuple[str, ...]


def tesla(branch, suite):
    names = [f"libnvidia-tesla-{branch}-cuda1", f"libnvidia-tesla-{branch}-ptxjitcompiler1"]
    if branch < 450:
        names.append(f"libnvidia-tesla-{branch}-fatbinaryloader")
    return Packages(branch, suite, f"nvidia/tesla-{branch}", tuple(names))


CURRENT = ("libcuda1", "libnvidia-ptxjitcompiler1")
DRIVERS = (
    Packages(340, "sid", "nvidia/legacy-340xx", ("libnvidia-legacy-340xx-cuda1",)),
    Packages(390, "bullseye", "nvidia/legacy-390xx",
             ("libnvidia-legacy-390xx-cuda1", "libnvidia-legacy-390xx-fatbinaryloader",
              "libnvidia-legacy-390xx-ptxjitcompiler1")),
    tesla(418, "bullseye"),
    tesla(450, "bullseye"),
    tesla(460, "bullseye"),
    Packages(470, "bullseye", "nvidia/current", CURRENT),
    Packages(525, "bookworm", "nvidia/tesla", ("libnvidia-tesla-cuda1", "libnvidia-tesla-ptxjitcompiler1")),
    Packages(535, "bookworm", "nvidia/current", CURRENT),
    Packages(550, "trixie", "nvidia/current", CURRENT),
    Packages(555, "experimental", "nvidia/current", CURRENT),
)


class Driver(typing.NamedTuple):
    branch: int
    version: str
    library: pathlib.Path          # libcuda.so.VERSION
    folders: typing.List[str]      # where it and what it needs lie

    def link(self):
        """The name by which programs ask for it; unpacked packages lack some of their links."""
        return self.library.parent / "libcuda.so.1"


def find_driver(packages, deadline):
    """A Driver; `deadline()` tells how many seconds are left. Raises cuda_libraries.Missing."""
    [folder] = cuda_libraries.Debian(packages.suite, packages.packages).folders(deadline)
    found = sorted((folder / packages.folder).glob(f"libcuda.so.{packages.branch}.*"))
    if not found:
        raise cuda_libraries.Missing(f"no libcuda of {packages.branch} in it")
    version = found[-1].name[len("libcuda.so."):]
    return Driver(packages.branch, version, found[-1], [str(found[-1].parent), str(folder)])
