"""A namespace (bwrap) in which fixes can be typed for real: /etc is a copy, `sudo` does nothing, and of the rest of
the machine only one folder can be written to."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import loader_trace


# Hundreds of links, which no fix writes to and which cost more than all else to copy: shown as they are.
SHOWN = [f"/etc/{name}" for name in ("alternatives", "ssl") if os.path.isdir(f"/etc/{name}")]


class Sandbox:
    """Runs commands where /etc is a copy and only `folder` can be written to."""

    def __init__(self, folder):
        self.folder = folder
        tools = folder / "bin"
        tools.mkdir()
        (tools / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
        (tools / "sudo").chmod(0o755)
        # In memory where that is possible: it is made anew for each fault.
        shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else folder
        self.kept = tempfile.TemporaryDirectory(prefix="soresolve-etc-", dir=shm)
        self.etc = pathlib.Path(self.kept.name, "etc")
        self.reset()

    def reset(self, conf=""):
        """`conf`: a line of /etc/ld.so.conf.d that ldconfig has not seen yet."""
        shutil.rmtree(self.etc, ignore_errors=True)
        shutil.copytree("/etc", self.etc, symlinks=True, ignore_dangling_symlinks=True,
                        ignore=lambda place, names: [name for name in names if f"{place}/{name}" in SHOWN])
        for place in SHOWN:
            (self.etc / os.path.basename(place)).mkdir()
        if conf:
            (self.etc / "ld.so.conf.d" / "zz-fault.conf").write_text(conf + "\n")

    def run(self, command, environment, hides_toolkits=False, binds=()):
        """(exit status, stdout, stderr); `binds`: options of bwrap for further mounts."""
        variables = dict(loader_trace.clean_environment(**environment), LC_ALL="C",
                         PATH=f"{self.folder}/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        box = ["bwrap", "--ro-bind", "/", "/", "--bind", str(self.etc), "/etc",
               *(word for place in SHOWN for word in ("--ro-bind", place, place)), "--bind", str(self.folder), str(self.folder),
               *(["--tmpfs", "/usr/local"] if hides_toolkits else []), "--tmpfs", "/var/cache", "--dev", "/dev", "--proc", "/proc",
               *binds, "--"]
        # Only the command in the sandbox gets the environment: the tools around it need none of it.
        setting = [f"{name}={value}" for name, value in variables.items()]
        done = subprocess.run([*box, "/usr/bin/env", "-i", *setting, *command],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
