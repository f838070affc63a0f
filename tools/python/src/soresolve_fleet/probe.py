"""One task: a snapshot of a node, or a scan of one place, and the facts of it. Standard library only.

It runs on the node, in a process of the engine. The programs that do the work are children with limits on memory and
time; whatever goes wrong is a status and a reason in the answer, never an exception: a node without an answer is told
apart from one that answers badly by the engine alone.
"""
import argparse
import contextlib
import hashlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from soresolve_fleet import facts as fact_tables
from soresolve_fleet import inputs
from soresolve_fleet import private
from soresolve_fleet import snapshot_parts

# Options of `scan` that `doctor` and `gpu` take as well.
_WORLD_OPTIONS = {"--base": 1, "--platform": 1, "--driver": 1, "--driver-mode": 1, "--env": 1, "--clean-env": 0,
                  "--cpu": 1, "--glibc": 1}
_child = None  # the process group that is at work, for those who must end it


class Failure(Exception):
    """Why a task has no facts: a status of the table `nodes`, and a sentence."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status
        self.reason = reason


class _TimeIsOver(BaseException):
    """Not an Exception: no file system of fsspec takes it for a failure of its own, and tries again."""


class Answer:
    """What a task gives back: a row of `nodes` without the columns of its run, packed facts, and parts of a
    snapshot."""

    def __init__(self, row, packed=b"", parts=()):
        self.row = row
        self.packed = packed  # zlib
        self.parts = list(parts)


def end_child():
    """Kills what is at work."""
    if _child is not None:
        try:
            os.killpg(_child, signal.SIGKILL)
        except ProcessLookupError:
            pass


class _Clock:
    """Time that is left, and time that children took."""

    def __init__(self, limit_s):
        self.started = time.monotonic()
        self.limit_s = limit_s
        self.work_s = 0.0

    def left(self):
        return max(0.001, self.limit_s - (time.monotonic() - self.started))


@contextlib.contextmanager
def _limit(clock, reason):
    """The task's time holds for what this process does itself, too: a store that takes the question and never answers.
    Engines run tasks in the main thread, the only one that a signal reaches; elsewhere there is no limit."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal, _frame):
        raise _TimeIsOver

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, clock.left())
    try:
        yield
    except _TimeIsOver:
        raise Failure("timeout", reason) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _Folder:
    """A temporary folder, made when it is first used: most scans write nothing, and making and removing one takes as
    long as judging a small wheel does on some file systems."""

    def __init__(self):
        self._path = None

    def path(self):
        if self._path is None:
            self._path = tempfile.mkdtemp(prefix="soresolve-fleet-")
        return self._path

    def file(self, name):
        return os.path.join(self.path(), name)

    def remove(self):
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)


def _scratch():
    """A file for what a child writes: in memory, where this Python can (3.8, with a glibc of 2.27)."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("soresolve-fleet"), "w+b")
    return tempfile.TemporaryFile()


def _wait(process, limit_s):
    """Its status. Raises subprocess.TimeoutExpired. Popen.wait() with a limit sleeps between its looks, 50 ms at last,
    which is more than a small place takes; a pidfd (Linux 5.3) wakes at the end of the child."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        return process.wait(timeout=limit_s)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        if not poll.poll(limit_s * 1000):
            raise subprocess.TimeoutExpired(process.args, limit_s)
    finally:
        os.close(descriptor)
    return process.wait()


_MOST_ANSWER = 256 << 20
_MOST_ROW = 1 << 20
_SUMMARY = b'{"type":"summary"'


