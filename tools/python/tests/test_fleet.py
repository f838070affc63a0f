"""The fleet, as far as the standard library goes: what of others is refused, what a cache shares, answers that came
damaged, and whether a place gets the answer that the command gives."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest
import zipfile
from typing import Any
from unittest import mock

import broken
import fleet_cases

from soresolve import _command
from soresolve_fleet import engine_slurm, facts, inputs, private, probe

_NOBODY = 65534


class WithFolder(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(os.path.realpath(tempfile.mkdtemp()))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def request(self, place: pathlib.Path, **more: Any) -> dict[str, Any]:
        return {"task": "scan", "name": "p", "place": str(place), "options": [], "timeout_s": 60, "memory_mib": 4096,
                "command": _command.find_command(), "command_digest": "x", "versions": False, **more}

    def status(self, **asked: Any) -> int:
        """As the command's: of one place."""
        row = probe.perform(self.request(**asked)).row
        return 2 if row["status"] != "ok" else 0 if row["good"] else 1


@unittest.skipIf(os.geteuid() != 0, "files of another user take root")
class OfOthers(WithFolder):
    def plant(self, path: pathlib.Path, kind: str, mode: int, uid: int) -> None:
        if kind == "folder":
            path.mkdir()
        elif kind == "file":
            path.write_bytes(b"planted")
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "link":
            target = path.with_name(path.name + ".target")
            self.plant(target, "folder" if path.name == "top" else "file", mode, uid)
            path.symlink_to(target)
            return
        elif kind == "dangling":
            path.symlink_to(path.with_name("nowhere"))
            return
        elif kind == "nothing":
            return
        os.chown(path, uid, uid)
        path.chmod(mode)

    def test_a_directory_counts_that_nobody_else_can_have_made(self) -> None:
        cases = [("nothing", 0, 0, True), ("folder", 0o700, 0, True), ("folder", 0o755, 0, True), ("folder", 0o770, 0, False),
                 ("folder", 0o1777, 0, False), ("folder", 0o700, _NOBODY, False), ("folder", 0o777, _NOBODY, False),
                 ("link", 0o700, 0, False), ("link", 0o700, _NOBODY, False), ("dangling", 0, 0, False), ("file", 0o600, 0, False)]
        for number, (kind, mode, uid, is_accepted) in enumerate(cases):
            with self.subTest(kind=kind, mode=oct(mode), uid=uid):
                path = self.folder / str(number) / "top"
                path.parent.mkdir()
                self.plant(path, kind, mode, uid)
                got = private.folder(str(path))
                self.assertEqual(got.path == str(path), is_accepted)
                status = os.lstat(got.path)
                self.assertEqual((stat.S_IMODE(status.st_mode), status.st_uid), (0o700, 0))
                self.assertEqual(private.folder(str(path)).path, got.path)
                if not is_accepted:
                    self.assertRaises(OSError, private.Folder, str(path))

    def test_a_file_counts_that_nobody_else_can_have_written(self) -> None:
        folder = private.folder(str(self.folder / "own"))
        cases = [("file", 0o600, 0, True), ("file", 0o755, 0, True), ("file", 0o660, 0, False), ("file", 0o602, 0, False),
                 ("file", 0o600, _NOBODY, False), ("link", 0o600, 0, False), ("fifo", 0o600, 0, False),
                 ("folder", 0o700, 0, False), ("nothing", 0, 0, False)]
        for number, (kind, mode, uid, is_accepted) in enumerate(cases):
            with self.subTest(kind=kind, mode=oct(mode), uid=uid):
                self.plant(self.folder / "own" / str(number), kind, mode, uid)
                file = folder.open(str(number))
                self.assertEqual(file is not None, is_accepted)
                if file is not None:
                    file.close()

    def test_content_is_what_its_digest_says(self) -> None:
        folder = private.folder(str(self.folder / "own"))
        digest = hashlib.sha256(b"good").hexdigest()
        self.plant(self.folder / "own" / digest, "file", 0o600, 0)
        path = pathlib.Path(folder.put_content(digest, lambda: b"good", mode=0o700))
        self.assertEqual((path.read_bytes(), stat.S_IMODE(path.stat().st_mode)), (b"good", 0o700))
        folder.put_content(digest, lambda: self.fail("it is there"))  # type: ignore[arg-type, func-returns-value]
        self.assertRaises(ValueError, folder.put_content, "0" * 64, lambda: b"bad")
        self.assertEqual(os.listdir(folder.path), [digest])

    def test_no_code_and_no_facts_of_others(self) -> None:
        """What Ray's task runs, the command and the cache, where another user was first in /tmp."""
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            archive.writestr("soresolve_fleet/__init__.py", "")
            archive.writestr("soresolve_fleet/probe.py", "place_command = lambda data, digest: print('own code')")
        code = '''
            import sys, types
            from soresolve_fleet import engine_ray
            sys.modules["ray"] = types.SimpleNamespace(get=lambda value: value)
            from soresolve_fleet import private, probe
            print(open(probe.place_command(lambda: b"own", sys.argv[3]), "rb").read())
            list(engine_ray._perform((sys.argv[1], [bytes.fromhex(sys.argv[2])]), ("", [b""]), []))
        '''
        digest, command = hashlib.sha256(data.getvalue()).hexdigest(), hashlib.sha256(b"own").hexdigest()
        for kind, uid, mode in (("folder", _NOBODY, 0o755), ("folder", 0, 0o777), ("link", _NOBODY, 0o700), ("own", 0, 0o700)):
            with self.subTest(kind=kind, uid=uid):
                temporary = self.folder / f"{kind}-{uid}"
                temporary.mkdir()
                top = temporary / f"soresolve-fleet-{os.geteuid()}"
                self.plant(top, "folder" if kind == "own" else kind, mode, uid)
                if kind == "link":
                    top.unlink()
                    (temporary / "elsewhere").mkdir()
                    os.chown(temporary / "elsewhere", _NOBODY, _NOBODY)
                    top.symlink_to("elsewhere")
                with zipfile.ZipFile(top / f"{digest}.zip", "w") as archive:
                    archive.writestr("soresolve_fleet/__init__.py", "print('code of a stranger')")
                    archive.writestr("soresolve_fleet/probe.py", "")
                (top / command).write_bytes(b"of a stranger")
                if kind == "own":  # files of another user in a directory of this one
                    for path in top.iterdir():
                        os.chown(path, _NOBODY, _NOBODY)
                ran = broken.python("-c", textwrap.dedent(code), digest, data.getvalue().hex(), command, folder=self.folder,
                                    env={"TMPDIR": str(temporary)})
                self.maxDiff = None
        self.assertEqual((ran.stdout, ran.stderr), ("b'own'\nown code\n", ""))

    def test_a_planted_cache_has_no_say(self) -> None:
        place = fleet_cases.docker_save(self.folder / "image.tar", fleet_cases.root(_command.find_command(), self.folder / "root"))
        cache = self.folder / "cache"
        request = self.request(place, cache=str(cache))
        self.assertFalse(probe.perform(request).row.get("shared"))
        self.assertTrue(probe.perform(request).row.get("shared"))
        (kept,) = (cache / "facts").iterdir()
        for change in (lambda: os.chown(kept, _NOBODY, _NOBODY), lambda: os.chown(cache / "facts", _NOBODY, _NOBODY),
                       lambda: kept.write_bytes(b'{"good": 1}\n'), lambda: kept.write_bytes(kept.read_bytes()[:-9])):
            change()
            answer = probe.perform(request).row
            self.assertEqual((answer.get("shared"), answer["status"], answer["reason"]), (None, "ok", ""))
            os.chown(cache / "facts", 0, 0)


