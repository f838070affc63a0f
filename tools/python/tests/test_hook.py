"""Where imports break: notes on exceptions, `python -m soresolve run`, the .pth file, pytest, packagers, IPython."""

from __future__ import annotations

import importlib
import os
import pathlib
import shutil
import sys
import tempfile
import types
import unittest
from typing import Any
from unittest import mock

import broken
import soresolve
import soresolve.testing
from soresolve import _command
from soresolve._command import find_command

SOURCES = pathlib.Path(soresolve.__file__).resolve().parent.parent


class WithBroken(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name).resolve()
        self.module = broken.broken_module(self.folder)


class Hook(WithBroken):
    def assert_told(self, text: str) -> None:
        self.assertIn("ImportError: libhelper.so: cannot open shared object file", text)
        self.assertIn("soresolve: ", text)
        self.assertIn("libhelper.so is not found", text)
        self.assertIn("all of it: soresolve why --exe", text)

    def test_an_import_says_why(self) -> None:
        ran = broken.python("-c", "import soresolve.hook, brokenmod", folder=self.folder)
        self.assertEqual(ran.returncode, 1)
        self.assert_told(ran.stderr)
        ran = broken.python("-c", "import brokenmod", folder=self.folder)
        self.assertNotIn("soresolve", ran.stderr)

    def test_run_keeps_arguments_and_status(self) -> None:
        script = self.folder / "train.py"
        script.write_text("import sys; print(sys.argv, __name__); sys.exit(7)\n")
        ran = broken.python("-m", "soresolve", "run", "train.py", "--lr", "1", folder=self.folder)
        self.assertEqual((ran.returncode, ran.stdout), (7, "['train.py', '--lr', '1'] __main__\n"), ran.stderr)
        script.write_text("import brokenmod\n")
        self.assert_told(broken.python("-m", "soresolve", "run", "train.py", folder=self.folder).stderr)
        self.assert_told(broken.python("-m", "soresolve", "run", "-m", "train", folder=self.folder).stderr)

    def test_tracebacks_of_run_are_those_of_the_program(self) -> None:
        script = self.folder / "train.py"
        programs = {
            "an error": "def f():\n    raise ValueError(1)\nf()\n",
            "an import": "import brokenmod\n",
            "a library": "import ctypes\nctypes.CDLL(%r)\n" % str(next(self.folder.glob("brokenmod*"))),
            "a cause": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError(2) from e\n",
            "its own hook": "import sys, traceback\nsys.excepthook = traceback.print_exception\nint('x')\n",
            "no code": "def :\n",
            "an interrupt": "raise KeyboardInterrupt\n",
            "a library, caught": "import traceback\ntry: import brokenmod\nexcept ImportError: traceback.print_exc()\n",
        }
        for name, program in programs.items():
            script.write_text(program)
            plain = broken.python("train.py", folder=self.folder)
            for words in (["train.py"], ["-m", "train"]):
                ran = broken.python("-m", "soresolve", "run", *words, folder=self.folder)
                with self.subTest(name, words=words):
                    files = [line for line in ran.stderr.splitlines() if line.startswith("  File ")]
                    self.assertEqual(ran.returncode, plain.returncode, ran.stderr)
                    self.assertEqual(
                        [line.replace(str(self.folder) + "/", "") for line in files],
                        [line.replace(str(self.folder) + "/", "") for line in plain.stderr.splitlines() if line.startswith("  File ")],
                    )

    def test_other_words_go_to_the_command(self) -> None:
        ran = broken.python("-m", "soresolve", "check", "/bin/sh", folder=self.folder)
        self.assertEqual((ran.returncode, ran.stdout.split("\n")[0]), (0, "ok"), ran.stderr)

    def test_ctypes_says_why(self) -> None:
        code = "import soresolve.hook, ctypes\nctypes.CDLL(%r)"
        module = str(next(self.folder.glob("brokenmod*")))
        self.assertIn("soresolve: ", broken.python("-c", code % module, folder=self.folder).stderr)
        ran = broken.python("-c", code % "libnothere.so.3", folder=self.folder)
        self.assertIn("libnothere.so.3 is not found", ran.stderr)

    def test_an_own_library_that_does_not_load_is_no_case_for_the_hook(self) -> None:
        env = {"SORESOLVE_LIBRARY": str(next(self.folder.glob("brokenmod*"))), "SORESOLVE_COMMAND": find_command()}
        self.assert_told(broken.python("-c", "import soresolve.hook, brokenmod", folder=self.folder, env=env).stderr)

    def test_code_that_tries_names_in_turn_gets_no_delay(self) -> None:
        code = (
            "import soresolve.hook, ctypes\n"
            "try: ctypes.CDLL('libnothere.so.3')\n"
            "except OSError as error: print(getattr(error, '__notes__', None))\n"
            "try: import nosuchmodule\n"
            "except ImportError as error: print(getattr(error, '__notes__', None))\n"
        )
        self.assertEqual(broken.python("-c", code, folder=self.folder).stdout, "None\nNone\n")

    def test_the_cause_of_a_cause(self) -> None:
        code = (
            "import soresolve.hook\n"
            "try:\n  import brokenmod\n"
            "except ImportError as error:\n  raise RuntimeError('no backend') from error\n"
        )
        told = broken.python("-c", code, folder=self.folder).stderr
        self.assert_told(told)
        # What people see first is the end of the output.
        end = told[told.index("RuntimeError: no backend") :]
        self.assertIn("libhelper.so is not found", end)

    @unittest.skipIf(sys.version_info < (3, 11), "notes came with Python 3.11")
    def test_it_is_a_note(self) -> None:
        code = "import soresolve.hook\ntry: import brokenmod\nexcept ImportError as e: print(e.__notes__[0].split(':')[0])"
        self.assertEqual(broken.python("-c", code, folder=self.folder).stdout, "soresolve\n")

    def test_what_is_loaded_in_this_process_counts(self) -> None:
        # The library that was missing is loaded: the module fails for another reason, not for that one.
        code = (
            "import soresolve.hook, ctypes\n"
            f"ctypes.CDLL({str(self.folder / 'elsewhere/libhelper.so')!r})\n"
            "try: import brokenmod\n"
            "except BaseException as error: print(type(error).__name__, getattr(error, '__notes__', None))\n"
        )
        ran = broken.python("-c", code, folder=self.folder)
        self.assertNotIn("not found", ran.stdout + ran.stderr)

    def test_undone(self) -> None:
        code = (
            "import sys, ctypes, importlib.machinery as m\n"
            "before = (sys.excepthook, ctypes.CDLL.__init__, m.ExtensionFileLoader.create_module)\n"
            "import soresolve.hook as h\n"
            "h.install(); h.uninstall(); h.uninstall()\n"
            "print(before == (sys.excepthook, ctypes.CDLL.__init__, m.ExtensionFileLoader.create_module))\n"
        )
        self.assertEqual(broken.python("-c", code, folder=self.folder).stdout, "True\n")

    def test_the_pth_line(self) -> None:
        line = (SOURCES / "soresolve-hook.pth").read_text().strip()
        code = f"import sys, site\nexec({line!r})\nprint('soresolve.hook' in sys.modules, 'soresolve' in sys.modules)"
        for value, loaded in (("1", "True True"), ("0", "False False"), ("", "False False")):
            ran = broken.python("-c", code, folder=self.folder, env={"SORESOLVE_HOOK": value})
            self.assertEqual(ran.stdout.strip(), loaded, ran.stderr)
        timed = f"import timeit; print(min(timeit.repeat(lambda: exec({line!r}), number=100, repeat=9)) * 1e4)"
        ran = broken.python("-c", timed, folder=self.folder, env={"SORESOLVE_HOOK": ""})
        print(f"the .pth line costs {float(ran.stdout):.1f} us when off")
        self.assertLess(float(ran.stdout), 100)


