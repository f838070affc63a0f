"""Processes of this machine: concurrent.futures, which queues, starts and replaces them.

A worker that dies (killed for memory) breaks the pool: a new one goes on with what is not answered. A task that breaks
two pools while it is the only suspect is given up with a row.
"""
import concurrent.futures
import concurrent.futures.process
import multiprocessing
import os
import threading
import time
import zlib

from soresolve_fleet import facts as fact_tables
from soresolve_fleet import probe


def _end_with_parent():
    """A worker ends, and what it has started, when the driver is killed: nobody would read its answer."""
    parent = os.getppid()

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        probe.end_child()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _perform(request):
    """The row, the packed facts, and the parts; parts go straight into the store, which this process sees."""
    answer = probe.perform(request)
    answer.row["new_bytes"] = probe.put_all(request["store"], answer)
    return answer.row, answer.packed


def run(requests, recorder, settings):
    """Performs all requests; each answer is added to `recorder` when it is there. settings: workers, retries."""
    waiting = {request["name"]: dict(request, store=recorder.store.parts) for request in requests}
    broken = {name: 0 for name in waiting}
    while waiting:
        # After a broken pool one task at a time shows whose fault it is.
        workers = 1 if any(broken[name] for name in waiting) else settings["workers"]
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(workers, context, _end_with_parent) as pool:
            order = sorted(waiting, key=lambda name: -broken[name]) if workers == 1 else list(waiting)
            if workers == 1:
                order = [name for name in order if broken[name]]
            futures = {pool.submit(_perform, waiting[name]): name for name in order}
            for future in concurrent.futures.as_completed(futures):
                name = futures[future]
                try:
                    row, packed = future.result()
                except concurrent.futures.process.BrokenProcessPool:
                    broken[name] += 1
                    continue
                row["attempts"] = broken[name] + 1
                recorder.add(row, lambda packed=packed: fact_tables.Facts.unpacked(zlib.decompress(packed)), None)
                del waiting[name]
        for name in [name for name in waiting if broken[name] > settings["retries"]]:
            request = waiting.pop(name)
            recorder.add(missing_row(request, "lost", "the process that did this task was killed, "
                                     f"{broken[name]} times", broken[name]), None, None)


def missing_row(request, status, reason, attempts=0):
    """A row of `nodes` for a task without an answer."""
    return {"name": request["name"], "kind": request.get("kind") or request["task"],
            "group": request.get("group") or "", "place": request["place"], "status": status, "reason": reason,
            "started": time.time(), "attempts": attempts, "parts": [], "part_bytes": []}