class Cache(WithFolder):
    def test_equal_manifests_with_other_layers_share_nothing(self) -> None:
        command = _command.find_command()
        good = fleet_cases.root(command, self.folder / "good")
        bad = shutil.copytree(good, self.folder / "bad")
        for path in bad.rglob("libc.so.6"):
            path.unlink()
        first = fleet_cases.docker_save(self.folder / "first.tar", good)
        other = fleet_cases.docker_save(self.folder / "other.tar", bad, like=first)
        for verify, wanted in ((False, 1), (True, 2)):
            for cache in (None, str(self.folder / "cache")):
                with self.subTest(verify=verify, cache=cache):
                    self.assertEqual([self.status(place=place, cache=cache, verify=verify) for place in (first, first, other)],
                                     [0, 0, wanted])
        # An answer without --verify is none with it; nor is one to a file that has been another since.
        cache = str(self.folder / "again")
        self.assertEqual([self.status(place=other, cache=cache, verify=verify) for verify in (False, True)], [1, 2])
        shutil.copyfile(other, first)
        self.assertEqual(self.status(place=first, cache=cache), 1)

    def test_a_layout_is_named_by_its_blobs(self) -> None:
        layout = self.folder / "layout"
        (layout / "blobs/sha256").mkdir(parents=True)
        for name in ("oci-layout", "index.json", "blobs/sha256/abc"):
            (layout / name).write_text("{}")
        cache = str(self.folder / "cache")
        before = inputs.fetch(str(layout), None, cache)
        self.assertEqual(inputs.fetch(str(layout), None, cache).identity, before.identity)
        self.assertTrue(before.identity and before.is_as_it_was())
        (layout / "blobs/sha256/abc").write_text("[]")
        self.assertNotEqual(inputs.fetch(str(layout), None, cache).identity, before.identity)
        self.assertFalse(before.is_as_it_was())
        (layout / "more").symlink_to("/")
        self.assertIsNone(inputs.fetch(str(layout), None, cache).identity)
        self.assertIsNone(inputs.fetch(str(layout), None, None).identity)

    def test_what_an_option_names_is_not_kept(self) -> None:
        place = inputs.Place("/x.whl", "wheel", "sha256:1")

        def key(request: dict[str, Any], of: inputs.Place, **environment: str) -> Any:
            return probe._key_of(request, of, environment)

        plain = key(self.request(self.folder), place)
        self.assertEqual(plain, key(self.request(self.folder), place, HOME="/x"))
        self.assertNotIn(key(self.request(self.folder), place, LD_LIBRARY_PATH="/x"), (plain, None))
        self.assertNotIn(key(self.request(self.folder, verify=True), place), (plain, None))
        self.assertIsNone(key(self.request(self.folder, command_digest=None, command="nowhere"), place))
        self.assertNotIn(key(self.request(self.folder, options=["--driver", "550.54.14"]), place), (plain, None))
        for option in (["--base", "/"], ["--base=/"], ["--driver", str(self.folder)]):
            self.assertIsNone(key(self.request(self.folder, options=option), place))
        other = inputs.Place("/x-cp311.whl", "wheel", "sha256:1")
        self.assertNotEqual(key(self.request(self.folder), place), key(self.request(self.folder), other))


