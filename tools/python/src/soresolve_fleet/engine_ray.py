"""Ray: tasks of one node, or of a batch of places; Ray queues, places and limits them.

A snapshot's task is pinned to its node (NodeAffinitySchedulingStrategy, soft=False): Ray fails it when the node dies,
and that becomes a row. It takes no CPU of Ray's, so that a node whose CPUs are all lent answers too. A scan's task
goes where there is room. The nodes need Ray and nothing else: the command and this package travel through Ray's object
store, once for each node.

A task is a generator: it gives a mark when it begins, then the answer to each of its requests when that is there. So a
batch of small places costs Ray one task, and what is lost with a worker or a node is the one request that was at work:
the others are answered, or have not begun. It is done again alone, elsewhere if Ray likes, `--retries` times. That is not
left to Ray's max_retries, which would begin the whole batch again, and does not say how often.

The facts, if they are many, and the parts of a snapshot are values of their own. Ray brings a value to the driver when
it is asked for, and the driver asks for what it has not yet: of 4,000 like nodes one sends its snapshot.
"""
import collections
import hashlib
import io
import os
import time
import zipfile

from soresolve_fleet import facts as fact_tables
from soresolve_fleet.engine_local import missing_row
from soresolve_fleet.private import of_user

_BATCH_S = 0.5  # so long is a batch to take
_MOST_IN_A_BATCH = 64


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


def _perform(archive, command, requests):
    """On the node. Gives None, then for each request: (row, packed facts or None where they are many), the packed facts
    if they are many, the parts.

    `archive`, `command`: (digest, [reference of the bytes]); in a list, so that Ray brings them only where they are
    new.
    """
    import sys as node_sys

    import ray as node_ray

    yield None
    if "soresolve_fleet_sent" not in node_sys.modules:
        path = of_user().put_content(archive[0], lambda: node_ray.get(archive[1][0]), archive[0] + ".zip")
        for name in [name for name in node_sys.modules if name.partition(".")[0] == "soresolve_fleet"]:
            del node_sys.modules[name]
        node_sys.path.insert(0, path)
        node_sys.modules["soresolve_fleet_sent"] = node_sys
    from soresolve_fleet import probe

    if command is not None:
        path = probe.place_command(lambda: node_ray.get(command[1][0]), command[0])
    for request in requests:
        if command is not None:
            request["command"], request["command_digest"] = path, command[0]
        answer = probe.perform(request)
        is_small = len(answer.packed) < 32_000
        yield answer.row, answer.packed if is_small else None
        if not is_small:
            yield answer.packed
        for part in answer.parts:  # not `yield from`: Ray sends into what it iterates over
            yield part


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


class _Job:
    """A task of Ray's. `requests`: those without an answer yet, the first of them at work once the task has begun."""

    def __init__(self, requests, values, deadline):
        self.requests, self.values, self.deadline = collections.deque(requests), values, deadline

    def take(self, recorder, queue):
        """One answer, or the mark. False where it was the last. Raises ValueError where an answer is damaged, and what
        Ray raises where the task or its node was lost."""
        import ray

        value = ray.get(self._next())
        if value is not None:
            row, packed = value
            facts = self._next() if packed is None else None
            parts = [self._next() for _ in row["parts"]]
            recorder.add(row, lambda: fact_tables.decompressed(packed if facts is None else ray.get(facts)),
                         lambda index: ray.get(parts[index]))
            queue.took(row["seconds"])
            self.requests.popleft()
        if self.requests:
            recorder.start(self.requests[0]["name"])
        return bool(self.requests)

    def _next(self):
        try:
            return next(self.values)
        except StopIteration:
            raise ValueError("its answer ends early") from None


