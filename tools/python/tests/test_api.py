"""The API: worlds, answers, errors, threads, processes, bytes that are no UTF-8."""

from __future__ import annotations

import ctypes
import doctest
import json
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import broken
import soresolve
import soresolve._command
import soresolve._native
import soresolve._world
import soresolve.hook
import soresolve.testing


def child_verdict(world: soresolve.World, file: str) -> str:
    return world.resolve(file).check().verdict


class WithBroken(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name).resolve()
        self.module = broken.broken_module(self.folder)


class Answers(WithBroken):
    def test_a_missing_library_is_part_of_the_answer(self) -> None:
        run = soresolve.World.host().resolve(self.module, exe="none")
        self.assertEqual(run.missing, ("libhelper.so",))
        self.assertIn("libhelper.so: cannot open shared object file", run.failure or "")
        check = run.check()
        self.assertFalse(check)
        self.assertEqual(check.verdict, "fails")
        fatal = [problem for problem in run.problems if problem.severity == "fatal"]
        self.assertEqual([(p.code, p.name) for p in fatal], [("missing-library", "libhelper.so")])
        self.assertIn("ld.so.cache", " ".join(line.text for line in fatal[0].evidence))

    def test_evidence_is_a_line_for_each_place(self) -> None:
        # The subdirectories for processors, which are searched as well, are seldom there.
        module = broken.compile("int f(void) { return 0; }", self.folder / "asks.so", f"-L{self.folder}/elsewhere",
                                "-Wl,--no-as-needed", "-lhelper", "-Wl,-rpath,/opt/first:" + str(self.folder))
        evidence = soresolve.resolve(module, exe="none").problems[0].evidence
        paths = [str(line.path) for line in evidence]
        self.assertEqual(paths[:3], ["/opt/first/libhelper.so", f"{self.folder}/libhelper.so", "/etc/ld.so.cache"])
        self.assertEqual(len(paths), len(set(paths)))
        self.assertLess(len(paths), 12)
        level = self.folder / "glibc-hwcaps/x86-64-v2"
        level.mkdir(parents=True)
        (level / "libhelper.so").write_bytes(b"\x7fELF of another kind")
        hwcaps = [line for line in soresolve.resolve(module, exe="none").problems[0].evidence if "hwcaps" in str(line.path)]
        self.assertLessEqual(len(hwcaps), 1)  # where this processor has that level

    def test_a_file_is_walked_once(self) -> None:
        world = soresolve.World.host()
        run = world.resolve(self.module, exe="none")
        before = run.to_dict("why")
        os.rename(self.folder / "elsewhere/libhelper.so", self.folder / "libhelper.so")
        self.assertFalse(run.check())
        self.assertIn("not found", run.tree())
        self.assertEqual(run.to_dict("why"), before)

    def test_an_answer_is_asked_for_after_fork(self) -> None:
        run = soresolve.World.host().resolve(self.module, exe="none")
        stop = threading.Event()

        def ask() -> None:
            while not stop.is_set():
                run.html()

        busy = [threading.Thread(target=ask) for _ in range(2)]
        for thread in busy:
            thread.start()
        try:
            for _ in range(8):
                child = os.fork()
                if child == 0:
                    os._exit(0 if run.check().verdict == "fails" and "libhelper" in str(run) else 1)
                end = time.monotonic() + 20
                while (done := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < end:
                    time.sleep(0.01)
                if done[0] == 0:
                    os.kill(child, 9)
                    os.waitpid(child, 0)
                self.assertEqual(done, (child, 0), "the child hangs, or answers otherwise")
        finally:
            stop.set()
            for thread in busy:
                thread.join()

    def test_an_answer_says_why_it_does_not_pickle(self) -> None:
        run = soresolve.resolve("/bin/sh")
        with self.assertRaisesRegex(TypeError, "to_dict"):
            pickle.dumps(run)
        self.assertEqual(pickle.loads(pickle.dumps(run.to_dict())), run.to_dict())
        self.assertEqual(pickle.loads(pickle.dumps(run.problems)), run.problems)
        self.assertEqual(pickle.loads(pickle.dumps(run.objects)), run.objects)

    def test_errors_speak_of_arguments(self) -> None:
        pid = os.getpid()
        asked = {
            "user=": lambda: soresolve.World.of_process(pid, user="root").resolve("/bin/sh"),
            "exe=": lambda: soresolve.World.of_process(pid).resolve("/bin/sh", exe="/bin/sh"),
            "glibc=": lambda: soresolve.World.host(glibc="old").resolve("/bin/sh"),
            "loaded=": lambda: soresolve.World.host().resolve("/bin/sh", loaded=["/lib/x.so"], exe="none"),
            "driver=": lambda: soresolve.World.host(driver="/no/such/place").resolve("/bin/sh"),
            "python=": lambda: soresolve.World.root(self.folder).resolve_import("json"),
        }
        for word, ask in asked.items():
            with self.subTest(word), self.assertRaises(soresolve.SoresolveError) as raised:
                ask()
            self.assertNotRegex(str(raised.exception), r"--[a-z]")
            self.assertIn(word, str(raised.exception))

    def test_fixes_were_tried(self) -> None:
        # Beside the file is where the rules look for what is missing.
        os.rename(self.folder / "elsewhere/libhelper.so", self.folder / "libhelper.so")
        run = soresolve.World.host().resolve(self.module, exe="none")
        self.assertTrue(run.try_commands)
        fix = run.problems[0].fixes[0]
        self.assertEqual(fix.verdict, "works")
        self.assertTrue(fix.commands and str(self.folder) in fix.commands[0], fix)

    def test_objects_come_in_the_order_of_the_loader(self) -> None:
        objects = soresolve.resolve("/bin/sh").objects
        self.assertEqual(objects[0].role, "main")
        libc = next(entry for entry in objects if entry.soname == "libc.so.6")
        self.assertEqual(libc.loader, 0)
        self.assertTrue(any(need.name == "libc.so.6" and need.target == libc.index for need in objects[0].needs))
        listed = soresolve.resolve("/bin/sh").table()
        self.assertEqual(len(listed), len(objects))

    def test_library_and_command_give_the_same_document(self) -> None:
        words = ["--exe", "none", "--", str(self.module)]
        run = soresolve.World.host().resolve(self.module, exe="none")
        for question in ("tree", "check", "why"):
            status, out = soresolve._command.run([question, "--json", *words])
            told = json.loads(out)
            if question == "check":
                self.assertEqual(bool(run.check()), status == 0)
            mine = run.to_dict(question)
            for data in (told, mine):
                data["world"].pop("environment")  # the command knows all of it, the library what decides
            self.assertEqual(mine, told, question)

    def test_the_command_answers_where_the_library_is_missing(self) -> None:
        text = (
            "import soresolve; r = soresolve.resolve(%r, exe='none'); "
            "print(r.missing, r.check().verdict, len(r.html()) > 1000, len(list(soresolve.resolve('/bin/sh').bindings())) > 9)"
        )
        env = {"SORESOLVE_LIBRARY": "/no/such.so", "SORESOLVE_COMMAND": soresolve._command.find_command()}
        ran = broken.python("-c", text % str(self.module), folder=self.folder, env=env)
        self.assertEqual(ran.stdout, "('libhelper.so',) fails True True\n", ran.stderr)

    def test_loaded_before_counts(self) -> None:
        helper = self.folder / "elsewhere/libhelper.so"
        run = soresolve.World.host().resolve(self.module, exe=sys.executable, loaded=[helper])
        self.assertEqual(run.missing, ())
        with self.assertRaises(soresolve.UsageError):
            soresolve.World.host().resolve(self.module, rtld="sideways")

    def test_this_process_knows_what_it_has_loaded(self) -> None:
        self.assertEqual(soresolve.World.of_process().resolve(self.module).missing, ("libhelper.so",))
        ctypes.CDLL(str(self.folder / "elsewhere/libhelper.so"))
        self.assertEqual(soresolve.World.of_process().resolve(self.module).missing, ())

    def test_environment_is_inherited_or_given(self) -> None:
        path = {"LD_LIBRARY_PATH": str(self.folder / "elsewhere")}
        self.assertEqual(soresolve.World.host(env=path).resolve(self.module, exe="none").missing, ())
        os.environ.update(path)
        try:
            self.assertEqual(soresolve.World.host().resolve(self.module, exe="none").missing, ())
            self.assertEqual(soresolve.World.host(env={}).resolve(self.module, exe="none").missing, ("libhelper.so",))
        finally:
            del os.environ["LD_LIBRARY_PATH"]

    def test_a_page_for_notebooks(self) -> None:
        run = soresolve.World.host().resolve(self.module, exe="none")
        self.assertIn("<title>", run.html())
        self.assertTrue(run._repr_html_().startswith("<iframe srcdoc="))
        self.assertNotIn("<title>", run._repr_html_())  # escaped
        self.assertIn("libhelper.so", str(run))

    def test_scan_is_an_iterator(self) -> None:
        scan = soresolve.scan(self.folder)
        causes = [record for record in scan.problems() if record["severity"] == "fatal"]
        self.assertEqual([record["code"] for record in causes], ["missing-library"])
        self.assertEqual(scan.found, 2)
        assert scan.summary is not None
        self.assertEqual(scan.summary["fails"], 1)
        for _record in soresolve.scan(self.folder):
            break  # who leaves early leaves no process behind

    def test_a_module_is_opened_by_the_python_that_runs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "_x.c")
            module = os.path.join(folder, "_x.so")
            pathlib.Path(source).write_text("void *PyInit__x(void) { return 0; }\n", encoding="ascii")
            if subprocess.run(["cc", "-shared", "-fPIC", "-o", module, source], check=False).returncode != 0:
                self.skipTest("no compiler")
            text = str(soresolve.World.host().resolve(module).to_dict("check"))
            self.assertIn(f"opened by {sys.executable}", text)
            self.assertIn("it is the one that runs", text)

    def test_a_scan_that_judged_nothing_answers_and_is_not_good(self) -> None:
        with tempfile.TemporaryDirectory() as empty:
            scan = soresolve.scan(empty)
            list(scan)
        assert scan.summary is not None
        self.assertFalse(scan.summary["good"])
        with self.assertRaises(soresolve.NotFoundError):
            list(soresolve.scan("/nonexistent/place"))

    def test_a_scan_says_how_far_it_is(self) -> None:
        steps: list[soresolve.ScanProgress] = []
        records = list(soresolve.scan(self.folder, progress=steps.append))
        self.assertEqual(records[0]["type"], "scan")
        self.assertNotIn("progress", [record["type"] for record in records])
        self.assertEqual((steps[-1].files, steps[-1].is_finding), (2, False))
        self.assertEqual([step.judged for step in steps], sorted(step.judged for step in steps))
        self.assertGreater(steps[-1].judged, 0)

        def stop(_step: soresolve.ScanProgress) -> None:
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            list(soresolve.scan(self.folder, progress=stop))

    def test_an_image_goes_by_the_command(self) -> None:
        archive = self.folder / "a.tar"
        subprocess.run(["tar", "-cf", archive, "-C", self.folder, "elsewhere"], check=True)
        image = soresolve.World.root(archive)
        self.assertEqual(image.symvers("/elsewhere/libhelper.so")["library"]["soname"], "libhelper.so")
        with self.assertRaises(soresolve.NoLoaderError):
            image.resolve("/elsewhere/libhelper.so", exe="none")
        driver = soresolve.World.host(driver="550.54.14").resolve(self.module)
        self.assertEqual(driver.check().verdict, "fails")