class Answers(WithFolder):
    """`collect`, with a recorder that takes what Parquet's would."""

    class Recorder:
        def __init__(self, work: pathlib.Path) -> None:
            self.work, self.done, self.rows = str(work), {}, []  # type: ignore[var-annotated]

        def add(self, row: dict[str, Any], packed: Any, part: Any) -> None:
            digest = facts.check_row(row).get("facts")
            if row["parts"]:
                raise ValueError("a part is missing")
            if digest:
                plain = packed()
                if facts.digest_of(plain) != digest:
                    raise ValueError("damaged on the way")
                for table, columns in facts.COLUMNS.items():
                    for values in facts.Facts.unpacked(plain).tables[table]:
                        for value, (_, kind) in zip(values, columns):
                            assert value is None or type(value) is {"s": str, "i": int, "b": bool}[kind], (table, values)
                            str(value).encode()
            json.dumps(row, allow_nan=False).encode("ascii")
            self.rows.append(row)
            self.done[row["name"]] = row["status"]

        def flush(self) -> None:
            pass

    def collect(self, expected: list[str], answers: dict[str, bytes]) -> "Answers.Recorder":
        work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (work / "incoming").mkdir()
        for name, data in answers.items():
            (work / "incoming" / name).write_bytes(data)
        (work / "expected").write_text("\n".join(expected))
        (work / "request.json").write_text(json.dumps(
            {"task": "snapshot", "kind": "node", "place": "/", "groups": {}, "incoming": str(work / "incoming")}))
        self.incoming = work / "incoming"
        recorder = Answers.Recorder(work)
        engine_slurm.collect(recorder)
        return recorder

    def test_each_damaged_answer_is_a_row(self) -> None:
        file = probe.answer_name("n")
        seen = {"ok": 0, "damaged": 0}
        work = self.collect(["n"], {}).work
        for what, data in fleet_cases.answers(facts, "n"):
            with self.subTest(what=what):
                (pathlib.Path(work) / "incoming" / file).write_bytes(data)
                recorder = Answers.Recorder(pathlib.Path(work))
                engine_slurm.collect(recorder)
                self.assertEqual([row["name"] for row in recorder.rows], ["n"])
                status = recorder.done["n"]
                seen[status] = seen.get(status, 0) + 1
                if what == "whole":
                    self.assertEqual(status, "ok")
                if what.startswith("cut at") or what in ("not json", "named alone", "a bomb", "nested", "facts nested"):
                    self.assertEqual(status, "damaged")
        self.assertGreater(seen["damaged"], 900)
        self.assertGreater(seen["ok"], 100)  # members that may be missing, and counts that are other counts

    def test_one_bad_file_ends_no_collection(self) -> None:
        whole = next(fleet_cases.answers(facts, "good"))[1]
        name = probe.answer_name
        self.collect(["good", "bad", "silent"], {})
        answers = {name("good"): whole, name("bad"): b"not json", "zz": b"not json", "y\n::x": b'{"name":"n2"}', name("silent")[:5]: whole}
        recorder = self.collect(["good", "bad", "silent"], answers)
        self.assertEqual(recorder.done, {"good": "ok", "bad": "damaged", "silent": "lost", "incoming/zz": "damaged",
                                         "incoming/y\\n::x": "damaged", f"incoming/{name('silent')[:5]}": "damaged"})
        # What is no file, or far too large.
        os.mkfifo(self.incoming / "fifo")
        (self.incoming / "folder").mkdir()
        (self.incoming / "link").symlink_to(name("good"))
        (self.incoming / "zero").symlink_to("/dev/zero")
        with open(self.incoming / "huge", "wb") as file:
            file.truncate(1 << 40)
        recorder = Answers.Recorder(self.incoming.parent)
        engine_slurm.collect(recorder)
        for file in ("fifo", "folder", "link", "zero", "huge"):
            self.assertEqual(recorder.done[f"incoming/{file}"], "damaged", file)
        self.assertEqual(recorder.done["good"], "ok")