def _run(arguments, clock, memory_bytes, environment, good=(0, 1), passes=(), last=None):
    """Standard output of a command, as bytes. Raises Failure: timeout, memory, failed. `passes`: errors with one of
    these phrases are none. With status 2 it has answered as well if its last line begins with `last`."""
    global _child
    started = time.monotonic()
    with _scratch() as out, _scratch() as errors:
        try:
            process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, env=environment,
                                       start_new_session=True)
        except OSError as error:
            raise Failure("failed", f"{arguments[0]} does not start: {error.strerror}") from None
        _child = process.pid
        try:
            if memory_bytes:
                try:
                    resource.prlimit(process.pid, resource.RLIMIT_AS, (memory_bytes, memory_bytes))
                except (OSError, ValueError):
                    pass  # it has ended
            code = _wait(process, clock.left())
        except subprocess.TimeoutExpired:
            end_child()
            process.wait()
            raise Failure("timeout", f"soresolve {arguments[1]} ran past the limit of {clock.limit_s:g} s") from None
        except BaseException:
            end_child()
            process.wait()
            raise
        finally:
            _child = None
            clock.work_s += time.monotonic() - started
        out.seek(0)
        text = out.read() if code in good or (code == 2 and last) else b""
        if code in good or (last and text.rstrip().rpartition(b"\n")[2].startswith(last)):
            return text
        errors.seek(0)
        said = [line for line in errors.read().decode("utf-8", "replace").splitlines() if "warning:" not in line]
        if passes and code == 2 and all(any(words in line for words in passes) for line in said):
            out.seek(0)
            return out.read()
        last = said[-1] if said else ""
        if memory_bytes and (code in (-signal.SIGKILL, -signal.SIGABRT, -signal.SIGSEGV) or "bad_alloc" in last
                             or "memory" in last.lower()):
            raise Failure("memory", f"soresolve {arguments[1]} needs more than {memory_bytes >> 20} MiB")
        if code < 0:
            raise Failure("failed", f"soresolve {arguments[1]} was ended by signal {-code}")
        status = "unreadable" if code == 2 else "failed"
        raise Failure(status, last or f"soresolve {arguments[1]} ended with status {code}")


def _documents(data):
    """JSON documents one behind the other."""
    decoder, text, at = json.JSONDecoder(), data.decode("utf-8", "replace"), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        document, at = decoder.raw_decode(text, at)
        yield document


def _world_options(options, wanted=tuple(_WORLD_OPTIONS)):
    """Those of the options of scan that other commands take as well."""
    kept, index = [], 0
    while index < len(options):
        name, equals, _value = options[index].partition("=")
        count = 0 if equals else _WORLD_OPTIONS.get(name, 0)
        if name in wanted:
            kept += options[index:index + 1 + count]
        index += 1 + count
    return kept


def _has(options, name):
    return any(word.partition("=")[0] == name for word in options)


def _no_policy(options):
    """None that lies where a worker happens to run has a say; one that is named has."""
    return [] if _has(options, "--config") else ["--config", "none"]


def _environment(request):
    """Of the children: that of the process that started the engine's worker, since engines set variables of their own.

    Ray sets CUDA_VISIBLE_DEVICES in its workers and starts them from its raylet; the raylet has what `ray start` had.
    """
    environment = dict(os.environ)
    if request.get("engine") == "ray":
        try:
            with open(f"/proc/{os.getppid()}/environ", "rb") as file:
                pairs = [os.fsdecode(pair).partition("=") for pair in file.read().split(b"\0") if b"=" in pair]
            environment = {name: value for name, _, value in pairs}
        except OSError:
            environment.pop("CUDA_VISIBLE_DEVICES", None)
    environment = {name: value for name, value in environment.items() if not name.startswith(("RAY_", "SLURM"))}
    environment["LC_ALL"] = "C.UTF-8"
    for name, value in (request.get("env") or {}).items():
        environment[name] = value
    return environment


def _snapshot(request, clock, folder, row):
    command, memory = request["command"], request["memory_mib"] << 20
    environment = _environment(request)
    root = ["--root", request["place"]] if request["place"] not in ("", "/") else []
    if root and not os.path.exists(request["place"]):
        raise Failure("unreadable", f"{request['place']}: no such file or directory on this node")
    file = folder.file("node.srs")
    _run([command, "snapshot", "-o", file, *root, *request["options"], "--", *request["trees"]], clock, memory,
         environment, good=(0,))
    shown = json.loads(_run([command, "snapshot", "--json", "--show", file], clock, memory, environment,
                            good=(0,)))
    facts = fact_tables.Facts()
    places = [] if shown["of"] == ["/"] else shown["of"]
    scan = _run([command, "scan", "--json", *_no_policy(()), "--root", file, "--", *places], clock, memory, environment,
                last=_SUMMARY)
    fact_tables.add_scan(facts, scan.decode("utf-8", "replace").splitlines())
    fact_tables.add_snapshot(facts, shown)
    fact_tables.add_doctor(facts, json.loads(_run([command, "doctor", "--json", "--root", file], clock, memory,
                                                  environment)))
    with open(file, "rb") as opened:
        data = opened.read()
    row["snapshot"] = hashlib.sha256(data).hexdigest()
    row["snapshot_bytes"] = len(data)
    return facts, snapshot_parts.split(data)


