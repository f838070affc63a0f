"""Ray: a task for each request; Ray queues, places, retries and limits it.

A snapshot's task is pinned to its node (NodeAffinitySchedulingStrategy, soft=False): Ray fails it when the node dies,
and that becomes a row. It takes no CPU of Ray's, so that a node whose CPUs are all lent answers too. A scan's task
goes where there is room, and is retried elsewhere when its node dies (max_retries).
The nodes need Ray and nothing else: the command and this package travel through Ray's object store, once for each node.

The facts and the parts of a snapshot are return values of their own. Ray brings a return value to the driver when it is
asked for, and the driver asks for what it has not yet: of 4,000 like nodes one sends its snapshot.
"""
import hashlib
import io
import os
import time
import zipfile
import zlib

from soresolve_fleet.engine_local import missing_row
from soresolve_fleet.snapshot_parts import MOST_PARTS


def package_archive():
    """This package as a zip archive: the same sources give the same bytes."""
    folder = os.path.dirname(os.path.abspath(__file__))
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb") as file:
                    archive.writestr(zipfile.ZipInfo("soresolve_fleet/" + name), file.read())
        archive.writestr(zipfile.ZipInfo("__main__.py"),
                         "import runpy\nrunpy.run_module('soresolve_fleet', run_name='__main__')\n")
    return data.getvalue()


def _perform(archive, command, request):
    """On the node. Returns the row, the packed facts, and MOST_PARTS parts.

    `archive`, `command`: (digest, [reference of the bytes]); in a list, so that Ray brings them only where they are
    new.
    """
    import os as node_os
    import sys as node_sys
    import tempfile as node_tempfile

    import ray as node_ray

    if "soresolve_fleet_sent" not in node_sys.modules:
        folder = node_os.path.join(node_tempfile.gettempdir(), f"soresolve-fleet-{node_os.getuid()}")
        node_os.makedirs(folder, mode=0o700, exist_ok=True)
        path = node_os.path.join(folder, archive[0] + ".zip")
        if not node_os.path.exists(path):
            with node_tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                file.write(node_ray.get(archive[1][0]))
            node_os.replace(file.name, path)
        for name in [name for name in node_sys.modules if name.partition(".")[0] == "soresolve_fleet"]:
            del node_sys.modules[name]
        node_sys.path.insert(0, path)
        node_sys.modules["soresolve_fleet_sent"] = node_sys
    from soresolve_fleet import probe

    if command is not None:
        request["command"] = probe.place_command(lambda: node_ray.get(command[1][0]), command[0])
        request["command_digest"] = command[0]
    answer = probe.perform(request)
    parts = answer.parts + [b""] * (MOST_PARTS - len(answer.parts))
    return (answer.row, answer.packed, *parts)


def _sent(data):
    import ray

    return hashlib.sha256(data).hexdigest(), [ray.put(data)]


def nodes(label=None):
    """Nodes of the cluster, those that have left it as well: (name, node id, is alive, address, group)."""
    import ray

    found = []
    for node in ray.nodes():
        name = node.get("NodeName") or node["NodeManagerAddress"]
        group = str(node.get("Labels", {}).get(label, "")) if label else ""
        found.append((name, node["NodeID"], node["Alive"], node["NodeManagerAddress"], group))
    return found


def run(requests, recorder, settings):
    """As engine_local.run(). settings: retries, options (of the task, for Ray), pending (tasks at a time in Ray's queue).

    A request with "node_id" is pinned there; one with "is_down" has left the cluster and becomes a row at once.
    """
    import ray
    from ray import cloudpickle
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    import soresolve_fleet.engine_ray as this

    cloudpickle.register_pickle_by_value(this)
    try:
        archive = package_archive()
        sent_archive, sent_command = _sent(archive), None
        if settings.get("command_bytes"):
            sent_command = _sent(settings["command_bytes"])
        task = ray.remote(_perform)
        waiting = iter(requests)
        running, deadlines = {}, {}
        has_more = True
        while has_more or running:
            while has_more and len(running) < settings["pending"]:
                request = next(waiting, None)
                if request is None:
                    has_more = False
                    break
                if request.get("is_down"):
                    recorder.add(missing_row(request, "down", "Ray reports this node as dead"), None, None)
                    continue
                options = {"num_returns": 2 + MOST_PARTS, "max_retries": settings["retries"]}
                if settings.get("reserve_memory"):
                    options["memory"] = request["memory_mib"] << 20
                options.update(settings.get("options") or {})
                if "node_id" in request:
                    options.setdefault("num_cpus", 0)
                    options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(request["node_id"], soft=False)
                sent = {key: value for key, value in request.items() if key not in ("node_id", "is_down")}
                refs = task.options(**options).remote(sent_archive, sent_command, dict(sent, engine="ray"))
                running[refs[0]] = (request, refs)
                if "node_id" in request:
                    deadlines[refs[0]] = time.monotonic() + request["timeout_s"] + settings["grace_s"]
            if not running:
                continue
            ready, _ = ray.wait(list(running), num_returns=1, timeout=1.0)
            for ref in ready:
                request, refs = running.pop(ref)
                deadlines.pop(ref, None)
                _take(request, refs, recorder)
            now = time.monotonic()
            for ref in [ref for ref, end in deadlines.items() if end < now]:
                request, refs = running.pop(ref)
                del deadlines[ref]
                ray.cancel(ref, force=True)
                seconds = request["timeout_s"] + settings["grace_s"]
                recorder.add(missing_row(request, "timeout", f"no answer within {seconds:g} s"), None, None)
    finally:
        cloudpickle.unregister_pickle_by_value(this)


def _take(request, refs, recorder):
    """One finished task: its row, and of its values what is new."""
    import ray

    try:
        row = ray.get(refs[0])
        recorder.add(row, lambda: zlib.decompress(ray.get(refs[1])),
                     lambda index: ray.get(refs[2 + index]))
    except ray.exceptions.TaskUnschedulableError:
        recorder.add(missing_row(request, "lost", "Ray cannot place the task on this node: it has left the cluster, or "
                                 "lacks what --ray-options asks for"), None, None)
    except (ray.exceptions.NodeDiedError, ray.exceptions.ObjectLostError, ray.exceptions.OwnerDiedError) as error:
        recorder.add(missing_row(request, "lost", "the node left the cluster while its task ran "
                                 f"({type(error).__name__})"), None, None)
    except ray.exceptions.OutOfMemoryError:
        recorder.add(missing_row(request, "memory", "Ray ended the task: its node ran out of memory"), None, None)
    except (ray.exceptions.RayError, ValueError, OSError) as error:
        first = (str(error).strip().splitlines() or [""])[0]
        recorder.add(missing_row(request, "lost", f"{type(error).__name__}: {first[:300]}"), None, None)
