"""Processes of this machine: workers that stay, each with the next request already in its pipe.

A worker does one task after another, so that a small place costs what `soresolve` takes and little else. A worker that
dies (killed for memory) takes one task with it, the one at work, and another worker starts; what waited in its pipe goes
to the others. The lost task is done again at the end, alone: a machine that was short of memory has it then. One whose
worker dies as often as it may becomes a row.

Not concurrent.futures: there one dead process breaks the pool, and the tasks of all its workers are lost.
"""
import collections
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import time

from soresolve_fleet import facts as fact_tables
from soresolve_fleet import probe

_SMALL_S = 0.5  # after a task that took less, a worker has its next request before it asks


def _serve(requests, folder):
    """A worker: answers each request on the same connection, until that is closed; relative paths are of `folder`."""
    os.chdir(folder)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    _end_with_parent()
    while True:
        try:
            request = requests.recv()
        except (EOFError, OSError):
            return
        answer = probe.perform(request)
        try:
            # Parts go straight into the store, which this process sees.
            answer.row["new_bytes"] = probe.put_all(request["store"], answer)
            requests.send((answer.row, answer.packed))
        except OSError as error:  # no room there: the run cannot go on
            requests.send((None, error))


def _leave(_signal, _frame):
    """By way of the task's own clean-up: its child ends, its folder goes."""
    raise SystemExit(1)


def _end_with_parent():
    """A worker ends, and what it has started, when the driver is killed: nobody would read its answer."""
    parent = os.getppid()

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        probe.end_child()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class _Worker:
    """`queue`: requests it was given, the first of them at work."""

    def __init__(self):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        folder = os.getcwd()
        self._process = context.Process(target=_serve, args=(theirs, folder), daemon=True)
        # Python starts with modules of the working directory before its own, whoever wrote that.
        os.chdir("/")
        try:
            self._process.start()
        finally:
            os.chdir(folder)
        theirs.close()
        self.queue = collections.deque()
        self.ahead = 1

    def give(self, request, recorder):
        """False where it has ended, and the request was not given."""
        try:
            self.connection.send(request)
        except OSError:
            return False
        self.queue.append(request)
        if len(self.queue) == 1:
            recorder.start(request["name"])
        return True

    def take(self, recorder):
        """An answer goes to the recorder. False where it has ended before that. Raises OSError: the store is full."""
        try:
            row, packed = self.connection.recv()
        except (EOFError, OSError):
            return False
        if row is None:
            raise packed
        self.queue.popleft()
        if self.queue:
            recorder.start(self.queue[0]["name"])
        self.ahead = 2 if row["seconds"] < _SMALL_S else 1
        recorder.add(row, lambda: fact_tables.decompressed(packed), None)
        return True

    def end(self):
        self.connection.close()
        if self.queue:
            self._process.terminate()
        self._process.join()


def run(requests, recorder, settings):
    """Performs all requests; each answer is added to `recorder` when it is there. settings: workers, retries."""
    waiting = [dict(request, store=recorder.store.parts) for request in requests]
    for request in _perform_all(waiting, settings["workers"], recorder):
        for _ in range(settings["retries"]):
            if not _perform_all([request], 1, recorder):
                break
        else:
            recorder.add(missing_row(request, "lost", "the process that did this task was killed, "
                                     f"{recorder.starts[request['name']]} times"), None, None)


def _perform_all(requests, workers, recorder):
    """Returns those that were at work when their worker died; the others are recorded."""
    waiting, lost, pool = collections.deque(requests), [], []
    try:
        while waiting or any(worker.queue for worker in pool):
            busy = sum(1 for worker in pool if worker.queue)
            while len(pool) < workers and len(pool) - busy < len(waiting):
                pool.append(_Worker())
            for depth in (1, 2):  # nobody has two while another has none
                for worker in pool:
                    if waiting and len(worker.queue) < min(depth, worker.ahead) and worker.give(waiting[0], recorder):
                        waiting.popleft()
            by_connection = {worker.connection: worker for worker in pool}
            for connection in multiprocessing.connection.wait(by_connection):
                worker = by_connection[connection]
                if worker.take(recorder):
                    continue
                pool.remove(worker)
                if worker.queue:
                    lost.append(worker.queue.popleft())
                    waiting.extendleft(reversed(worker.queue))
                    worker.queue.clear()
                worker.end()
    finally:
        for worker in pool:
            worker.end()
    return lost


def missing_row(request, status, reason):
    """A row of `nodes` for a task without an answer."""
    return {"name": request["name"], "kind": request.get("kind") or request["task"],
            "group": request.get("group") or "", "place": request["place"], "status": status, "reason": reason,
            "started": time.time(), "parts": [], "part_bytes": []}
