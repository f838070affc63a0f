"""The loaders of other releases: Debian's packages of glibc and musl, which test/support/fetch_* unpack into the test cache
when a test asks for them."""

import pathlib
import subprocess

import wheels

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
GLIBC = ("bullseye", "bookworm", "trixie", "sid")  # 2.31, 2.36, 2.41, and the newest


def find(kind, suite):
    """The folder of `kind` ("glibc", "musl") of a suite, named as the release is ("2.36"); None, and a line of why."""
    done = subprocess.run([SUPPORT / f"fetch_{kind}", suite], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print(f"SKIPPED {kind} of {suite}: {(done.stdout.splitlines() or ['?'])[-1]}", flush=True)
        return None
    return (wheels.cache_root() / kind / suite).resolve()
