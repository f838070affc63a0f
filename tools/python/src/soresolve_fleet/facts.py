"""Facts of one root: what `soresolve` said of it, as rows of tables, and their digest.

The digest is of what decides: which files there are with which content, where each request of each dynamic file leads,
what is wrong, versions, and the environment of the loader. Not in it are times, inodes, host names, the kernel's
release and the release of soresolve: two machines that the loader cannot tell apart have one digest. Standard library
only, because this runs on nodes.
"""
import hashlib
import json
import re
import zlib

# The columns of each table, without `facts`, the digest that every row is found by. Types: s text, i integer, b truth.
COLUMNS = {
    "files": (("path", "s"), ("soname", "s"), ("bytes", "i"), ("content", "s"), ("judged_as", "s"), ("verdict", "s")),
    "objects": (("path", "s"), ("processes", "i"), ("first_process", "s")),
    "requests": (("needer", "s"), ("name", "s"), ("kind", "s"), ("target", "s"), ("processes", "i")),
    "problems": (("code", "s"), ("severity", "s"), ("phase", "s"), ("cause", "s"), ("counts", "b"), ("headline", "s"),
                 ("library", "s"), ("what", "s"), ("loader_says", "s"), ("needers", "i"), ("roots", "i"),
                 ("fix", "s"), ("fix_text", "s")),
    "gpu": (("path", "s"), ("target", "s"), ("kind", "s"), ("device", "s"), ("runs", "s")),
    "versions": (("subject", "s"), ("item", "s"), ("value", "s")),
}
TABLES = tuple(COLUMNS)
# A row of `nodes`. Types as above, and: n integer of 32 bits, f number, t seconds since 1970, S list of text, I list of integers.
NODE = (("name", "s"), ("kind", "s"), ("group", "s"), ("place", "s"), ("status", "s"), ("reason", "s"), ("started", "t"),
        ("seconds", "f"), ("work_s", "f"), ("host", "s"), ("attempts", "n"), ("facts", "s"), ("number", "n"), ("good", "b"),
        ("dynamic", "i"), ("programs", "i"), ("roots", "i"), ("works", "i"), ("fails", "i"), ("depends", "i"),
        ("kernel", "s"), ("soresolve", "s"), ("doctor", "s"), ("content", "s"), ("shared", "b"), ("snapshot", "s"),
        ("snapshot_bytes", "i"), ("parts", "S"), ("part_bytes", "I"))
_MAY_LACK = ("soname", "bytes", "content", "verdict", "target", "library", "what", "loader_says", "fix", "fix_text", "value")
_MUST = ("name", "kind", "group", "place", "status", "reason", "started", "parts", "part_bytes")
_ANSWERED = ("ok", "unknown", "incomplete")
AGAIN = ("down", "lost", "damaged")  # statuses of those who are asked again
_DIGEST = re.compile(r"[0-9a-f]{32}\Z")
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_MOST_FACTS = 1 << 30
_IS = {
    "s": lambda value: type(value) is str and not _SURROGATE.search(value),
    "b": lambda value: type(value) is bool,
    "i": lambda value: type(value) is int and -(1 << 63) <= value < 1 << 63,
    "n": lambda value: type(value) is int and -(1 << 31) <= value < 1 << 31,
    "f": lambda value: type(value) in (int, float) and abs(value) < 1e12,
    "S": lambda value: type(value) is list and all(map(_IS["s"], value)),
    "I": lambda value: type(value) is list and all(map(_IS["i"], value)),
}
_IS["t"] = _IS["f"]
_SURROGATE = re.compile("[\ud800-\udfff]")

# Of the environment: what the loader, CUDA and Python's search are decided by.
DECIDES = re.compile(r"^(LD_|GLIBC_TUNABLES|CUDA_|NVIDIA_|PYTHONPATH|PYTHONHOME|VIRTUAL_ENV|CONDA_PREFIX|CUDNN_)")
_CONFIGURATION = re.compile(r"^/etc/(ld\.so\.(cache|preload|conf)|ld\.so\.conf\.d/[^/]+|ld-musl-[^/]+\.path)$")
_GPU_KINDS = {1: "ptx", 2: "native", 8: "lto"}