class Errors(WithBroken):
    def test_one_family(self) -> None:
        text = self.folder / "text"
        text.write_text("no ELF")
        cases = [
            ("/no/such/x.so", soresolve.NotFoundError, 1),
            (str(text), soresolve.NotElfError, 3),
            ("a\0b", soresolve.UsageError, 9),
        ]
        for file, kind, code in cases:
            with self.subTest(file=file), self.assertRaises(kind) as caught:
                soresolve.resolve(file)
            self.assertIsInstance(caught.exception, soresolve.SoresolveError)
            self.assertEqual(caught.exception.code, code)
            again = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((type(again), str(again), again.code), (kind, str(caught.exception), code))
        with self.assertRaises(soresolve.NotFoundError):
            soresolve.World.root("/no/such/root")
        with self.assertRaises(soresolve.SoresolveError):
            soresolve.World.of_process(2**22 + 1).resolve("libc.so.6")

    def test_no_library_in_the_place_of_the_wheel(self) -> None:
        foreign = self.folder / "libforeign.so"
        data = bytearray((self.folder / "elsewhere/libhelper.so").read_bytes())
        own = int.from_bytes(data[18:20], "little")
        data[18:20] = (183 if own == 62 else 62).to_bytes(2, "little")
        foreign.write_bytes(data)
        old = self.folder / "elsewhere/libhelper.so"
        text = self.folder / "text.so"
        text.write_text("no ELF")
        for path, words in (
            ("/no/such.so", "is missing: reinstall"),
            (str(foreign), "install the wheel of this architecture"),
            (str(text), "is not an ELF file"),
            (str(old), "is older than this package"),
        ):
            ran = broken.python(
                "-c", "import soresolve; print(soresolve.versions()['library'])", folder=self.folder,
                env={"SORESOLVE_LIBRARY": path},
            )
            self.assertIn(words, ran.stdout, ran.stderr)
        ran = broken.python(
            "-c", "import soresolve; soresolve.doctor()", folder=self.folder,
            env={"SORESOLVE_COMMAND": "/no/such", "SORESOLVE_LIBRARY": "", "PATH": "/no/such"},
        )
        if "--installed" not in sys.argv:
            self.assertIn("the command soresolve is not installed", ran.stderr)

    def test_names_that_are_no_utf8(self) -> None:
        odd = os.fsencode(self.folder) + b"/n\xffx.so"
        os.rename(self.module, odd)
        run = soresolve.resolve(odd, exe="none")
        self.assertEqual(os.fsencode(run.objects[0].path), odd)
        self.assertEqual(soresolve.resolve(os.fsdecode(odd), exe="none").missing, ("libhelper.so",))
        self.assertEqual(run.check().verdict, "fails")
        with self.assertRaises(soresolve.NotFoundError) as caught:
            soresolve.resolve(odd + b"x")
        self.assertEqual(os.fsencode(caught.exception.path), odd + b"x")
        found = [record["verdict"] for record in soresolve.scan(os.fsencode(self.folder)) if record["type"] == "file"]
        self.assertEqual(sorted(found), ["fails", "works"])