class Packagers(WithBroken):
    def test_assert_loads(self) -> None:
        with self.assertRaises(AssertionError) as caught:
            soresolve.testing.assert_loads(str(self.folder))
        self.assertIn("libhelper.so is not found", str(caught.exception))
        self.assertIn(f"try: export LD_LIBRARY_PATH={self.folder}/elsewhere", str(caught.exception))
        os.rename(self.folder / "elsewhere/libhelper.so", self.folder / "libhelper.so")
        with self.assertRaises(AssertionError) as caught:
            soresolve.testing.assert_loads(str(self.folder))
        self.assertIn("  try: ", str(caught.exception))
        with self.assertRaises(soresolve.testing.LoadError) as told:
            soresolve.testing.assert_loads(str(self.folder), driver="550.54.14")
        self.assertIn("with driver 550.54.14", str(told.exception))
        with self.assertRaises(soresolve.NotFoundError):
            soresolve.testing.assert_loads("no_such_package_here")

    def test_what_was_not_judged_is_no_pass(self) -> None:
        """Each kind of place: the status of the command, assert_loads(), the items of pytest, the truth of answers."""
        cut, empty, texts, lacking = (self.folder / name for name in ("cut", "nothing", "texts", "lacking"))
        for folder in (cut, empty, texts, lacking):
            folder.mkdir()
        shutil.copy(self.module, lacking)
        (cut / "half").write_bytes(pathlib.Path("/bin/sh").read_bytes()[:700])
        shutil.copy(self.folder / "elsewhere/libhelper.so", cut)
        (texts / "a.py").write_text("")
        both = pathlib.Path(shutil.copytree(cut, self.folder / "both"))
        shutil.copy(self.module, both)
        cases = ((self.folder / "elsewhere", 0, "", "environment"), (lacking, 1, "does not load", "missing-library"),
                 (cut, 2, "is not known", "unknown"), (empty, 2, "nothing to judge", "unknown"),
                 (texts, 2, "nothing to judge", "unknown"), (both, 2, "/half", "missing-library unknown"))
        stub = types.ModuleType("pytest")
        stub.Item = type("Item", (), {  # type: ignore[attr-defined]
            "__init__": lambda self, **given: self.__dict__.update(given),
            "from_parent": classmethod(lambda cls, parent, **given: cls(**given))})
        with mock.patch.dict(sys.modules, {"pytest": stub}):
            sys.modules.pop("soresolve.pytest_plugin", None)
            plugin = importlib.import_module("soresolve.pytest_plugin")
            del sys.modules["soresolve.pytest_plugin"]
        for place, status, sentence, names in cases:
            with self.subTest(place=place.name):
                scan = soresolve.scan(place)
                self.assertEqual(bool(scan), status == 0)
                self.assertEqual(_command.run(["scan", "--json", str(place)], answers_with_usage=True)[0], status)
                if status == 0:
                    soresolve.testing.assert_loads(str(place))
                else:
                    with self.assertRaises(soresolve.testing.LoadError) as caught:
                        soresolve.testing.assert_loads(str(place))
                    self.assertIn(sentence, str(caught.exception))
                options = {"--soresolve": True, "--soresolve-place": [str(place)], "--soresolve-driver": None}
                items: list[Any] = []
                plugin.pytest_collection_modifyitems(None, mock.Mock(getoption=options.get), items)
                for item in items:
                    if status == 0:
                        item.runtest()
                    else:
                        self.assertRaises(Exception, item.runtest)
                self.assertEqual(" ".join(item.name.split()[0].partition("::")[2] for item in items), names)
        self.assertFalse(soresolve.CheckResult("unknown", "", 2))
        self.assertTrue(soresolve.CheckResult("depends", "ok", 0))
        self.assertFalse(soresolve.Answer("soresolve gpu", {}, False))
        with self.assertRaises(soresolve.testing.LoadError):
            soresolve.testing.assert_loads("sys")

    def test_pytest(self) -> None:
        try:
            import pytest  # noqa: F401
        except ImportError:
            self.skipTest("no pytest here")
        (self.folder / "test_one.py").write_text("def test_one(): pass\n")
        words = ["-m", "pytest", "-p", "soresolve.pytest_plugin", "-p", "no:cacheprovider", "-q", "test_one.py"]
        if "--installed" in sys.argv:
            words = [word for word in words if word not in ("-p", "soresolve.pytest_plugin")] + ["-p", "no:cacheprovider"]
        ran = broken.python(*words, "--soresolve-place", str(self.folder), folder=self.folder)
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("soresolve::missing-library libhelper.so", ran.stdout)
        self.assertIn("1 failed, 1 passed", ran.stdout)
        whole = str(self.folder / "elsewhere")
        ran = broken.python(*words, "--soresolve", "--soresolve-place", whole, folder=self.folder)
        self.assertIn("2 passed", ran.stdout, ran.stdout + ran.stderr)
        ran = broken.python(*words, folder=self.folder)
        self.assertIn("1 passed", ran.stdout)

    def test_ipython_magic(self) -> None:
        from soresolve import ipython

        class Shell:
            magics: dict[str, object] = {}

            def register_magic_function(self, function: object, _kind: str, name: str) -> None:
                self.magics[name] = function

        shell = Shell()
        ipython.load_ipython_extension(shell)
        answer = shell.magics["soresolve"]("/bin/sh")  # type: ignore[operator]
        self.assertIn("iframe", answer._repr_html_())
        sys.last_value = OSError("libnothere.so.3: cannot open shared object file: No such file or directory")
        self.addCleanup(delattr, sys, "last_value")
        self.assertIn("libnothere.so.3", str(ipython.answer("")))


if __name__ == "__main__":
    unittest.main()
