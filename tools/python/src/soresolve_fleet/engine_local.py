"""Processes of this machine: concurrent.futures, which queues, starts and replaces them.

A worker that dies (killed for memory) breaks the pool: a new one goes on, and what was at work is done again at the
end, alone. A task whose worker dies then as well, as often as it may, becomes a row.
"""
import concurrent.futures
import concurrent.futures.process
import multiprocessing
import os
import threading
import time
import zlib

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
    waiting = [dict(request, store=recorder.store.parts) for request in requests]
    suspects = _perform_all(waiting, settings["workers"], recorder)
    killed = 0
    while suspects:
        # One at a time, which shows whose fault it is: the others of its pool were only near.
        request = suspects.pop(0)
        if not _perform_all([request], 1, recorder):
            killed = 0
            continue
        killed += 1
        if killed < settings["retries"]:
            suspects.insert(0, request)
            continue
        recorder.add(missing_row(request, "lost", f"the process that did this task was killed, {killed + 1} times",
                                 killed + 1), None, None)
        killed = 0


def _perform_all(requests, workers, recorder):
    """Returns those that were at work when a pool broke; the others are recorded."""
    context = multiprocessing.get_context("spawn")
    waiting, suspects = list(reversed(requests)), []
    while waiting:
        with concurrent.futures.ProcessPoolExecutor(min(workers, len(waiting)), context, _end_with_parent) as pool:
            running, is_broken = {}, False
            while running or (waiting and not is_broken):
                # No more than are at work, so that few are suspects of a broken pool.
                while waiting and not is_broken and len(running) <= workers:
                    request = waiting.pop()
                    try:
                        running[pool.submit(_perform, request)] = request
                    except concurrent.futures.process.BrokenProcessPool:
                        waiting.append(request)
                        is_broken = True
                done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    request = running.pop(future)
                    try:
                        row, packed = future.result()
                    except concurrent.futures.process.BrokenProcessPool:
                        is_broken = True
                        suspects.append(request)
                        continue
                    recorder.add(row, lambda packed=packed: zlib.decompress(packed), None)
    return suspects


def missing_row(request, status, reason, attempts=0):
    """A row of `nodes` for a task without an answer."""
    return {"name": request["name"], "kind": request.get("kind") or request["task"],
            "group": request.get("group") or "", "place": request["place"], "status": status, "reason": reason,
            "started": time.time(), "attempts": attempts, "parts": [], "part_bytes": []}