class Processes(WithBroken):
    def test_fork_and_spawn(self) -> None:
        world = soresolve.World.host()
        world.resolve("/bin/sh")
        for method in ("fork", "spawn"):
            with self.subTest(method=method), multiprocessing.get_context(method).Pool(2) as pool:
                verdicts = pool.starmap(child_verdict, [(world, "/bin/sh")] * 4, chunksize=1)
                self.assertEqual(verdicts, ["ok"] * 4)

    def test_threads_share_a_world(self) -> None:
        world = soresolve.World.host()
        verdicts: list[str] = []
        threads = [
            threading.Thread(target=lambda: verdicts.append(world.resolve("/bin/sh").check().verdict)) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(verdicts, ["ok"] * 8)

    def test_the_gil_is_released(self) -> None:
        """This thread wakes several times within one question; once at most, were the GIL held all the time."""
        world = soresolve.World.host()
        seen, most, stop = 0, 0, threading.Event()

        def ask() -> None:
            nonlocal most
            end = time.monotonic() + 60
            while most < 5 and time.monotonic() < end:
                before = seen
                world.resolve(sys.executable).to_dict("check")
                most = max(most, seen - before)
            stop.set()

        thread = threading.Thread(target=ask)
        thread.start()
        while not stop.is_set():
            time.sleep(0.0001)
            seen += 1
        thread.join()
        self.assertGreaterEqual(most, 5)

    def test_an_interrupt_ends_the_question(self) -> None:
        code = (
            "import soresolve, signal, threading, os\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background ignores it
            "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "try:\n"
            "  for _ in range(1000): list(soresolve.scan('/usr/lib', fixes=False))\n"
            "except KeyboardInterrupt: print('interrupted')\n"
        )
        ran = broken.python("-c", code, folder=self.folder)
        self.assertEqual(ran.stdout, "interrupted\n", ran.stderr)

    def test_the_end_of_the_interpreter(self) -> None:
        code = "import soresolve; kept = soresolve.resolve('/bin/sh'); kept.check(); import sys; sys.kept = kept"
        ran = broken.python("-X", "dev", "-c", code, folder=self.folder)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_no_leak_in_many_questions(self) -> None:
        world = soresolve.World.host()

        def resident() -> int:
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(300):
            world.resolve("/bin/sh").objects
        before = resident()
        for _ in range(2000):
            world.resolve("/bin/sh").objects
            with self.assertRaises(soresolve.SoresolveError):
                world.resolve("/no/such")
        self.assertLess(resident() - before, 8 << 20)


class Costs(unittest.TestCase):
    """Calls are counted; test/bench/python_calls takes their times."""

    def test_a_question_crosses_into_the_library_once(self) -> None:
        world = soresolve.World.host()
        if world._engine(None, (), None)._asker is None:
            self.skipTest("no library here")
        world.resolve("/bin/sh")  # the world is opened
        native = soresolve._native.library()
        crossed: list[str] = []

        class Counting:
            def __getattr__(self, name: str) -> object:
                def call(*arguments: object) -> object:
                    crossed.append(name)
                    return getattr(native, name)(*arguments)

                return call

        with unittest.mock.patch.object(soresolve._native, "_library", Counting()):
            run = world.resolve("/bin/sh")
            self.assertEqual(crossed, ["soresolve_resolve"])
            crossed.clear()
            for _ in range(2):
                self.assertTrue(run.check())
                self.assertTrue(run.verdict)
                self.assertEqual([problem.severity for problem in run.problems if problem.severity == "fatal"], [])
                self.assertEqual(run.try_commands, ())
            one = ["soresolve_map_ask", "soresolve_document_get", "soresolve_document_free"]
            self.assertEqual(crossed, one + one)  # check, why


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, _pattern: object) -> unittest.TestSuite:
    for module in (soresolve, soresolve._world, soresolve.hook, soresolve.testing):
        tests.addTests(doctest.DocTestSuite(module, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL))
    return tests


if __name__ == "__main__":
    unittest.main()