def _scan(request, clock, folder, row):
    command, memory = request["command"], request["memory_mib"] << 20
    environment, options = _environment(request), request["options"]
    try:
        with _limit(clock, f"{request['place']} was not copied within {clock.limit_s:g} s"):
            cache = _cache_of(request)
            place = inputs.fetch(request["place"], folder, cache)
    except inputs.NotFetched as error:
        raise Failure("unreadable", str(error)) from None
    row["content"] = place.identity
    row["kind"] = place.kind
    key = _key_of(request, place, environment)
    before = _kept(cache, key) if key else None
    if before:
        row["shared"] = True
        return before
    facts = fact_tables.Facts()
    root = ["--root", place.path, *(["--verify"] if place.is_image and request.get("verify") else [])]
    given = root
    if _has(options, "--base"):
        # As PLACE only what it brings is judged; as --root, with all that lies below it.
        if os.path.isdir(place.path) and not place.is_image:
            raise Failure("unreadable", f"{request['place']} is a directory, a root of its own: --base is for packages and "
                          "archives")
        given = [*root[2:], "--", place.path]
    scan = _run([command, "scan", "--json", "--memory", str(request["memory_mib"]), "--jobs",
                 str(request.get("jobs", 1)), *_no_policy(options), *options, *given], clock, memory,
                environment, last=_SUMMARY)
    fact_tables.add_scan(facts, scan.decode("utf-8", "replace").splitlines())
    world = _world_options(options)
    if request.get("versions", True):
        fact_tables.add_doctor(facts, json.loads(_run([command, "doctor", "--json", *root, *world], clock, memory,
                                                      environment)))
    if request.get("device"):
        _add_gpu(request, facts, root, options, clock, folder, environment)
    if key and "incomplete" not in facts.summary and place.is_as_it_was():
        private.folder(os.path.join(cache, "facts")).put(key, lambda into: into.write(
            json.dumps(facts.summary).encode() + b"\n" + zlib.compress(facts.packed(), 1)))
    return facts, None


def _add_gpu(request, facts, root, options, clock, folder, environment):
    """Which GPU code runs on the device. By way of a snapshot: one pass over an archive finds the files that have any,
    where a question about each file would unpack it each time; what it does not hold has no GPU code."""
    command, memory = request["command"], request["memory_mib"] << 20
    file = folder.file("gpu.srs")
    _run([command, "snapshot", "-o", file, "--jobs", str(request.get("jobs", 1)), *root,
          *_world_options(options, ("--base", "--platform"))], clock, memory, environment, good=(0,))
    paths = [path for path, *_, judged_as, _verdict in facts.tables["files"] if judged_as != "outside"]
    for first in range(0, len(paths), 1000):
        answer = _run([command, "gpu", "--json", "--device", request["device"], "--root", file, "--",
                       *paths[first:first + 1000]], clock, memory, environment,
                      # No GPU code; laid over the place by --driver.
                      passes=("not recorded in the snapshot", "No such file or directory"))
        fact_tables.add_gpu(facts, _documents(answer))


def _cache_of(request):
    """The directory of the cache, which has private ones: True is that of this node's user, None none."""
    return os.path.join(private.of_user().path, "cache") if request.get("cache") is True else request.get("cache")


def _key_of(request, place, environment):
    """The name of facts that all of this decides; None where something decides that has no name, as a file that an option
    names."""
    command = request.get("command_digest") or inputs.state_of(request["command"])
    if not place.identity or not command or any(os.path.exists(word.rpartition("=")[2]) for word in request["options"]):
        return None
    named = os.path.basename(place.path) if place.kind in ("wheel", "package") else None  # for which Python it is
    decides = sorted((name, value) for name, value in environment.items() if fact_tables.DECIDES.match(name))
    key = json.dumps([place.identity, place.kind, named, request["options"], request.get("device"), command,
                      request.get("versions", True), bool(request.get("verify")), decides])
    return hashlib.sha256(key.encode()).hexdigest()


def _kept(cache, key):
    """Facts and their summary that were kept under this name."""
    file = private.folder(os.path.join(cache, "facts")).open(key)
    if file is None:
        return None
    with file:
        try:
            summary = json.loads(file.readline())
            return fact_tables.Facts.unpacked(zlib.decompress(file.read())), summary
        except (ValueError, zlib.error):  # the disk was full, or it is of another release
            return None


