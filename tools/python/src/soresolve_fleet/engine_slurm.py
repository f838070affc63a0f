"""Slurm: a batch script that starts one task on each node, and the collecting of what they wrote.

Slurm places, limits and ends the tasks; its own options pass through (--sbatch). Answers go to the folder of the run,
which all nodes must see. Nodes need Python 3.9 and nothing else.

A job that names a node which is down waits for it, and all others with it. So nodes that Slurm reports as down, drained
or unknown when the script is written are not in it; each of them is a row all the same.
"""
import json
import os
import shlex
import shutil
import stat
import subprocess

from soresolve_fleet import facts as fact_tables
from soresolve_fleet import private
from soresolve_fleet import probe
from soresolve_fleet.engine_local import missing_row
from soresolve_fleet.engine_ray import package_archive


_ABSENT = ("down", "drain", "fail", "unk", "power", "maint", "reboot", "future")


def _absent(names):
    """Why, for each node that Slurm cannot start a task on now. Empty where there is no Slurm to be asked."""
    try:
        asked = subprocess.run(["sinfo", "--noheader", "--Node", "--nodes=" + ",".join(names),
                                "--format=%N|%T|%E"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    if asked.returncode:
        return {}
    found = {}
    for line in asked.stdout.splitlines():
        name, state, reason = (line.strip().split("|", 2) + ["", ""])[:3]
        if state.endswith("*") or state.startswith(_ABSENT):
            found[name] = f"Slurm reports this node as {state.rstrip('*')}" + (
                f": {reason}" if reason not in ("", "none") else "")
        else:
            found.pop(name, None)
    return found


def write_job(request, recorder, settings):
    """The path of the batch script. settings: command_bytes (or None), groups, expected (names), sbatch (lines)."""
    work = private.Folder(recorder.work).path  # what is in it runs as this user
    archive = os.path.join(work, "soresolve-fleet.pyz")
    with open(archive, "wb") as file:
        file.write(package_archive())
    if settings["command_bytes"] is not None:
        request = dict(request, command=os.path.join(work, "soresolve"))
        with open(request["command"], "wb") as file:
            file.write(settings["command_bytes"])
        os.chmod(request["command"], 0o755)
    request = dict(request, store=recorder.store.parts, incoming=os.path.join(work, "incoming"),
                   groups=settings["groups"])
    with open(os.path.join(work, "request.json"), "w", encoding="utf-8") as file:
        json.dump(request, file)
    absent = _absent(settings["expected"]) if settings["expected"] else {}
    with open(os.path.join(work, "absent.json"), "w", encoding="utf-8") as file:
        json.dump(absent, file)
    if settings["expected"]:
        with open(os.path.join(work, "expected"), "w", encoding="utf-8") as file:
            file.write("".join(name + "\n" for name in settings["expected"]))
    minutes = int(request["timeout_s"] // 60) + 2
    quoted = {name: shlex.quote(os.path.join(work, name)) for name in ("expected", "request.json")}
    lines = ["#!/bin/bash",
             "#SBATCH --job-name=soresolve-fleet",
             "#SBATCH --ntasks-per-node=1",
             "#SBATCH --no-kill",
             f"#SBATCH --time={minutes}",
             f"#SBATCH --mem={request['memory_mib']}",
             f"#SBATCH --output={work}/slurm-%j.out"]
    present = [name for name in settings["expected"] if name not in absent]
    if settings["expected"] and not present:
        raise ValueError("Slurm reports all of these nodes as down: sinfo --list-reasons")
    if present:
        lines += [f"#SBATCH --nodes={len(present)}", "#SBATCH --nodelist=" + ",".join(present)]
    lines += [f"#SBATCH {line}" for line in settings["sbatch"]]
    lines += ["",
              "# All nodes of the job, so that one without an answer is a row.",
              f"[ -e {quoted['expected']} ] || scontrol show hostnames \"$SLURM_JOB_NODELIST\" > {quoted['expected']}",
              "srun --ntasks-per-node=1 --no-kill --wait=0 --kill-on-bad-exit=0 "
              f"python3 -I {shlex.quote(archive)} probe {quoted['request.json']}",
              ""]
    path = os.path.join(work, "job.sbatch")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def collect(recorder):
    """Adds what the nodes wrote; nodes without an answer become rows. Returns how many have none."""
    with open(os.path.join(recorder.work, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    incoming, damaged, expected = request["incoming"], {}, []
    path = os.path.join(recorder.work, "expected")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            expected = file.read().split()

    def add(name, status, reason):
        place = request["place"].replace("{name}", name)
        row = missing_row(dict(request, name=name, group=request["groups"].get(name, ""), place=place), status, reason)
        row["attempts"] = probe.starts_of(incoming, name)
        recorder.add(row, None, None)

    names = {probe.answer_name(name): name for name in expected}
    for file in sorted(os.listdir(incoming) if os.path.isdir(incoming) else []):
        if file.startswith("."):
            continue
        try:
            row, packed = probe.read_answer(os.path.join(incoming, file))
            if recorder.done.get(row["name"], "down") in fact_tables.AGAIN:
                recorder.add(row, lambda packed=packed: fact_tables.decompressed(packed), None)
        except ValueError as error:
            damaged[names.get(file, "incoming/" + ascii(file)[1:-1])] = f"its answer is damaged: {error}"
    absent, path = {}, os.path.join(recorder.work, "absent.json")
    if os.path.exists(path):  # not in a run that an earlier release began
        with open(path, encoding="utf-8") as file:
            absent = json.load(file)
    missing = [name for name in expected if name not in recorder.done]
    for name in missing:
        attempts = probe.starts_of(incoming, name)
        if name in damaged:
            continue
        if name in absent and not attempts:
            add(name, "down", absent[name])
        else:
            add(name, "lost", "no answer: its node or process was ended while the task ran" if attempts
                else "no answer: Slurm did not start the task there")
    for name, reason in damaged.items():
        if recorder.done.get(name, "down") in fact_tables.AGAIN:
            add(name, "damaged", reason)
    recorder.flush()
    return len({*missing, *damaged})


def forget(recorder):
    """What only the job needed."""
    shutil.rmtree(os.path.join(recorder.work, "incoming"), ignore_errors=True)
