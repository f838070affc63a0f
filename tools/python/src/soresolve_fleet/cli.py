"""The command `soresolve-fleet`.

Exit status: 0 the answer is good, 1 a problem was found, 2 something was not judged, or the question could not be asked,
3 the command itself failed.
"""
import argparse
import datetime
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

from soresolve_fleet import SCHEMA, __version__


class Refused(Exception):
    """A question that cannot be asked: a sentence."""


_EPILOG = """examples:
  soresolve-fleet snapshot OUT --engine ray --address auto
      What decides on each node of the Ray cluster, and who differs.
  soresolve-fleet snapshot OUT --engine slurm --expect nodes.txt --sbatch --partition=gpu
      Writes the batch script; after the job: soresolve-fleet collect OUT RUN.
  soresolve-fleet scan OUT images.txt --engine ray --device H200 -- --driver 550.54.14
      Which images will fail with this driver, on this GPU.
  soresolve-fleet report OUT --html report.html
  soresolve-fleet report OUT --since 2026-11-01
      Which nodes are not as they were then, and in what first.
  soresolve-fleet sql OUT "SELECT soname, count(*) FROM files GROUP BY ALL ORDER BY 2 DESC"
  soresolve-fleet diff OUT node17
      The proof: soresolve diff of a node that is like the others, and this one.

exit status: 0 the answer is good, 1 a problem was found, 2 something was not judged or could not be asked, 3 the command
failed"""


