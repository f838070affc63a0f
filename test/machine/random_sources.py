"""Packages of Python sources drawn at random: imports that work and that do not, what catches them, names that say which
ones did, and what is raised by these names. All of it is decided by the sources and the files alone."""

import pathlib
import random

CATCHERS = ["ImportError", "ModuleNotFoundError", "Exception", "OSError", "(ValueError, ImportError)", ""]
RAISED = ["ImportError", "RuntimeError", "OSError", "ModuleNotFoundError"]
NAMES = ["HAS_A", "HAS_B", "reason", "helper"]
VALUES = ["True", "False", "None"]
MODULES = ["_queue", "_lsprof", "_uuid", "_bz2", "_crypt", "_json", "_zoneinfo", "termios", "audioop"]


class Source:
    """One module of a package; `before` are those that it may import."""

    def __init__(self, rng, before):
        self.rng = rng
        self.before = before
        # Names of which no handler decides are constants, which nobody follows from module to module.
        self.lines = ["try:", "    import nowhere_at_all", "except ImportError:"]
        self.lines += [f"    {name} = {rng.choice(VALUES)}" for name in NAMES]
        self.functions = 0
        self.texts = 0

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    def do_import(self, depth):
        kind = self.rng.randrange(10)
        if kind < 3:
            self.add(depth, f"import {self.rng.choice(MODULES)}")
        elif kind < 4:
            self.add(depth, f"import {self.rng.choice(MODULES)} as helper")
        elif kind < 5:
            self.add(depth, f"import nowhere_{self.rng.randrange(3)}")
        elif kind < 6:
            self.add(depth, "from . import _broken")
        elif kind < 7:
            self.add(depth, "from ._broken import helper")
        elif not self.before:
            self.add(depth, "from ._nowhere import helper")
        elif kind < 8:
            self.add(depth, f"from . import {self.rng.choice(self.before)}")
        else:
            name, other = self.rng.choice(NAMES), self.rng.choice(NAMES)
            bound = name if self.rng.random() < 0.6 else f"{name} as {other}"
            self.add(depth, f"from .{self.rng.choice(self.before)} import {bound}")

    def condition(self, depth=0):
        kind = self.rng.randrange(7 if depth < 2 else 3)
        name = self.rng.choice(NAMES)
        if kind < 2:
            return name
        if kind == 2:
            return f"{name} is {self.rng.choice(['None', 'not None'])}"
        if kind == 3:
            return f"not {self.condition(2)}"
        if kind == 4:
            return f"not ({self.condition(depth + 1)})"
        return f"{self.condition(depth + 1)} {self.rng.choice(['and', 'or'])} {self.condition(depth + 1)}"

    def do_raise(self, depth):
        self.texts += 1
        self.add(depth, f'raise {self.rng.choice(RAISED)}("text {self.texts}")')

    def do_try(self, depth, in_function):
        self.add(depth, "try:")
        self.block(depth + 1, in_function)
        for i in range(self.rng.choice([1, 1, 1, 2])):
            exceptions = self.rng.choice(CATCHERS)
            named = f" as error{i}" if exceptions and self.rng.random() < 0.5 else ""
            self.add(depth, f"except {exceptions}{named}:" if exceptions else "except:")
            kind = self.rng.randrange(4)
            if kind == 0 and named:
                value = self.rng.choice([f"error{i}", f"str(error{i})"])
                self.add(depth + 1, f"reason = {value}")
            elif kind == 1:
                self.do_raise(depth + 1)
            elif kind == 2:
                self.add(depth + 1, "raise")
            else:
                self.block(depth + 1, in_function, most=2)
            if not exceptions:
                break
        if self.rng.random() < 0.2:
            self.add(depth, "else:")
            self.block(depth + 1, in_function, most=2)

    def do_if(self, depth):
        self.add(depth, f"if {self.condition()}:")
        self.do_raise(depth + 1)

    def do_function(self, depth):
        name = f"do_{self.functions}"
        self.functions += 1
        self.add(depth, f"def {name}():")
        self.block(depth + 1, True)
        self.add(depth, f"{name}()")

    def block(self, depth, in_function, most=3):
        """Names are the module's, so that functions do not assign them."""
        before = len(self.lines)
        for _ in range(self.rng.randint(1, most)):
            kind = self.rng.randrange(10)
            if kind < 4:
                self.do_import(depth) if not in_function else self.add(depth, f"import {self.rng.choice(MODULES)}")
            elif kind < 6 and not in_function:
                self.add(depth, f"{self.rng.choice(NAMES)} = {self.rng.choice(VALUES)}")
            elif kind < 8 and depth < 3:
                self.do_try(depth, in_function)
            elif kind < 9 and not in_function:
                self.do_if(depth)
            elif depth == 0:
                self.do_function(depth)
        if len(self.lines) == before:
            self.add(depth, "pass")

    def text(self):
        self.block(0, False, most=6)
        return "\n".join(self.lines) + "\n"


def write_package(folder, seed, suffix):
    """A package in the folder, always the same for a seed; `suffix`: of extension modules. Returns its modules."""
    rng = random.Random(seed)
    package = pathlib.Path(folder) / f"drawn{seed}"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / f"_broken{suffix}").write_text("no ELF file\n")
    names = []
    for i in range(rng.randint(1, 3)):
        name = f"part{i}"
        (package / f"{name}.py").write_text(Source(rng, list(names)).text())
        names.append(name)
    return [f"{package.name}.{name}" for name in names]