class Facts:
    """Rows by table (lists of tuples in the order of COLUMNS), and a summary of them."""

    def __init__(self):
        self.tables = {name: [] for name in TABLES}
        self.summary = {}

    def add(self, table, *row):
        if len(row) != len(COLUMNS[table]):
            raise ValueError(f"{table}: {len(row)} values for {len(COLUMNS[table])} columns")
        self.tables[table].append(row)

    def packed(self):
        """Canonical bytes: the same facts give the same bytes."""
        tables = {name: sorted(rows, key=_order) for name, rows in self.tables.items()}
        return json.dumps(tables, separators=(",", ":"), sort_keys=True).encode("utf-8", "surrogatepass")

    @staticmethod
    def unpacked(data):
        """Raises ValueError: this is nothing that packed() made."""
        facts = Facts()
        try:
            tables = json.loads(data.decode("utf-8", "surrogatepass"))
        except RecursionError:
            raise ValueError("its facts are nested too deep") from None
        if type(tables) is not dict or set(tables) != set(TABLES):
            raise ValueError("its tables are not those of facts")
        for name, columns in COLUMNS.items():
            checks, rows = [(_IS[kind], column in _MAY_LACK) for column, kind in columns], tables[name]
            if type(rows) is not list or not all(
                    type(row) is list and len(row) == len(checks)
                    and all(may_lack if value is None else check(value) for (check, may_lack), value in zip(checks, row))
                    for row in rows):
                raise ValueError(f"its table {name} has values of other types")
            facts.tables[name] = [tuple(row) for row in rows]
        return facts


def digest_of(packed):
    """SHA-256 of packed facts, 32 hexadecimal digits of it."""
    return hashlib.sha256(packed).hexdigest()[:32]


def check_row(row):
    """`row`, of table `nodes`, as a task gives it. Raises ValueError: it came damaged."""
    if type(row) is not dict or any(row.get(name) is None for name in _MUST):
        raise ValueError("its answer is no row of a node")
    for name, kind in (*NODE, ("new_bytes", "i")):
        if row.get(name) is not None and not _IS[kind](row[name]):
            raise ValueError(f"its answer has another type of {name}")
    has_facts = row.get("facts") is not None
    if has_facts != (row["status"] in _ANSWERED) or has_facts and (row.get("good") is None or not _DIGEST.match(row["facts"])):
        raise ValueError(f"its answer is {row['status']!r:.40}, {'with' if has_facts else 'without'} facts that go with it")
    if len(row["parts"]) != len(row["part_bytes"]) or not all(map(_SHA256.match, row["parts"])):
        raise ValueError("its answer names parts that have no digest, or no size")
    return row


def decompressed(packed):
    """Packed facts, as a task sends them. Raises ValueError."""
    reader = zlib.decompressobj()
    try:
        plain = reader.decompress(packed, _MOST_FACTS)
    except zlib.error as error:
        raise ValueError(f"its facts do not decompress: {error}") from None
    if not reader.eof or reader.unused_data:
        raise ValueError("its facts are cut off, or more than 1 GiB")
    return plain


def _order(row):
    return tuple("" if value is None else str(value) for value in row)


def add_scan(facts, lines):
    """`soresolve scan --json`: JSON Lines. Raises ValueError where the last line, the summary, is missing."""
    names, paths, files, summary = [], {}, [], None
    documents = [json.loads(line) for line in lines if line.strip()]
    for document in documents:
        kind = document.get("type")
        if kind == "scan":
            names = document["names"]
        elif kind in ("file", "outside"):
            paths[document["file"]] = document["path"]
            files.append(document)
        elif kind == "summary":
            summary = document
    if summary is None:
        raise ValueError("the answer of scan ends early: its summary is missing")
    processes, first = {}, {}
    for document in files:
        path = document["path"]
        soname = names[document["soname"]] if "soname" in document else None
        facts.add("files", path, soname, None, None, document.get("judged_as", "outside"), document.get("verdict"))
        loads = document.get("loads", [])
        for loaded in [paths[number] for number in loads] + [names[name] for name in document.get("loads_others", [])]:
            processes[loaded] = processes.get(loaded, 0) + 1
            first[loaded] = min(first.get(loaded, path), path)
    for path, count in processes.items():
        facts.add("objects", path, count, first[path])
    for document in files:
        count = processes.get(document["path"], 0) + (1 if "loads" in document else 0)
        targets = document.get("targets")
        for index, need in enumerate(document.get("needs", [])):
            # Without targets no process has loaded the file: there is no answer, which is not "nowhere".
            kind = "needed" if targets is not None else "unasked"
            target = targets[index] if targets is not None else None
            facts.add("requests", document["path"], names[need], kind, None if target is None else paths.get(target),
                      count)
        for link in document.get("links", []):
            target = link["target"]
            facts.add("requests", document["path"], names[link["name"]], link["kind"],
                      None if target is None else paths.get(target), count)
    for document in documents:
        if document.get("type") != "problem":
            continue
        fix = document["fix"] or {}
        counts = document["severity"] == "fatal" and not document["optional"] and "suppression" not in document
        facts.add("problems", document["code"], document["severity"], document["phase"], document["key"], counts,
                  document["headline"], document["library"], document["what"], document["loader_says"],
                  len(document["needers"]), len(document["roots"]), fix.get("command"), fix.get("text"))
    facts.summary.update({name: summary[name] for name in ("dynamic", "programs", "roots", "works", "fails", "depends",
                                                           "optional")})
    facts.summary["good"] = summary["good"]
    # As scan's own status: 0 good, 2 something has no answer, else 1.
    skipped = [document for document in documents if document.get("type") == "skipped" and document["open"]]
    if summary["interrupted"] or summary["out_of_memory"]:
        facts.summary["incomplete"] = "scan ended at its memory limit" if summary["out_of_memory"] else "interrupted"
    elif summary["unjudged"]:
        first = f"; the first is {skipped[0]['path']}: {skipped[0]['reason'] or skipped[0]['why']}" if skipped else ""
        facts.summary["unknown"] = f"{summary['unjudged']} files and directories were not judged{first}"
    elif not summary["good"] and not summary["dynamic"]:
        facts.summary["unknown"] = "nothing to judge: no dynamic ELF file is there"