def perform(request):
    """The Answer to one request; see README of the format in lib/docs/fleet.md. Never raises an Exception."""
    clock = _Clock(request["timeout_s"])
    row = {"name": request["name"], "kind": request.get("kind") or request["task"], "group": request.get("group") or "",
           "place": request["place"], "status": "ok", "reason": "", "started": time.time(),
           "host": socket.gethostname()}
    packed, parts = b"", []
    folder = _Folder()
    try:
        if request["task"] == "snapshot":
            facts, parts = _snapshot(request, clock, folder, row)
        else:
            facts, before = _scan(request, clock, folder, row)
            facts.summary.update(before or {})
        plain = facts.packed()
        row["facts"] = fact_tables.digest_of(plain)
        row.update({name: facts.summary.get(name) for name in ("dynamic", "programs", "roots", "works", "fails",
                                                               "depends", "kernel", "soresolve", "doctor")})
        row["good"] = facts.summary["good"]
        for status in ("incomplete", "unknown"):
            if status in facts.summary:
                row["status"], row["reason"] = status, facts.summary[status]
        packed = zlib.compress(plain, 1)
    except Failure as failure:
        row["status"], row["reason"], parts = failure.status, failure.reason, []
    except (OSError, ValueError, KeyError, MemoryError) as error:
        row["status"], row["reason"], parts = "failed", f"{type(error).__name__}: {error}", []
    finally:
        folder.remove()
    row["parts"] = [hashlib.sha256(part).hexdigest() for part in parts]
    row["part_bytes"] = [len(part) for part in parts]
    row["work_s"] = clock.work_s
    row["seconds"] = time.monotonic() - clock.started
    return Answer(row, packed, parts)


def place_command(data, digest):
    """The command that was sent, as a file of this node's user; `data()` is asked for where it is not there yet.
    Raises OSError or ValueError."""
    return private.of_user().put_content(digest, data, mode=0o700)


def main(arguments):
    """For engines that only start programs (Slurm): the answer goes into a folder that all nodes see."""
    parser = argparse.ArgumentParser(prog="soresolve-fleet probe")
    parser.add_argument("request", help="a file: the request as JSON, with the list of nodes' names and groups")
    parser.add_argument("--name", default=os.environ.get("SLURMD_NODENAME") or socket.gethostname())
    options = parser.parse_args(arguments)
    with open(options.request, encoding="utf-8") as file:
        request = json.load(file)
    incoming = request.pop("incoming")
    request["name"] = options.name
    request["group"] = request.pop("groups", {}).get(options.name, "")
    request["place"] = request["place"].replace("{name}", options.name)
    attempts = count_start(incoming, options.name)
    answer = perform(request)
    answer.row["attempts"] = attempts
    write_answer(incoming, options.name, answer, request["store"])
    print(f"{options.name}: {answer.row['status']} {answer.row['reason']}")
    return 0


def answer_name(name):
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def count_start(incoming, name):
    """A byte for each start of a node's task, before its work: Slurm may queue a job again. Returns how many there are."""
    os.makedirs(incoming, exist_ok=True)
    with open(os.path.join(incoming, ".started-" + answer_name(name)), "ab") as file:
        file.write(b".")
        return file.tell()


def starts_of(incoming, name):
    """How often the task of a node was started."""
    try:
        return os.path.getsize(os.path.join(incoming, ".started-" + answer_name(name)))
    except OSError:
        return 0


def write_answer(incoming, name, answer, store):
    """Parts into the store, each once; then the answer, whole or not at all."""
    answer.row["new_bytes"] = put_all(store, answer)
    os.makedirs(incoming, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=incoming, prefix=".", delete=False) as file:
        file.write(json.dumps(answer.row).encode() + b"\n" + answer.packed)
    os.replace(file.name, os.path.join(incoming, answer_name(name)))


def read_answer(path):
    """(row, packed facts), as write_answer() wrote them. Raises ValueError: it did not write this."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_ANSWER:
                raise ValueError(f"it is no file, or larger than {_MOST_ANSWER >> 20} MiB")
            row, packed = json.loads(file.readline(_MOST_ROW)), file.read()
    except (OSError, RecursionError) as error:
        raise ValueError(f"it cannot be read: {getattr(error, 'strerror', None) or 'it is nested too deep'}") from None
    name = fact_tables.check_row(row)["name"]
    if answer_name(name) != os.path.basename(path):
        raise ValueError(f"it is of {name[:99]}, by the name of another")
    return row, packed


def put_all(store, answer):
    """All parts of a snapshot into the store; how many bytes were not there."""
    return sum(len(part) for digest, part in zip(answer.row["parts"], answer.parts) if put(store, digest, part))


def put(store, digest, data):
    """`data` under its digest, whole or not at all. True where it was not there."""
    path = os.path.join(store, digest[:2], digest)
    if os.path.exists(path):
        return False
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), prefix=".", delete=False) as file:
        file.write(data)
    os.replace(file.name, path)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
