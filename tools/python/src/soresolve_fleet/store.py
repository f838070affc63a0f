"""Where results are kept: parts of snapshots by digest, and facts as a Parquet dataset, partitioned by run.

    OUT/parts/ab/abcd…               a section of snapshots, under its SHA-256
    OUT/work/run=RUN/batch-N/*.parquet   what an unfinished run has so far
    OUT/work/run=RUN/started             a line for each start of a task, by its name
    OUT/runs/run=RUN/*.parquet       a finished run, one file for each table

A batch is a directory that is renamed into its place, and so is a finished run: a reader sees all tables of it or none.
Whatever is in a batch is not done again. Facts are stored once for each digest in a run; rows of `nodes` point to them.
"""
import collections
import hashlib
import json
import os
import shutil
import time

import pyarrow as pa
import pyarrow.parquet as pq

from soresolve_fleet import facts as fact_tables
from soresolve_fleet.probe import put

_TYPES = {"s": pa.string(), "i": pa.int64(), "b": pa.bool_(), "n": pa.int32(), "f": pa.float64(), "t": pa.timestamp("ms"),
          "S": pa.list_(pa.string()), "I": pa.list_(pa.int64())}
_FACT_KEY = [("facts", pa.string()), ("number", pa.int32())]
NODES = pa.schema([(name, _TYPES[kind]) for name, kind in fact_tables.NODE])
SCHEMAS = {"nodes": NODES}
SCHEMAS.update({table: pa.schema(_FACT_KEY + [(name, _TYPES[kind]) for name, kind in columns])
                for table, columns in fact_tables.COLUMNS.items()})