class _Queue:
    """What waits, and how much of it goes into one task."""

    def __init__(self, requests):
        self._waiting, self._alone = collections.deque(requests), collections.deque()
        self.is_pinned = any("node_id" in request for request in requests)
        self._mean_s = None

    def __bool__(self):
        return bool(self._waiting or self._alone)

    def next(self, slots):
        """Requests of one task, where `slots` tasks are at work at a time: a snapshot, one that was lost, or places that
        take half a second together. At first one place, since nothing is known yet; at the end few, so that no worker
        has many while others have none."""
        if not self._waiting:
            return [self._alone.popleft()]
        count = 1
        if self._mean_s is not None and not self.is_pinned:
            count = min(int(_BATCH_S / max(self._mean_s, 0.001)), _MOST_IN_A_BATCH, len(self._waiting) // (2 * slots))
        return [self._waiting.popleft() for _ in range(max(count, 1))]

    def took(self, seconds):
        self._mean_s = seconds if self._mean_s is None else 0.9 * self._mean_s + 0.1 * seconds

    def put_back(self, requests):
        self._waiting.extendleft(reversed(requests))

    def put_alone(self, request):
        self._alone.append(request)


def _slots(options):
    """How many tasks the cluster runs at a time, as it is now."""
    import ray

    cpus = ray.cluster_resources().get("CPU", 0)
    return max(1, int(cpus / (options.get("num_cpus") or 1)))


def run(requests, recorder, settings):
    """As engine_local.run(). settings: command_bytes (or None), retries, options (of the task, for Ray), grace_s,
    pending (tasks at a time in Ray's queue, beyond which none is added).

    A request with "node_id" is pinned there; one with "is_down" has left the cluster and becomes a row at once.
    """
    import ray
    from ray import cloudpickle
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    import soresolve_fleet.engine_ray as this
    import soresolve_fleet.private as private

    for module in (this, private):
        cloudpickle.register_pickle_by_value(module)
    try:
        sent_archive = _sent(package_archive())
        sent_command = _sent(settings["command_bytes"]) if settings.get("command_bytes") else None
        task = ray.remote(_perform)
        given = dict(settings.get("options") or {})
        for request in requests:
            if request.get("is_down"):
                recorder.add(missing_row(request, "down", "Ray reports this node as dead"), None, None)
        queue = _Queue([request for request in requests if not request.get("is_down")])
        jobs, failures = {}, collections.Counter()
        slots, slots_end = 1, 0.0

        def submit(batch):
            options = {**given, "num_returns": "streaming", "max_retries": 0}
            if settings.get("reserve_memory"):
                options.setdefault("memory", batch[0]["memory_mib"] << 20)
            deadline = None
            if "node_id" in batch[0]:
                options.setdefault("num_cpus", 0)
                options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(batch[0]["node_id"], soft=False)
                deadline = time.monotonic() + batch[0]["timeout_s"] + settings["grace_s"]
            sent = [dict({key: value for key, value in request.items() if key not in ("node_id", "is_down")},
                         engine="ray") for request in batch]
            values = task.options(**options).remote(sent_archive, sent_command, sent)
            jobs[values] = _Job(batch, values, deadline)

        def lose(job, error):
            """The request that was at work is done again alone, or is a row; the others wait again."""
            request = job.requests.popleft()
            queue.put_back(job.requests)
            failures[request["name"]] += 1
            status, reason, may_repeat = _reason_of(error, "node_id" in request)
            if may_repeat and failures[request["name"]] <= settings["retries"]:
                queue.put_alone(request)
            else:
                recorder.add(missing_row(request, status, reason), None, None)

        while queue or jobs:
            now = time.monotonic()
            if now > slots_end:  # a cluster may grow
                slots, slots_end = _slots(given), now + 10
            # Enough for Ray to place, and to see that there is more; the rest waits until it is known how long one takes.
            while queue and len(jobs) < (settings["pending"] if queue.is_pinned else max(2 * slots, 16)):
                submit(queue.next(slots))
            waited = list(jobs)
            if ray.wait(waited, num_returns=1, timeout=1.0)[0]:
                for values in ray.wait(waited, num_returns=len(waited), timeout=0)[0]:
                    job = jobs[values]
                    try:
                        goes_on = job.take(recorder, queue)
                    except (ray.exceptions.RayError, ValueError) as error:
                        goes_on = False
                        ray.cancel(values, force=True)
                        lose(job, error)
                    if not goes_on:
                        del jobs[values]
            now = time.monotonic()
            for values in [values for values, job in jobs.items() if job.deadline is not None and job.deadline < now]:
                job = jobs.pop(values)
                ray.cancel(values, force=True)
                seconds = job.requests[0]["timeout_s"] + settings["grace_s"]
                recorder.add(missing_row(job.requests[0], "timeout", f"no answer within {seconds:g} s"), None, None)
    finally:
        for module in (this, private):
            cloudpickle.unregister_pickle_by_value(module)


def _reason_of(error, is_pinned):
    """Status and reason of a row, and whether the task may be done again."""
    import ray

    if isinstance(error, ray.exceptions.TaskUnschedulableError):
        return "lost", ("Ray cannot place the task on this node: it has left the cluster, or lacks what --ray-options "
                        "asks for"), False
    if isinstance(error, (ray.exceptions.NodeDiedError, ray.exceptions.ObjectLostError,
                          ray.exceptions.OwnerDiedError)):
        return "lost", f"the node left the cluster while its task ran ({type(error).__name__})", not is_pinned
    if isinstance(error, ray.exceptions.OutOfMemoryError):
        return "memory", "Ray ended the task: its node ran out of memory", True
    if isinstance(error, ray.exceptions.WorkerCrashedError):
        return "lost", "the process that did this task was killed", True
    first = (str(error).strip().splitlines() or [""])[0]
    return "lost", f"{type(error).__name__}: {first[:300]}", False