class Workers(WithFolder):
    def test_no_module_of_the_working_directory(self) -> None:
        (self.folder / "multiprocessing.py").write_text("open('ran', 'w')\n")
        code = """
            import sys; sys.path.remove("")
            from soresolve_fleet import engine_local
            class Recorder: start = add = lambda self, *given: rows.append(given[0])
            if __name__ == "__main__":
                rows = []
                Recorder.store = Recorder; Recorder.parts = "parts"
                request = {"task": "scan", "name": "p", "place": "nowhere", "options": [], "timeout_s": 9, "memory_mib": 99,
                           "command": "x", "cache": None}
                engine_local.run([request], Recorder(), {"workers": 1, "retries": 0})
                print(rows[-1]["status"])
        """
        ran = broken.python("-c", textwrap.dedent(code), folder=self.folder)
        self.assertEqual((ran.stdout, ran.stderr), ("unreadable\n", ""))
        self.assertFalse((self.folder / "ran").exists())


class AsScan(WithFolder):
    def test_a_place_gets_the_answer_of_the_command(self) -> None:
        """Statuses, of a dozen places, and with options."""
        command = _command.find_command()
        places = fleet_cases.places(command, self.folder)
        base = str(places["healthy"])
        seen = set()
        cases = [(name, [], ["--root", str(place)]) for name, place in places.items()]
        cases += [(name, ["--strict"], ["--root", str(places[name])]) for name in ("healthy", "lone")]
        cases += [(name, ["--allow-empty"], ["--root", str(places[name])]) for name in ("empty", "texts")]
        # Over a base: what was given, and nothing of the base. Here that fails, and the place does not.
        cases += [(name, ["--base", below], ["--", str(places[name])]) for below in (base, str(places["lacking"]))
                  for name in ("wheel", "wheel of another Python", "image")]
        for name, options, words in cases:
            with self.subTest(place=name, options=options):
                asked = subprocess.run([command, "scan", "--json", *options, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(self.status(place=places[name], options=options), asked.returncode)
                seen.add(asked.returncode)
        self.assertEqual(seen, {0, 1, 2})
        self.assertEqual(self.status(place=places["healthy"], options=["--base", base]), 2)

    def test_no_policy_of_the_working_directory(self) -> None:
        place = fleet_cases.places(_command.find_command(), self.folder)["lacking"]
        (self.folder / "work").mkdir()
        (self.folder / "work/soresolve.toml").write_text('[[ignore]]\nfiles = "*"\nreason = "x"\n')
        before = os.getcwd()
        os.chdir(self.folder / "work")
        self.addCleanup(os.chdir, before)
        self.assertEqual(self.status(place=place), 1)


if __name__ == "__main__":
    unittest.main()