class Store:
    """The folder OUT."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.parts = os.path.join(self.folder, "parts")

    def work(self, run):
        return os.path.join(self.folder, "work", f"run={run}")

    def finished(self, run):
        return os.path.join(self.folder, "runs", f"run={run}")

    def runs(self):
        """Names of runs, finished ones first, each part ascending."""
        names = []
        for kind in ("runs", "work"):
            folder = os.path.join(self.folder, kind)
            found = os.listdir(folder) if os.path.isdir(folder) else []
            names += sorted(name[4:] for name in found if name.startswith("run=") and name[4:] not in names)
        return names

    def is_finished(self, run):
        return os.path.isdir(self.finished(run))

    def files_of(self, table, run):
        """Paths of Parquet files of a table."""
        if self.is_finished(run):
            return [os.path.join(self.finished(run), f"{table}.parquet")]
        return [os.path.join(batch, f"{table}.parquet") for batch in _batches(self.work(run))]

    def description(self, run):
        for folder in (self.finished(run), self.work(run)):
            path = os.path.join(folder, "run.json")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    return json.load(file)
        raise FileNotFoundError(f"there is no run {run} in {self.folder}")

    def join(self, digests, into):
        """A snapshot, byte for byte. Raises OSError or ValueError."""
        with open(into, "wb") as file:
            for digest in digests:
                with open(os.path.join(self.parts, digest[:2], digest), "rb") as part:
                    data = part.read()
                if hashlib.sha256(data).hexdigest() != digest:
                    raise ValueError(f"part {digest} is damaged")
                file.write(data)


def _batches(work):
    found = os.listdir(work) if os.path.isdir(work) else []
    return [os.path.join(work, name) for name in sorted(found) if name.startswith("batch-")]


def _write(table, rows, path):
    schema = SCHEMAS[table]
    columns = list(zip(*rows)) if rows else [[] for _ in schema]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema)]
    pq.write_table(pa.table(arrays, schema=schema), path, compression="zstd")


class Recorder:
    """Takes answers of one run, and makes them stay. For one process at a time: it holds a lock on the run."""

    def __init__(self, store, run, description, flush_s=5.0, flush_rows=256, flush_facts=200_000):
        self.store, self.run, self.work = store, run, store.work(run)
        self.flush_s, self.flush_rows, self.flush_facts = flush_s, flush_rows, flush_facts
        self._pending = 0  # rows of facts
        os.makedirs(store.parts, exist_ok=True)
        os.makedirs(self.work, mode=0o700, exist_ok=True)
        self._lock = _locked(os.path.join(self.work, "lock"))
        path = os.path.join(self.work, "run.json")
        if not os.path.exists(path):
            _write_whole(path, json.dumps(description).encode())
        for name in os.listdir(self.work):
            if name.startswith("tmp-"):  # of a process that was killed
                shutil.rmtree(os.path.join(self.work, name))
        self.done, self._numbers, self._batch = {}, {}, 0
        self.new_part_bytes = self.all_part_bytes = 0
        for folder in _batches(self.work):
            self._batch = max(self._batch, int(folder.rpartition("-")[2]))
            table = pq.read_table(os.path.join(folder, "nodes.parquet"), columns=["name", "status", "facts", "number"])
            for row in table.to_pylist():
                self.done[row["name"]] = row["status"]
                if row["facts"]:
                    self._numbers[row["facts"]] = row["number"]
        self._rows = {table: [] for table in SCHEMAS}
        self._flushed = time.monotonic()
        path = os.path.join(self.work, "started")
        self.starts = collections.Counter()
        if os.path.exists(path):
            with open(path, "rb") as file:
                self.starts.update(os.fsdecode(line.rstrip(b"\n")) for line in file)
        self._started = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)

    def start(self, name):
        """A task begins. Written at once: the starts that a killed driver has seen are in `attempts`, too."""
        self.starts[name] += 1
        os.write(self._started, os.fsencode(name) + b"\n")

    def knows(self, digest):
        return digest in self._numbers

    def add(self, row, packed, part):
        """`packed()`: the facts as Facts.packed() gives them, asked for where they are new; `part(i)`: bytes of
        row["parts"][i], where it is not in the store; None: nothing has them. All may raise, ValueError where what came is
        damaged, and nothing is recorded then. `attempts` becomes the number of starts, as start() counted them or the
        row has them."""
        digest = fact_tables.check_row(row).get("facts")
        self.new_part_bytes += row.get("new_bytes") or 0
        for index, name in enumerate(row.get("parts") or []):
            self.all_part_bytes += row["part_bytes"][index]
            if not os.path.exists(os.path.join(self.store.parts, name[:2], name)):
                if part is None:
                    raise ValueError(f"{row['name']}: a part of its snapshot is missing")
                data = part(index)
                if hashlib.sha256(data).hexdigest() != name:
                    raise ValueError(f"{row['name']}: a part of its snapshot was damaged on the way")
                if put(self.store.parts, name, data):
                    self.new_part_bytes += len(data)
        if digest and digest not in self._numbers:
            plain = packed()
            if fact_tables.digest_of(plain) != digest:
                raise ValueError(f"{row['name']}: its facts were damaged on the way")
            facts = fact_tables.Facts.unpacked(plain)
            number = len(self._numbers) + 1
            self._numbers[digest] = number
            for table, rows in facts.tables.items():
                self._rows[table] += [(digest, number, *values) for values in rows]
                self._pending += len(rows)
        row = dict(row, number=self._numbers.get(digest), started=int(row["started"] * 1000),
                   attempts=max(self.starts[row["name"]], row.get("attempts") or 0))
        self._rows["nodes"].append([row.get(name) for name in NODES.names])
        self.done[row["name"]] = row["status"]
        is_full = len(self._rows["nodes"]) >= self.flush_rows or self._pending >= self.flush_facts
        if is_full or time.monotonic() - self._flushed > self.flush_s:
            self.flush()

    def flush(self):
        """All that was added is on disk after this."""
        self._flushed = time.monotonic()
        if not self._rows["nodes"]:
            return
        self._batch += 1
        folder = os.path.join(self.work, f"tmp-{self._batch:06d}")
        os.makedirs(folder)
        for table, rows in self._rows.items():
            _write(table, rows, os.path.join(folder, f"{table}.parquet"))
        _sync_tree(folder)
        os.rename(folder, os.path.join(self.work, f"batch-{self._batch:06d}"))
        _sync(self.work)
        self._rows, self._pending = {table: [] for table in SCHEMAS}, 0

    def seal(self):
        """Makes the run a finished one: one file for each table."""
        self.flush()
        folder = os.path.join(self.work, "tmp-sealed")
        os.makedirs(folder)
        for table, schema in SCHEMAS.items():
            with pq.ParquetWriter(os.path.join(folder, f"{table}.parquet"), schema, compression="zstd") as writer:
                pending, count = [], 0
                for batch in _batches(self.work):
                    piece = pq.read_table(os.path.join(batch, f"{table}.parquet"))
                    pending.append(piece)
                    count += piece.num_rows
                    if count >= 200_000:
                        writer.write_table(pa.concat_tables(pending), row_group_size=100_000)
                        pending, count = [], 0
                if pending:
                    writer.write_table(pa.concat_tables(pending), row_group_size=100_000)
        shutil.copyfile(os.path.join(self.work, "run.json"), os.path.join(folder, "run.json"))
        _sync_tree(folder)
        os.makedirs(os.path.join(self.store.folder, "runs"), exist_ok=True)
        os.rename(folder, self.store.finished(self.run))
        _sync(os.path.join(self.store.folder, "runs"))
        self.close()
        shutil.rmtree(self.work)

    def close(self):
        os.close(self._started)
        os.close(self._lock)


def _locked(path):
    import fcntl

    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise BlockingIOError(f"another process works on this run (it holds {path})") from None
    return descriptor


def _write_whole(path, data):
    with open(path + ".tmp", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".tmp", path)


def _sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_tree(folder):
    for name in os.listdir(folder):
        _sync(os.path.join(folder, name))
    _sync(folder)