def _parser():
    parser = argparse.ArgumentParser(prog="soresolve-fleet", description=__import__("soresolve_fleet").__doc__,
                                     epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"soresolve-fleet {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name, words):
        one = commands.add_parser(name, help=words, description=words)
        one.add_argument("out", metavar="OUT", help="the folder of the results")
        return one

    def add_work(one):
        one.add_argument("--engine", choices=("ray", "local", "slurm") if one.prog.endswith("snapshot")
                         else ("ray", "local"), default="local", help="who carries the tasks (default: local)")
        one.add_argument("--run", metavar="NAME", help="the run's name (default: its time); an unfinished run of this "
                         "name goes on: what is in its output is not done again")
        one.add_argument("--command", metavar="PATH", dest="soresolve", help="the soresolve to send to the nodes "
                         "(default: $SORESOLVE, or that of PATH)")
        one.add_argument("--on-node", metavar="PATH", help="use this soresolve of each node, and send none")
        one.add_argument("--timeout", type=float, default=600, metavar="S", help="of one task (default: 600)")
        one.add_argument("--memory", type=int, default=4096, metavar="MIB", help="of one task (default: 4096)")
        one.add_argument("--retries", type=int, default=3, metavar="N", help="after a lost process or node "
                         "(default: 3)")
        one.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), metavar="N",
                         help="local: processes at a time (default: the cores)")
        one.add_argument("--address", default="auto", help="ray: of the cluster, as for ray.init() (default: auto)")
        one.add_argument("--ray-options", type=json.loads, default={}, metavar="JSON", help="ray: of the task, as for "
                         "ray.remote().options(), such as '{\"num_cpus\": 2}'")
        one.add_argument("--reserve-memory", action="store_true", help="ray: --memory is a resource of the task, too")
        one.add_argument("--no-report", action="store_true", help="do not print the report at the end")

    one = add("snapshot", "takes a snapshot of each node, and the facts of it")
    add_work(one)
    one.add_argument("trees", nargs="*", metavar="TREE", help="as for soresolve snapshot (default: /usr and /opt, or "
                     "all of --root)")
    one.add_argument("--root", default="/", help="on each node; {name} is the node's name (default: /)")
    one.add_argument("--nodes", metavar="FILE", help="names, one a line, a group behind a tab; local: each with its "
                     "--root; slurm: for --nodelist")
    one.add_argument("--expect", metavar="FILE", help="names as in --nodes: those without an answer become rows")
    one.add_argument("--group-by", metavar="LABEL", help="ray: nodes are compared within a group of this label")
    one.add_argument("--env", action="append", default=[], metavar="K=V", help="of the snapshot's environment")
    one.add_argument("--sbatch", action="append", default=[], metavar="OPTION", help="slurm: a further #SBATCH line")

    one = add("scan", "scans each place of a list: images, wheels, packages, roots, by path or URI")
    add_work(one)
    one.add_argument("list", metavar="LIST", help="a place a line, a group behind a tab; # begins a comment; - for "
                     "standard input")
    one.add_argument("options", nargs="*", metavar="-- OPTION", help="further options of soresolve scan")
    one.add_argument("--device", metavar="GPU", help="can the GPU code run there? As for soresolve gpu --device")
    one.add_argument("--jobs", type=int, default=1, metavar="N", help="threads of one task (default: 1; ask Ray for as "
                     "many CPUs)")
    one.add_argument("--cache", metavar="DIR", help="on each node: layers by digest, and facts of equal content "
                     "(default: a folder of the user in the temporary directory; none: no cache)")
    one.add_argument("--no-versions", action="store_true", help="leave out CUDA, cuDNN and frameworks (doctor)")
    one.add_argument("--verify", action="store_true", help="compare digests of all layers")

    one = add("resume", "goes on with an unfinished run, as it was asked")
    one.add_argument("run", metavar="RUN", nargs="?", help="default: the newest unfinished one")
    one = add("collect", "slurm: takes what the nodes wrote, and finishes the run")
    one.add_argument("run", metavar="RUN", nargs="?", help="default: the newest unfinished one")
    one = add("report", "who differs, in what first, since when; and what is wrong, by cause")
    one.add_argument("--run", metavar="NAME", help="default: the newest")
    one.add_argument("--since", metavar="WHEN", help="only nodes or places whose facts are not those of the run WHEN, or of "
                     "the last one begun by then: a date, or a date and time, UTC, as in 2026-11-27T06:00")
    one.add_argument("--json", action="store_true", help="as data")
    one.add_argument("--html", metavar="FILE", help="as a page as well")
    one.add_argument("--memory", default="2GB", help="of DuckDB (default: 2GB)")
    one = add("runs", "the runs in OUT")
    one = add("sql", "asks DuckDB; the tables are nodes, files, objects, requests, problems, gpu, versions")
    one.add_argument("query")
    one.add_argument("--json", action="store_true", help="JSON Lines")
    one.add_argument("--memory", default="2GB", help="of DuckDB (default: 2GB)")
    one = add("get", "writes the snapshot of a node to a file")
    one.add_argument("name", metavar="NODE")
    one.add_argument("-o", "--output", required=True, metavar="FILE")
    one.add_argument("--run", metavar="NAME", help="default: the newest")
    one = add("diff", "soresolve diff of two nodes' snapshots")
    one.add_argument("names", nargs="+", metavar="NODE", help="two; or one, which is compared with the largest class "
                     "of its group")
    one.add_argument("--run", metavar="NAME", help="default: the newest")
    one.add_argument("--command", metavar="PATH", dest="soresolve")
    return parser


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser()
    own, further = arguments, []
    if arguments[:1] == ["scan"] and "--" in arguments:
        at = arguments.index("--")
        own, further = arguments[:at], arguments[at + 1:]
    options = parser.parse_args(own)
    if options.command == "scan":
        if options.options:
            parser.error(f"options of soresolve scan stand behind --: {options.options[0]}")
        options.options = further
    try:
        try:
            import duckdb  # noqa: F401
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise Refused(f"{error.name} is not installed: pip install {error.name}") from None
        return _COMMANDS[options.command](options)
    except Refused as error:
        print(f"soresolve-fleet: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 3
    except KeyboardInterrupt:
        print("soresolve-fleet: interrupted; what was done stays: soresolve-fleet resume OUT", file=sys.stderr)
        return 130
    except (OSError, ValueError) as error:
        print(f"soresolve-fleet: {error}", file=sys.stderr)
        return 3


def _store(options, must_exist=True):
    from soresolve_fleet.store import Store

    store = Store(options.out)
    if must_exist and not store.runs():
        raise Refused(f"{options.out} has no runs: begin with soresolve-fleet snapshot or scan")
    return store


def _newest(store, run, is_finished=None):
    names = store.runs()
    if run:
        if run not in names:
            raise Refused(f"there is no run {run} in {store.folder}: it has {', '.join(names)}")
        return run
    if is_finished is not None:
        names = [name for name in names if store.is_finished(name) == is_finished]
    if not names:
        raise Refused(f"{store.folder} has no unfinished run")
    return max(names, key=lambda name: store.description(name)["started"])


def _command_of(options):
    """(bytes of the command to send or None, its path here)."""
    if getattr(options, "on_node", None):
        return None, options.on_node
    path = options.soresolve or os.environ.get("SORESOLVE") or shutil.which("soresolve")
    if not path or not os.access(path, os.X_OK):
        raise Refused(f"no soresolve at {path}" if path else "no soresolve in PATH: name it with --command")
    path = os.path.abspath(path)
    with open(path, "rb") as file:
        return file.read(), path


def _lines(path):
    """(name, group) of each line."""
    try:
        file = sys.stdin if path == "-" else open(path, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    with file:
        for line in file:
            line = line.rstrip("\r\n")
            if line.strip() and not line.lstrip().startswith("#"):
                name, _, group = line.strip().partition("\t")
                yield name, group.strip()


def _request(options):
    """What all tasks of the run have in common; JSON types alone."""
    common = {"schema": SCHEMA, "task": options.command, "timeout_s": options.timeout, "memory_mib": options.memory,
              "engine": options.engine}
    if options.command == "snapshot":
        env = dict(pair.partition("=")[::2] for pair in options.env)
        common.update(kind="node", trees=options.trees, options=[], env=env, place=options.root)
    else:
        common.update(options=options.options, jobs=options.jobs, device=options.device,
                      versions=not options.no_versions,
                      verify=options.verify, cache=None if options.cache == "none" else options.cache or True)
    return common


def _tasks(options, common):
    """Requests, one for each node or place; names are unique."""
    requests = []
    if options.command == "scan":
        seen = set()
        for place, group in _lines(options.list):
            if place not in seen:
                seen.add(place)
                is_path = "://" not in place and "::" not in place
                requests.append(dict(common, name=place, group=group,
                                     place=os.path.abspath(place) if is_path else place))
        if not requests:
            raise Refused(f"{options.list} names no places")
        return requests

    def one(name, group, **more):
        return dict(common, name=name, group=group, place=options.root.replace("{name}", name), **more)

    if options.engine == "ray":
        from soresolve_fleet import engine_ray
        alive = {}
        for name, node_id, is_alive, address, group in engine_ray.nodes(options.group_by):
            if is_alive or name not in alive:
                # A node that left and came back is one node.
                if name in alive and alive[name].get("node_id") and is_alive:
                    name = f"{name}#{node_id[:8]}"
                alive[name] = one(name, group, node_id=node_id) if is_alive else one(name, group, is_down=True)
        requests = list(alive.values())
    else:
        names = list(_lines(options.nodes)) if options.nodes else [(socket.gethostname(), "")]
        requests = [one(name, group) for name, group in names]
    return requests


def _expected(options, requests):
    """Rows for names of --expect that no engine knows of."""
    if not getattr(options, "expect", None):
        return []
    known = {request["name"] for request in requests}
    return [(name, group) for name, group in _lines(options.expect) if name not in known]


def _work(options):
    from soresolve_fleet import engine_local
    from soresolve_fleet import facts as fact_tables
    from soresolve_fleet.store import Recorder

    data, path = _command_of(options)
    store = _store(options, must_exist=False)
    now = datetime.datetime.now(datetime.timezone.utc)
    run = options.run or now.strftime("%Y%m%dT%H%M%SZ-") + options.command
    if "/" in run or "=" in run or run.startswith("."):
        raise Refused(f"{run}: the name of a run has no / and no =")
    if store.is_finished(run):
        raise Refused(f"run {run} is finished already: soresolve-fleet report {options.out} --run {run}")
    common = dict(_request(options), command=path)
    if data is not None:
        common["command_digest"] = hashlib.sha256(data).hexdigest()
    if options.engine == "ray":
        _connect(options.address)
    requests = _tasks(options, common)
    extra = _expected(options, requests)
    asked = [name for name, _ in extra] + [request["name"] for request in requests]
    description = {"schema": SCHEMA, "task": options.command, "run": run, "started": now.isoformat(timespec="seconds"),
                   "asked": len(asked), "common": common, "arguments": _saved(options)}
    if os.path.exists(os.path.join(store.work(run), "run.json")):
        before = store.description(run)
        if {**before["common"], "command": 0} != {**common, "command": 0}:
            different = sorted(key for key in common if before["common"].get(key) != common[key] and key != "command")
            raise Refused(f"run {run} was begun with another {', '.join(different)}: take another --run")
    recorder = Recorder(store, run, description)
    try:
        todo = [request for request in requests
                if recorder.done.get(request["name"], "lost") in fact_tables.AGAIN]
        if recorder.done:
            print(f"run {run}: {len(requests) - len(todo):,} of {len(requests):,} are done already", file=sys.stderr)
        if options.engine == "slurm":
            from soresolve_fleet import engine_slurm
            named = list(_lines(options.nodes or options.expect)) if options.nodes or options.expect else []
            job = engine_slurm.write_job(common, recorder, {
                "command_bytes": data, "groups": dict(named), "expected": [name for name, _ in named],
                "sbatch": options.sbatch})
            print(f"sbatch {job}\nsoresolve-fleet collect {options.out} {run}")
            return 0
        for name, group in extra:
            if name not in recorder.done:
                recorder.add(engine_local.missing_row(dict(common, name=name, group=group), "down",
                                                      "not a node of the cluster"), None, None)
        if options.engine == "ray":
            from soresolve_fleet import engine_ray
            engine_ray.run(todo, recorder, {
                "command_bytes": data, "retries": options.retries, "grace_s": 60.0, "options": options.ray_options,
                "reserve_memory": options.reserve_memory, "pending": 10_000})
        else:
            engine_local.run(todo, recorder, {"workers": options.workers, "retries": options.retries})
        recorder.seal()
    except BaseException:
        recorder.flush()
        raise
    if recorder.all_part_bytes:
        print(f"{recorder.all_part_bytes / 1e6:.1f} MB of snapshots, {recorder.new_part_bytes / 1e6:.1f} MB of them "
              f"new in {store.parts}", file=sys.stderr)
    return 0 if options.no_report else _print_report(store, run, options)


def _saved(options):
    """The options, for resume."""
    return {name: value for name, value in vars(options).items() if name not in ("out", "run")}


def _connect(address):
    # Without this Ray turns 127.0.0.1 into the machine's outer address, where a cluster on loopback is not.
    if address.startswith(("127.", "localhost")):
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ImportError:
        raise Refused("ray is not installed: pip install ray") from None
    if ray.is_initialized():
        return
    try:
        ray.init(address=None if address == "local" else address, log_to_driver=False, logging_level="error",
                 include_dashboard=False if address == "local" else None)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise Refused(f"no Ray cluster at {address}: {str(error).splitlines()[0]}; start one with ray start --head, or "
                      "take --address local") from None


def _resume(options):
    store = _store(options)
    run = _newest(store, options.run, is_finished=False)
    if store.is_finished(run):
        raise Refused(f"run {run} is finished")
    saved = store.description(run)["arguments"]
    if saved["engine"] == "slurm":
        raise Refused(f"run {run} is Slurm's: soresolve-fleet collect {options.out} {run}")
    if saved.get("list") == "-":
        raise Refused("its list came from standard input: give it to soresolve-fleet scan --run " + run + " again")
    return _work(argparse.Namespace(**saved, out=options.out, run=run))


def _collect(options):
    from soresolve_fleet import engine_slurm
    from soresolve_fleet.store import Recorder

    store = _store(options)
    run = _newest(store, options.run, is_finished=False)
    recorder = Recorder(store, run, {})
    engine_slurm.collect(recorder)
    # Sealing counts what was asked: known only now, where Slurm chose the nodes.
    description = dict(store.description(run), asked=len(recorder.done))
    with open(os.path.join(recorder.work, "run.json"), "w", encoding="utf-8") as file:
        json.dump(description, file)
    recorder.seal()
    return _print_report(store, run, options)


def _run_of(store, run, when):
    """The run that --since names: itself, or the last one of the same task that had begun by that time."""
    if when in store.runs():
        if when == run:
            raise Refused(f"--since {when}: this is the run itself")
        return when
    try:
        moment = datetime.datetime.fromisoformat(when)
    except ValueError:
        raise Refused(f"--since {when}: neither a run of {store.folder} nor a date, as in 2026-11-27") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    begun = {}
    for name in store.runs():
        one = store.description(name)
        if name != run and one["task"] == store.description(run)["task"]:
            begun[name] = datetime.datetime.fromisoformat(one["started"])
    earlier = [name for name in begun if begun[name] <= moment]
    if not earlier:
        raise Refused(f"--since {when}: no other run had begun by then" + (
            f"; the first one is {min(begun, key=begun.get)}" if begun else ""))
    return max(earlier, key=begun.get)


def _print_report(store, run, options):
    from soresolve_fleet import query, report

    connection = query.open_views(store, memory=getattr(options, "memory", None) if options.command == "report"
                                  else "2GB")
    since = _run_of(store, run, options.since) if getattr(options, "since", None) else None
    made = report.make(connection, store, run, since)
    if getattr(options, "html", None):
        from soresolve_fleet import page
        with open(options.html + ".tmp", "w", encoding="utf-8", errors="replace") as file:
            file.write(page.page(made, options.out))
        os.replace(options.html + ".tmp", options.html)
    if getattr(options, "json", False):
        print(json.dumps(made, indent=1))
    else:
        sys.stdout.write(report.text(made, options.out))
    sys.stdout.flush()
    return report.status_of(made)


def _report(options):
    store = _store(options)
    return _print_report(store, _newest(store, options.run), options)


def _runs(options):
    store = _store(options)
    for run in store.runs():
        one = store.description(run)
        state = "finished" if store.is_finished(run) else "unfinished"
        print(f"{run}\t{one['task']}\t{one['started']}\t{one['asked']}\t{state}")
    return 0


def _sql(options):
    import duckdb

    from soresolve_fleet import query

    try:
        relation = query.open_views(_store(options), memory=options.memory).sql(options.query)
    except duckdb.Error as error:
        raise Refused(str(error)) from None
    if relation is None:
        return 0
    if options.json:
        for row in relation.fetchall():
            print(json.dumps(dict(zip(relation.columns, row)), default=str))
    else:
        relation.show(max_width=200, max_rows=1000)
    return 0


def _snapshot_of(store, run, name, into):
    import pyarrow.parquet as pq

    for path in store.files_of("nodes", run):
        for row in pq.read_table(path, columns=["name", "parts", "status", "reason"]).to_pylist():
            if row["name"] == name and row["parts"]:
                store.join(row["parts"], into)
                return
    raise Refused(f"run {run} has no snapshot of {name}")


def _get(options):
    store = _store(options)
    _snapshot_of(store, _newest(store, options.run), options.name, options.output)
    return 0


def _diff(options):
    from soresolve_fleet import query

    store = _store(options)
    run = _newest(store, options.run)
    names = options.names
    if len(names) == 1:
        row = query.open_views(store, [run]).execute(
            """WITH c AS (SELECT facts, min(name) AS name, count(*) AS c, min(number) AS number FROM nodes
                          WHERE facts IS NOT NULL AND "group" = (SELECT "group" FROM nodes WHERE name = ?)
                          GROUP BY facts)
               SELECT name FROM c ORDER BY c DESC, number LIMIT 1""", names).fetchone()
        if row is None:
            raise Refused(f"run {run} has no answer of {names[0]}")
        names = [row[0], names[0]]
    elif len(names) != 2:
        raise Refused("diff takes one or two nodes")
    _, command = _command_of(options)
    with tempfile.TemporaryDirectory(prefix="soresolve-fleet-") as folder:
        files = []
        for name in names:
            # The report names the snapshots by these files.
            files.append(os.path.join(folder, name.replace("/", "_") + ".srs"))
            _snapshot_of(store, run, name, files[-1])
        return subprocess.run([command, "diff", *[os.path.basename(file) for file in files]], cwd=folder,
                              check=False).returncode


_COMMANDS = {"snapshot": _work, "scan": _work, "resume": _resume, "collect": _collect, "report": _report, "runs": _runs,
             "sql": _sql, "get": _get, "diff": _diff}


def entry():
    """For the installed command: Ctrl-C and a closed terminal end it as an interruption, with what was done kept."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
