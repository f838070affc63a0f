"""A namespace (bwrap) in which fixes can be typed for real: /etc is a copy, `sudo` does nothing, and of the rest of
the machine only one folder can be written to."""

import shutil
import subprocess

import loader_trace


class Sandbox:
    """Runs commands where /etc is a copy and only `folder` can be written to."""

    def __init__(self, folder):
        self.folder = folder
        tools = folder / "bin"
        tools.mkdir()
        (tools / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
        (tools / "sudo").chmod(0o755)
        self.etc = folder / "etc"
        self.reset()

    def reset(self, conf=""):
        """`conf`: a line of /etc/ld.so.conf.d that ldconfig has not seen yet."""
        shutil.rmtree(self.etc, ignore_errors=True)
        shutil.copytree("/etc", self.etc, symlinks=True, ignore_dangling_symlinks=True)
        if conf:
            (self.etc / "ld.so.conf.d" / "zz-fault.conf").write_text(conf + "\n")

    def run(self, command, environment, hides_toolkits=False, binds=()):
        """(exit status, stdout, stderr); `binds`: options of bwrap for further mounts."""
        variables = dict(loader_trace.clean_environment(**environment), LC_ALL="C",
                         PATH=f"{self.folder}/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        box = ["bwrap", "--ro-bind", "/", "/", "--bind", str(self.etc), "/etc", "--bind", str(self.folder), str(self.folder),
               *(["--tmpfs", "/usr/local"] if hides_toolkits else []), "--tmpfs", "/var/cache", "--dev", "/dev", "--proc", "/proc",
               *binds, "--"]
        # Only the command in the sandbox gets the environment: the tools around it need none of it.
        setting = [f"{name}={value}" for name, value in variables.items()]
        done = subprocess.run([*box, "/usr/bin/env", "-i", *setting, *command],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