def add_snapshot(facts, shown):
    """`soresolve snapshot --show --json`: contents and sizes of the files of add_scan(), and the environment."""
    known = {}
    for entry in shown["paths"]:
        if entry["kind"] == "file":
            known[entry["path"]] = entry
    rows = []
    for path, soname, _bytes, _content, judged_as, verdict in facts.tables["files"]:
        entry = known.get(path, {})
        rows.append((path, soname, entry.get("bytes"), entry.get("content"), judged_as, verdict))
    facts.tables["files"] = rows
    for path, entry in known.items():
        if _CONFIGURATION.match(path):
            facts.add("files", path, None, entry["bytes"], entry.get("content"), "configuration", None)
    for setting in shown["env"]:
        name, _, value = setting.partition("=")
        if DECIDES.match(name):
            facts.add("versions", "environment", name, value)
    facts.summary["kernel"] = shown["kernel"]
    facts.summary["soresolve"] = shown["made_by"]


def add_doctor(facts, document):
    """`soresolve doctor --json`: versions of what is installed, and what is wrong with the machine."""
    has_gpu_part = False
    for check in document["checks"]:
        facts.add("versions", check["name"], "", check["seen"])
        for item in check["items"]:
            facts.add("versions", check["name"], item["text"].partition(":")[0], item["text"])
        if check["name"] in ("device-nodes", "kernel-module", "gpus") and check["result"] in ("pass", "warn"):
            has_gpu_part = True
    # A machine without any part of a GPU lacks no driver.
    for check in document["checks"]:
        if check["result"] != "fail":
            continue
        for code in check["problems"] or [check["name"]]:
            advice = check["advice"][0] if check["advice"] else {"text": None, "commands": []}
            facts.add("problems", code, "machine", "machine", f"{code}|{check['name']}", has_gpu_part, check["seen"],
                      "", check["seen"], "", 0, 0, "\n".join(advice["commands"]) or None, advice["text"])
    for framework in document["frameworks"]:
        built = framework["built_for"]
        facts.add("versions", "framework", framework["title"], f"CUDA {built['cuda'] or '-'}, {framework['result']}")
    facts.summary["doctor"] = document["verdict"]


def add_gpu(facts, documents):
    """`soresolve gpu --json --device GPU FILE…`: one document for each file; files without GPU code, and
    those that the snapshot does not hold because they have none, give no row.

    `runs`: all containers of the file have code for the device, some, or none. Libraries of CUDA have kernels for one
    chip alone in containers of their own: some is usual for them, none is a fault.
    """
    for document in documents:
        if "error" in document or not document["containers"]:
            continue
        device = document["device"]
        some = device["native"] + device["compiled"] + device["linked"]
        runs = "none" if not some else "some" if device["none"] else "all"
        for target in document["targets"]:
            facts.add("gpu", document["file"], target["target"], _GPU_KINDS.get(target["kind"], str(target["kind"])),
                      device["name"], runs)
