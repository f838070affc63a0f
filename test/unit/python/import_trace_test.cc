// What an import opens and with what it ends: sources that are evaluated, modules that are found, known packages.
#include "python/import_trace.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "python_machine.h"

using namespace soresolve;
using test::kAnyName;
using test::kSite;
using test::kTag;
using test::Machine;

namespace {

struct ImportCase {
  const char* why;
  const char* source;
  const char* want;
  std::set<std::string> failing = {};
};

/// Each source as that of the package `p`, with extension modules a to e beside it.
void check_imports(std::span<const ImportCase> cases) {
  for (const ImportCase& c : cases) {
    CAPTURE(c.why);
    Machine machine;
    machine.extensions({"a", "b", "c", "d", "p/_x", "p/_y"})
        .add("p/__init__.py", kAnyName + c.source)
        .add("/l/a.so")
        .add("/l/b.so.1");
    machine.add("/l/c.py");
    for (const std::string& name : c.failing) machine.failing.insert(name + kTag);
    CHECK(machine.shown("p") == std::string(c.want));
  }
}

}  // namespace

TEST_CASE("what a source opens when it is imported itself") {
  const ImportCase cases[] = {
      {"imports", "import a, b as q\nfrom c import d\nfrom . import _x\nfrom p._y import z\n", "a; b; c; p/_x; p/_y"},
      {"by name", "import importlib\nimportlib.import_module(\"a\")\nimportlib.import_module('._x', package='p')\n",
       "a; p/_x"},
      {"by a name that is put together", "from importlib import import_module as i\ni(f'{x}')\nn = '_x'\ni(f'p.{n}')\n",
       "p/_x"},
      {"a loop over texts, left at the first that goes",
       "import importlib\nfor n in ['a', 'b', 'c']:\n  try:\n    importlib.import_module(n)\n  except ImportError:\n"
       "    pass\n  else:\n    break\nimport d\n",
       "a failed; b; d",
       {"a"}},
      {"functions run later", "def f():\n    import a\nimport b\nasync def g():\n  import c\n", "b"},
      {"classes run now", "class A:\n    import a\n    def f(self):\n        import b\n", "a"},
      {"with", "with x:\n    import a\n", "a"},
      {"suppress",
       "import contextlib\nwith contextlib.suppress(ImportError):\n    import a\nimport b\n",
       "a failed; b",
       {"a"}},
      {"a handler",
       "try:\n  import a\nexcept (OSError, ImportError) as e:\n  import b\nelse:\n  import c\n",
       "a failed; b",
       {"a"}},
      {"else and finally", "try:\n  import a\nexcept:\n  import b\nelse:\n  import c\nfinally:\n  import d\n",
       "a; c; d"},
      {"a handler of another class",
       "try:\n  import a\nexcept OSError:\n  import b\n",
       "a failed; !ImportError: a.cpython-311-x86_64-linux-gnu.so: cannot open",
       {"a"}},
      {"raised with other words",
       "try:\n  import a\nexcept ImportError as e:\n  raise RuntimeError(\"no a\") from e\n",
       "a failed; !RuntimeError: no a",
       {"a"}},
      {"raised once more",
       "try:\n  import a\nexcept ImportError as e:\n  raise\n",
       "a failed; !ImportError: a.cpython-311-x86_64-linux-gnu.so: cannot open",
       {"a"}},
      {"kept and raised later (onnxruntime)",
       "try:\n  import a\n  saved = None\nexcept Exception as e:\n  saved = e\nimport b\nif saved:\n  raise saved\n",
       "a failed; b; !ImportError: a.cpython-311-x86_64-linux-gnu.so: cannot open",
       {"a"}},
      {"a handler that looks at the text",
       "try:\n  import a\nexcept ImportError as e:\n  if 'No module' in str(e):\n    pass\n  else:\n"
       "    raise OSError(f'x{e}')\n",
       "a failed; !OSError: xa.cpython-311-x86_64-linux-gnu.so: cannot open",
       {"a"}},
      {"a class of its own",
       "class E(ImportError): pass\ntry:\n  try:\n    import a\n  except ImportError:\n    raise E('x')\n"
       "except ImportError:\n"
       "  import b\n",
       "a failed; b",
       {"a"}},
      {"a name that tells what could be imported",
       "try:\n  import a\n  A = True\nexcept ImportError:\n  A = False\nif not A:\n  raise OSError('no a')\n",
       "a failed; !OSError: no a",
       {"a"}},
      {"one that is None where it could not",
       "try:\n  import a as b\nexcept ImportError: b = None\nif b is None:\n  raise OSError\n",
       "a failed; !OSError",
       {"a"}},
      {"libraries of ctypes",
       "import ctypes as c, os\nc.CDLL('libx.so.1', mode=c.RTLD_GLOBAL | os.RTLD_NOW)\nc.CDLL(None)\n"
       "c.cdll.LoadLibrary('liby.so')\nfrom ctypes import CDLL\nCDLL(name='z')\nCDLL(q)\n",
       "libx.so.1 global; liby.so; z"},
      {"of torch and cffi",
       "import torch\ntorch.ops.load_library(\"/x/_C.so\")\nffi.dlopen('libf.so')\nffi.dlopen('m')\n",
       "!ModuleNotFoundError: No module named 'torch'"},
      {"of an object that is not known", "ffi.dlopen('libf.so')\nffi.dlopen('m')\nffi.other('x.so')\n", "libf.so"},
      {"flags for the modules that follow",
       "import sys, ctypes\nf = sys.getdlopenflags()\nsys.setdlopenflags(f | ctypes.RTLD_GLOBAL)\nimport a\n"
       "sys.setdlopenflags(f)\nimport b\n",
       "a global; b"},
      {"a module that may be made by code (its handler leaves)",
       "import sys\nsys.path.append(x)\ndef f():\n  try:\n    import nothing\n  except ImportError:\n    return\n"
       "  raise OSError\nf()\n",
       ""},
      {"a module that is not there", "import nothing.sub\n", "!ModuleNotFoundError: No module named 'nothing'"},
      {"find_spec",
       "from importlib.util import find_spec\nif find_spec('a'):\n  import a\nif find_spec('nothing') is None:\n"
       "  import b\n",
       "a; b"},
  };
  check_imports(cases);
}

TEST_CASE("conditions are decided, or nothing is said") {
  const ImportCase cases[] = {
      {"another platform",
       "import sys, os\nif sys.platform == 'win32' or os.name == 'nt':\n  import a\nelse:\n  import b\n", "b"},
      {"this one", "import sys\nif sys.platform.startswith((\"linux\", 'aix')):\n  import a\nelif x:\n  import b\n",
       "a"},
      {"the release",
       "import sys\nif sys.version_info >= (3, 8) and sys.version_info[:2] != (3, 12):\n  import a\n"
       "if sys.version_info.major == 2:\n  import b\n",
       "a"},
      {"a micro release",
       "import sys\nif sys.version_info >= (3, 11, 4): import a\nif sys.version_info >= (3, 12, 4): import b\n", "~a"},
      {"the machine",
       "import platform\nif platform.machine() in ('x86_64', 'amd64') and platform.system() != \"Windows\": import a\n",
       "a"},
      {"for checkers of types",
       "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  import a\nif not TYPE_CHECKING: import b\n", "b"},
      {"who runs it", "if __name__ == '__main__':\n  import a\nif __package__ and '.' not in __name__: import b\n",
       "b"},
      {"what stands before a known truth does not matter",
       "import sys\nif f() and sys.platform == 'darwin': import a\n"
       "if f() or sys.platform == 'linux': import b\n",
       "b"},
      {"its own constant", "A = False\nif A:\n  import a\nelse:\n  import b\nA = True\nif A: import c\n", "b; c"},
      {"a variable of the environment",
       "import os\nif os.environ.get('X') == '1': import a\nif 'Y' in os.environ: import b\n"
       "if not os.getenv('Z', ''): import c\nos.environ['Z'] = '1'\nif os.environ['Z']: import d\n",
       "a; c; d"},
      {"nobody knows: else, as a guess", "if f():\n  import a\nelse:\n  import b\n", "~a; ?b"},
      {"nobody knows, without else", "if f():\n  import a\nimport b\n", "~a; b"},
      {"a guess is no failure", "if f():\n  import a\nelse:\n  import nothing\nimport b\n", "~a; b"},
      {"nor is a library that cannot be loaded there",
       "if f():\n  pass\nelse:\n  import a\nimport b\n",
       "?a failed; b",
       {"a"}},
      {"else that raises is not what a source does", "if f():\n  import a\nelse:\n  raise ImportError\n", "~a"},
      {"one that is changed perhaps",
       "A = None\nif f():\n  A = 1\nif A is None:\n  raise OSError\nif not A: raise OSError\n", ""},
      {"what a call that is not known may raise",
       "try:\n  f()\n  A = True\nexcept Exception:\n  A = False\nif A:\n  import a\nelse:\n  import b\n", "?a; ~b"},
      {"a name that a function changes",
       "import ctypes\nL = None\ndef f():\n  global L\n  if L is None: L = ctypes.CDLL('x.so')\n"
       "f()\nf()\nif L is None: raise OSError\n",
       "?x.so"},
      {"loops over what is not known",
       "for x in y:\n  import a\nelse:\n  import b\nfor n in names():\n  raise OSError\n", "~a; b"},
      {"a list that such a loop fills perhaps",
       "found = []\nfor x in y:\n  if f(x):\n    found.append(x)\nif len(found) == 0:\n  raise OSError\n", ""},
      {"a mapping that is filled perhaps",
       "seen = {}\nif f():\n  seen.update(names())\nif not seen: raise OSError\nimport a\n", "a"},
      {"files",
       "import os\nfrom pathlib import Path\nif os.path.exists(__file__): import a\n"
       "if (Path(__file__).parent / 'none').exists(): import b\n"
       "if os.path.isfile(p := os.path.join(os.path.dirname(__file__), '__init__.py')): import c\n",
       "a; c"},
      {"a while that ends", "n = 0\nwhile n < 2:\n  n += 1\nif n == 2: import a\nwhile True:\n  import b\n  break\n",
       "a; b"},
  };
  for (const ImportCase& c : cases) {
    CAPTURE(c.why);
    Machine machine;
    machine.extensions({"a", "b", "c", "d"}).add("p/__init__.py", kAnyName + c.source);
    machine.variables = {"X=1"};
    for (const std::string& name : c.failing) machine.failing.insert(name + kTag);
    CHECK(machine.shown("p") == std::string(c.want));
  }
}

TEST_CASE("functions that a source calls are followed, as a guess") {
  const ImportCase cases[] = {
      {"called at its end", "def f():\n  import a\nf()\n", "?a"},
      {"not before it is defined", "f()\ndef f():\n  import a\n", ""},
      {"its value",
       "import os, ctypes\ndef f():\n  return os.path.join(os.path.dirname(__file__), 'x.so')\nctypes.CDLL(f())\n",
       "p/x.so"},
      {"its parameters",
       "import ctypes\ndef f(name, *rest, end='.so'):\n  ctypes.CDLL('lib' + name + end)\nf('a')\n"
       "f(end='.so.1', name='b')\n",
       "?liba.so; ?libb.so.1"},
      {"it may be left",
       "def f():\n  try:\n    import a\n    return\n  except ImportError:\n    pass\n  import b\nf()\nimport c\n",
       "?a; c"},
      {"perhaps left before it raises", "def f():\n  if x:\n    return\n  raise OSError('no')\nf()\n", ""},
      {"perhaps left by a loop that is not followed (cairocffi)",
       "def f(names):\n  for n in names:\n    try:\n      return ffi.dlopen(n)\n    except OSError: pass\n"
       "  raise OSError('no')\nf(('a', b()))\n",
       ""},
      {"tries that all fail (soundfile)",
       "import ctypes\ndef f():\n  for n in ('a', 'b'):\n    try:\n      return ctypes.CDLL(n)\n"
       "    except OSError: pass\n  raise OSError('no')\nf()\n",
       "?a failed; ?b failed; !OSError: no",
       {}},
      {"by one that goes on as long as it must", "def f():\n  while x():\n    if y(): return 1\n  raise OSError\nf()\n",
       ""},
      {"by one of several cases", "def f():\n  match x:\n    case 1:\n      return\n  raise OSError\nf()\n", ""},
      {"a loop without return does not leave it", "def f():\n  for n in x():\n    y(n)\n  raise OSError\nf()\n",
       "!OSError"},
      {"methods run later", "class A:\n  def f(self):\n    import a\nf()\n", ""},
      {"a generator runs when it is asked", "def f():\n  import a\n  yield\nf()\n", ""},
      {"a decorator may do anything with it", "@command()\ndef f():\n  import a\nf()\n", ""},
      {"a cache does not", "import functools\n@functools.lru_cache(None)\ndef f():\n  import a\nf()\n", "?a"},
      {"one that calls itself", "def f():\n  import a\n  f()\nf()\n", "?a"},
      {"one in another",
       "def f(n):\n  def g():\n    return n + '.so'\n  return g()\nimport ctypes\nctypes.CDLL(f('x'))\n", "x.so"},
      {"files by a pattern",
       "import ctypes, glob, os\nfor p in sorted(glob.glob(os.path.join('/l', '*.so*'))):\n  ctypes.CDLL(p)\n",
       "/l/a.so; /l/b.so.1"},
      {"a list that grows",
       "import ctypes\nL = ['a.so']\nL.append('b.so')\nL += ['c.so']\nfor n in L: ctypes.CDLL(n)\n"
       "L.sort(reverse=True)\n"
       "for n in L: ctypes.CDLL(n)\n",
       "a.so; b.so; c.so; c.so; b.so; a.so"},
      {"made by a loop", "import ctypes\nfor p in [f'lib{n}.so' for n in ('a', 'b') if n != 'a']: ctypes.CDLL(p)\n",
       "libb.so"},
      {"of a table", "import ctypes, sys\nctypes.CDLL({'linux': 'l.so', 'win32': 'w.dll'}[sys.platform])\n", "l.so"},
      {"a directory for modules", "import sys\nsys.path.insert(0, '/more')\nimport e\n", "/more/e.so"},
      {"what is not compiled is not run", "import a\nx = (1,\n", "!SyntaxError: '(' was never closed"},
      {"a tab that may be anything", "if x:\n\timport a\n        import b\n",
       "!TabError: inconsistent use of tabs and spaces in indentation"},
      {"in the wrong place", "import a\nreturn\n", "!SyntaxError: 'return' outside function"},
      {"in no function", "import a\nx = [(yield)]\n", "!SyntaxError: 'yield' outside function"},
      {"in a class", "def f():\n  class A:\n    (yield)\n", "!SyntaxError: 'yield' outside function"},
      {"in no coroutine", "import a\ndef f():\n  await x\n", "!SyntaxError: 'await' outside async function"},
      {"in one with a decorator", "@x\nasync def f():\n  await y\nimport a\n", "a"},
      {"which of two is found first", "import a\nbreak\nnonlocal x\n", "!SyntaxError"},
      {"of a newer release", "import a\ntype X = int\n", "!SyntaxError"},
      {"of a newer release, in a function", "import a\ndef f():\n  return f'{x['y']}'\n", "!SyntaxError"},
      {"a sign that is in no name", "import a\nx = \xE2\x80\x98y\xE2\x80\x99\n", "!SyntaxError"},
      {"lines that a carriage return ends", "import a\rimport b\r", "a; b"},
      {"one that is not known", "import sys\nsys.path.append(x)\nimport nothing\n", ""},
      {"one at a place that is not known", "import sys\nsys.path.insert(*x)\nimport nothing\n", ""},
      {"no place, which raises", "import sys\ntry: sys.path.insert()\nexcept TypeError: pass\nimport nothing\n", ""},
      {"options that are not known", "import sys\nsys.path.insert(**x)\nimport nothing\n", ""},
      {"what is behind arguments that are not known is anywhere",
       "import ctypes\nctypes.CDLL(*x, 'no.so')\nctypes.CDLL('a.so')\n", "a.so"},
      {"numbers of another base, or that begin elsewhere",
       "import ctypes\nfor i, n in enumerate(['a'], start=3): ctypes.CDLL(f'{n}{i}.so')\n"
       "if int('10', base=2) == 10: ctypes.CDLL('no.so')\n",
       "a3.so"},
      {"exceptions that perhaps are suppressed",
       "import contextlib, ctypes\nwith contextlib.suppress(*x):\n  raise OSError('a')\nctypes.CDLL('a.so')\n", "a.so"},
  };
  for (const ImportCase& c : cases) {
    CAPTURE(c.why);
    Machine machine;
    machine.extensions({"a", "b", "c"}).add("p/__init__.py", kAnyName + c.source).add("/more/e.so");
    machine.add("/l/a.so").add("/l/b.so.1").add("/l/c.py");
    if (std::string_view(c.why).starts_with("tries")) machine.failing = {"a", "b"};
    CHECK(machine.shown("p") == std::string(c.want));
  }
}

TEST_CASE("values have an identity, and code is followed as Python runs it") {
  const ImportCase cases[] = {
      {"one list by two names",
       "import ctypes\na = ['x']\nb = a\nb.append('y')\nif len(a) == 1: ctypes.CDLL('no.so')\n", ""},
      {"a list that a function changes",
       "def f(x): x.append(1)\na = []\nf(a)\nif not a: raise OSError\nraise OSError(a)\n", "!OSError: [1]"},
      {"a default that stays", "def f(x=[]):\n  x.append(1)\n  return len(x)\nf()\nraise OSError(f())\n",
       "!OSError: 2"},
      {"a name of the function around",
       "def f():\n  n = 0\n  def g():\n    nonlocal n\n    n += 1\n    return n\n"
       "  g()\n  return g()\nraise OSError(f())\n",
       "!OSError: 2"},
      {"kinds that differ", "raise ValueError({'a', 'a'} == {'a'}, [1] == (1,), ''.split('.'), 2**64)\n",
       "!ValueError: (True, False, [''], 18446744073709551616)"},
      {"a sign binds less than a power", "raise ValueError(-2 ** 2, 2 ** -0, ~1 << 1)\n", "!ValueError: (-4, 1, -4)"},
      {"what a class opens", "import ctypes\nclass D:\n  def __init__(s, n):\n    s.d = ctypes.CDLL(n)\nD('x.so')\n",
       "?x.so"},
      {"what a generator gives", "import ctypes\ndef c():\n  yield 'x.so'\nfor n in c(): ctypes.CDLL(n)\n", "x.so"},
      {"a program that is not frozen",
       "import sys\nlib = 1 if getattr(sys, 'frozen', False) else None\nif lib is None: raise ImportError('no lib')\n",
       "!ImportError: no lib"},
      {"a variable that is set where it is not",
       "import os\nos.environ.setdefault('K6', '1')\nif not os.environ.get('K6'): raise OSError\n", ""},
      {"a library that is open already", "import ctypes\nctypes.CDLL('no', handle=ctypes.CDLL('c.so')._handle)\n",
       "c.so"},
      {"a folder more", "import os\n__path__.append('/more')\nfrom . import e\n", "/more/e.so"},
      {"a property, a class method, a base",
       "class A:\n  @property\n  def n(self): return self.k() + 1\n  @classmethod\n  def k(cls): return cls.v\n"
       "class B(A): v = 4\n"
       "raise OSError(B().n)\n",
       "!OSError: 5"},
      {"cases", "match {'a': [1, 2]}:\n  case {'a': [x, *y]} if x: raise ValueError(x, y)\n", "!ValueError: (1, [2])"},
  };
  for (const ImportCase& c : cases) {
    CAPTURE(c.why);
    Machine machine;
    machine.add("p/__init__.py", c.source).add("/more/e.so");
    CHECK(machine.shown("p") == std::string(c.want));
  }
}

TEST_CASE("what is not decided is neither a failure nor nothing") {
  const auto doubts_of = [](const std::string& source) {
    Machine machine;
    machine.add("p/__init__.py", source);
    machine.failing = {"no.so"};
    std::string all;
    const PythonTrace trace = machine.import("p");
    CHECK(trace.exception.empty());
    for (const ImportDoubt& doubt : trace.doubts) {
      const std::string place = doubt.place.substr(doubt.place.rfind(':') + 1);
      all += (all.empty() ? "" : "; ") + place + " " + doubt.what + (doubt.is_grave ? "!" : "");
    }
    return all;
  };
  CHECK(doubts_of("if input(): raise ValueError('a')\n") == "1 ValueError: a!");
  CHECK(doubts_of("import ctypes\nif input():\n  pass\nelse:\n  ctypes.CDLL('no.so')\n") ==
        " OSError: no.so: cannot open!");
  CHECK_MESSAGE(doubts_of("def f(x):\n  if not x: raise TypeError\nf(input())\n") == "2 TypeError",
                "a check of arguments has less weight");
  CHECK_MESSAGE(doubts_of("try:\n  if input(): raise OSError\nexcept OSError: pass\n").empty(), "it is caught");
  CHECK_MESSAGE(doubts_of("x = 1 if input() else 1\nif x != 1: raise OSError\n").empty(), "both sides agree");
  CHECK_MESSAGE(doubts_of("try:\n  input()\nexcept Exception:\n  raise OSError\n").empty(), "calls are taken to go on");
}

TEST_CASE("the text of an expression is known, or it is not") {
  struct {
    const char* expression;
    const char* want;  ///< null: not known
  } const cases[] = {
      {"'a' \"b\"", "ab"},
      {"r'a\\b'", "a\\b"},
      {"'a\\tb\\x41'", "a\tbA"},
      {"'\\N{DASH}'", nullptr},
      {"b'a'", nullptr},
      {"f'{n}{{}}'", "x{}"},
      {"f'{n!r}{n:>3}{3:02d}'", "'x'  x03"},
      {"unknown", nullptr},
      {"os.path.join(os.path.dirname(__file__), '..', n)", "/s/p/../x"},
      {"os.path.abspath(os.path.join(__file__, '..', 'b'))", "/s/p/b"},
      {"str(Path(__file__).resolve().parent / 'lib' / f'lib{n}.so')", "/s/p/lib/libx.so"},
      {"Path(__file__).parents[1].joinpath('q')", "/s/q"},
      {"'%s-%d' % (n, 3)", "x-3"},
      {"'{}{0}{k}'.format(n, k='z')", "xxz"},
      {"','.join([n, 'y'])", "x,y"},
      {"n.upper().replace('X', 'ab')[1:]", "b"},
      {"'a.b'.split('.')[-1]", "b"},
      {"n if len(n) == 1 else 'y'", "x"},
      {"n or 'y'", "x"},
      {"getattr(os, 'sep')", "/"},
      {"n.unknown()", "!AttributeError: 'str' object has no attribute 'unknown'"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.expression);
    Machine machine;
    machine.add("/s/p/__init__.py", kAnyName + "import ctypes, os\nfrom pathlib import Path\nn = 'x'\nctypes.CDLL(" +
                                        std::string(c.expression) + ")\n");
    machine.add("s.pth", "/s\n");
    CHECK(machine.shown("p") == (c.want == nullptr ? std::string() : std::string(c.want)));
  }
}

TEST_CASE("a module is opened once, after what its package imports") {
  Machine machine;
  machine.add("a/__init__.py", "import math\nfrom . import _x\nfrom .b import _y\nimport a._x\n")
      .add("a/b.py", "from a import _y\nimport a\n")
      .add("a/_x" + kTag)
      .add("a/_y.abi3.so");
  CHECK(machine.shown("a") == "/opt/py/lib/python3.11/lib-dynload/math; a/_x; a/_y.abi3.so");
  CHECK_MESSAGE(machine.import("a.b").opens.size() == 3, "the package is imported before");
}

TEST_CASE("a module that is nowhere") {
  Machine machine;
  CHECK(machine.shown("nothing.sub") == "!ModuleNotFoundError: No module named 'nothing'");
  CHECK(machine.import("nothing").raised_by.empty());
  CHECK_MESSAGE(machine.shown("sys").empty(), "built into the interpreter");
  machine.add("hook.pth", "import my_finder\n").add("a.py", "import nothing\n");
  CHECK_MESSAGE(machine.shown("a").empty(), "an import hook may find it");
}

TEST_CASE("code in .pth files excuses what it could have made, and nothing else") {
  struct Case {
    const char* why;
    const char* line;
    std::map<std::string, std::string> sources;
    const char* want;  ///< of an import of `gone`; "!": it is missing
  };
  const std::string missing = "!ModuleNotFoundError: No module named 'gone'";
  const Case cases[] = {
      {"a hook of a profiler", "import prof; prof.start()", {{"prof.py", "import sys\nsys.setprofile(None)\n"}}, "!"},
      {"a source that speaks of json", "import prof", {{"prof.py", "# json is imported later\nimport sys\n"}}, "!"},
      {"names that are read from a file", "import prof", {{"prof.py", "NAMES = json.load(open('names'))\n"}}, ""},
      {"one of the standard library", "import os; os.environ['A'] = 'b'", {}, "!"},
      {"a hook that is not there", "import prof", {}, ""},
      {"one without a source", "import prof", {{"prof" + kTag, ""}}, "prof"},
      {"a finder for files of its own kind",
       "import prof",
       {{"prof.py", "import sys\nsys.path_hooks.append(Finder)\n"}},
       ""},
      {"a finder of another name",
       "import prof",
       {{"prof.py",
         "import sys\nclass F:\n  def find_spec(n):\n    return n == 'old' and 1\nsys.meta_path.append(F)\n"}},
       "!"},
      {"a finder of this name",
       "import prof",
       {{"prof.py",
         "import sys\nclass F:\n  def find_spec(n):\n    return n == 'gone' and 1\nsys.meta_path.append(F)\n"}},
       ""},
      {"a finder of an editable installation of another",
       "import __editable___other_finder; __editable___other_finder.install()",
       {{"__editable___other_finder.py", "MAPPING = {'other': '/src/other'}\nsys.meta_path.append(1)\n"}},
       "!"},
      {"of this one",
       "import __editable___gone_finder; __editable___gone_finder.install()",
       {{"__editable___gone_finder.py", "MAPPING = {'gone': '/src/gone'}\nsys.meta_path.append(1)\n"}},
       ""},
      {"a namespace package of old",
       "import sys, types; sys.modules.setdefault('space', types.ModuleType('space'))",
       {},
       "!"},
      {"this one", "import sys, types; sys.modules.setdefault('gone', types.ModuleType('gone'))", {}, ""},
      {"a name that only begins so", "import sys; sys.modules.setdefault('gone_', 1)", {}, "!"},
      {"a path that is added", "import sys; sys.path.append('/src')", {}, ""},
      {"a second import", "import os, prof", {}, ""},
      {"by a call", "import os; __import__('prof').start()", {}, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Machine machine;
    machine.add("/opt/py/lib/python3.11/types.py").add("hook.pth", std::string(c.line) + "\n");
    machine.add("asks.py", "import gone\n");
    for (const auto& [name, text] : c.sources) machine.add(name, text);
    CHECK(machine.shown("asks") == (c.want[0] == '!' ? missing : std::string(c.want)));
  }
}

TEST_CASE("an unknown coding is one, unless code in .pth files speaks of it") {
  struct Case {
    const char* line;
    const char* want;
  };
  const std::string unknown = "!SyntaxError: unknown encoding: future-fstrings";
  const Case cases[] = {
      {"", "!"},
      {"import os; __import__('_distutils_hack').add_shim()", "!"},
      {"import future_fstrings; future_fstrings.register()", ""},
      {"import mine, codecs; codecs.register(mine.search)", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.line);
    Machine machine;
    machine.add("/opt/py/lib/python3.11/encodings/aliases.py", "aliases = {'latin': 'latin_1'}\n");
    machine.add("coded.py", "# coding: future-fstrings\nx = 1\n").add("hook.pth", std::string(c.line) + "\n");
    CHECK(machine.shown("coded") == (c.want[0] == '!' ? unknown : std::string(c.want)));
  }
}

TEST_CASE("texts of messages are put together") {
  const ImportCase cases[] = {
      {"words", "for n in ' x  y\\n z '.split():\n    if n == 'z':\n        raise OSError(n)\n", "!OSError: z"},
      {"margins", "import textwrap\nraise OSError(textwrap.dedent('    one\\n      two\\n \\n    three'))\n",
       "!OSError: one\n  two\n\nthree"},
      {"margins that differ", "import textwrap\nraise OSError(textwrap.dedent('  a\\n\\tb\\n'))\n",
       "!OSError:   a\n\tb\n"},
  };
  check_imports(cases);
}

TEST_CASE("find_library() is answered by ld.so.cache") {
  const std::string source =
      "from ctypes.util import find_library\nimport ctypes\nname = find_library('snd')\n"
      "if name is None:\n    raise OSError('snd library not found')\nctypes.CDLL(name)\n";
  const auto shown = [&](const std::function<void(Machine&)>& change, bool has_ldconfig = true) {
    Machine machine;
    machine.add("p.py", source);
    if (has_ldconfig) machine.add("/sbin/ldconfig");
    machine.cached = std::vector<std::string>{"libsndfile.so.1", "libsnd.so.2", "libsnd.so.1"};
    change(machine);
    return machine.shown("p");
  };
  const std::string none = "!OSError: snd library not found";
  CHECK(shown([](Machine&) {}) == "libsnd.so.2");
  CHECK(shown([](Machine& machine) { machine.cached->clear(); }) == none);
  CHECK(shown([](Machine&) {}, false) == none);
  CHECK_MESSAGE(shown([](Machine& machine) { machine.cached.reset(); }) == "", "musl asks otherwise");
  const auto linker = [](Machine& machine) {
    machine.cached->clear();
    machine.add("/usr/bin/ld");
  };
  CHECK_MESSAGE(shown(linker) == none, "ld finds nothing, either");
  CHECK_MESSAGE(shown([&](Machine& machine) {
                  linker(machine);
                  machine.add("/usr/lib/x86_64-linux-gnu/libsnd.so");
                }) == "",
                "ld finds that");
}

TEST_CASE("a folder in the way is no module of the interpreter's own") {
  Machine machine;
  machine.files()->add_directory("/sys/kernel");
  machine.add("pkg/__init__.py", "from sys import intern\n").add("x.pth", "/\n");
  CHECK(machine.shown("pkg").empty());
}

TEST_CASE("a name that a package has not got") {
  const std::string half =
      "!ImportError: cannot import name '_core' from partially initialized module 'pkg' (most likely due to a circular "
      "import) (" +
      kSite + "pkg/__init__.py)";
  struct {
    const char* why;
    std::string source;  ///< of the package
    std::string want;
  } const cases[] = {
      {"nothing gives it", "from .loader import *\n", half},
      {"only behind the import that asks for it", "from .loader import *\n_core = 1\n", half},
      {"before it", "_core = 1\nfrom .loader import *\n", ""},
      {"another name has it in it", "not_core = 1\nfrom .loader import *\n", half},
      {"a comment gives none", "# We import * of _core.\n  # _core\nfrom .loader import *\n", half},
      {"a module without names gives none", "from .all import *\nfrom .loader import *\n", half},
      {"what may give any name", "from math import *\nfrom .loader import *\n",
       "/opt/py/lib/python3.11/lib-dynload/math"},
      {"a class that a decorator puts into the module (re)", "@input\nclass F:\n  _core = 1\nfrom .loader import *\n",
       ""},
      {"a word in a function gives none (faiss)", "def f():\n  _core = 1\nfrom .loader import *\n", half},
      {"a folder without a source", "from .part import _core\n",
       "!ImportError: cannot import name '_core' from 'pkg.part' (unknown location)"},
      {"a module that is no package", "from .all import other\n",
       "!ImportError: cannot import name 'other' from 'pkg.all' (" + kSite + "pkg/all.py)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.why);
    Machine machine;
    machine.add("pkg/__init__.py", c.source).add("pkg/all.py").add("pkg/part/text");
    machine.add("pkg/loader.py", "from . import _core\n");
    CHECK(machine.shown("pkg") == c.want);
  }
}

TEST_CASE("names come from the modules that have them") {
  Machine machine;
  machine
      .add("a/__init__.py",
           "from .b import *\nfrom .b import HAS as OTHER\nfrom . import b\n"
           "if OTHER and b.HAS and X == 1 and not hasattr(b, 'no'):\n  raise OSError('yes')\n")
      .add("a/b/__init__.py", "__all__ = ['X', 'c']\nX = 1\nHAS = True\n_y = 2\n")
      .add("a/b/c.py", "import a._x\n")
      .add("a/_x" + kTag);
  CHECK(machine.shown("a") == "a/_x; !OSError: yes");
  machine.add("a/__init__.py", "from .b import HAS as OTHER\nif OTHER: raise OSError(b.X)\n");
  CHECK_MESSAGE(machine.shown("a") == "!OSError: 1", "a module is a name of its package");
}

TEST_CASE("a function of another module opens a library before the module that needs it") {
  Machine machine;
  machine
      .add("rmm/__init__.py",
           "try:\n  import librmm\nexcept ModuleNotFoundError:\n  pass\nelse:\n  librmm.load_library('x')\n"
           "from rmm import own\nown.load_library()\n")
      .add("rmm/own.py", "from rmm import _c\ndef load_library():\n  import _never\n")
      .add("rmm/_c.so")
      .add("librmm/__init__.py", "from librmm.load import load as load_library\n")
      .add("librmm/load.py",
           "import ctypes, os\ndef _wheel(name):\n"
           "  if os.path.isfile(lib := os.path.join(os.path.dirname(__file__), 'lib64', name)):\n"
           "    return ctypes.CDLL(lib, ctypes.RTLD_LOCAL)\n  return None\n"
           "def load(given):\n  lib = None\n  try:\n    import log\n    log.load_library()\n"
           "  except ModuleNotFoundError:\n    pass\n"
           "  try:\n    lib = _wheel('librmm.so')\n    if lib is None:\n      lib = ctypes.CDLL('librmm.so')\n"
           "  except OSError:\n    pass\n  return lib\n")
      .add("librmm/lib64/librmm.so");
  const std::string end = "; rmm/_c.so; !ModuleNotFoundError: No module named '_never'";
  CHECK(machine.shown("rmm") == "?librmm/lib64/librmm.so" + end);
  machine.failing = {"librmm.so"};
  CHECK_MESSAGE(machine.shown("rmm") == "?librmm/lib64/librmm.so failed" + end, "the function catches it");
}

TEST_CASE("what could not be imported is imported anew by the next one") {
  Machine machine;
  machine.add("a/__init__.py", "try:\n  from . import _x\nexcept ImportError:\n  pass\nfrom . import _x\n");
  machine.add("a/_x" + kTag);
  CHECK(machine.shown("a") == "a/_x");
  machine.failing = {"_x" + kTag};
  CHECK(machine.import("a").opens.size() == 2);
}

TEST_CASE("torch opens its dependencies before its module, and again once the wheels are opened") {
  Machine machine;
  machine.add("torch/__init__.py", "from torch._C import *\n")
      .add("torch/_C" + kTag)
      .add("torch-2.4.1.dist-info/METADATA", "Name: torch\n")
      .add("nvidia/cublas/lib/libcublas.so.12");
  CHECK(machine.shown("torch") == "torch/lib/libtorch_global_deps.so global; torch/_C");
  machine.failing = {"libtorch_global_deps.so"};
  CHECK_MESSAGE(machine.import("torch").opens.size() == 1, "the message names no library of the wheels");
  machine.variables = {"TORCH_USE_RTLD_GLOBAL=1"};
  CHECK(machine.shown("torch") == "torch/_C global");

  machine.variables.clear();
  const Environment environment;
  PythonImporter importer(machine.files(), environment,
                          read_python_environment(*machine.files(), environment, "/opt/py/bin/python3.11"), "/", {});
  PythonAnswers answers;
  answers.failures[0] = {"libcublas.so.12: cannot open", false};
  CHECK(Machine::shown(importer.evaluate({.module = "torch"}, answers)) ==
        "torch/lib/libtorch_global_deps.so global failed; nvidia/cublas/lib/libcublas.so.12; "
        "!ValueError: libcudnn.so.*[0-9] not found in the system path ['', '/opt/py/lib/python311.zip', "
        "'/opt/py/lib/python3.11', '/opt/py/lib/python3.11/lib-dynload', '/opt/py/lib/python3.11/site-packages']");
}

TEST_CASE("faiss opens libraries of wheels that are installed, and a module by the processor") {
  Machine machine;
  machine.add("faiss/__init__.py", "from .loader import *\n")
      .add("faiss/loader.py", "import math\nfrom ._loader import *\n")
      .add("faiss/_loader.py")
      .add("faiss/swigfaiss_avx512.py", "from . import _swigfaiss_avx512\n")
      .add("faiss/swigfaiss.py", "from . import _swigfaiss\n")
      .add("faiss_gpu_cu12-1.14.1.dist-info/METADATA", "Name: faiss-gpu-cu12\n");
  machine.extensions({"faiss/_swigfaiss", "faiss/_swigfaiss_avx512"});
  const PythonTrace without = machine.import("faiss");
  CHECK(without.exception ==
        "importlib.metadata.PackageNotFoundError: No package metadata was found for nvidia-cuda-runtime-cu12");
  CHECK(without.wheel == "nvidia-cuda-runtime-cu12");
  machine.add("nvidia_cuda_runtime_cu12-12.4.127.dist-info/METADATA")
      .add("nvidia_cublas_cu12-12.4.5.8.dist-info/METADATA")
      .add("nvidia/cuda_runtime/lib/libcudart.so.12");
  const std::string wheels =
      "/opt/py/lib/python3.11/lib-dynload/math; nvidia/cuda_runtime/lib/libcudart.so.12 global; "
      "nvidia/cublas/lib/libcublas.so.12 global; ";
  const std::string shown = machine.shown("faiss");
  CHECK_MESSAGE(shown.starts_with(wheels), "it is opened where it was recorded: " << shown);
  CHECK(shown.ends_with("; faiss/_swigfaiss"));
  const PythonTrace whole = machine.import("faiss");
  CHECK(whole.opens.at(1).by_file == kSite + "faiss/__init__.py");
  CHECK_MESSAGE(whole.opens.back().by_file == kSite + "faiss/swigfaiss.py", "its own source opens it");
  CHECK(whole.opens.back().by_line == 1);
  machine.isa_level = 4;
  CHECK(machine.shown("faiss").ends_with("; faiss/_swigfaiss_avx512"));
  machine.variables = {"_FAISS_WHEEL_DISABLE_CUDA_PRELOAD=1"};
  CHECK(machine.import("faiss").opens.size() == 2);
}

TEST_CASE("bitsandbytes takes the library for the CUDA of torch where there is a GPU") {
  Machine machine;
  machine.add("torch/__init__.py")
      .add("torch/version.py", "__version__ = '2.9.1'\ncuda = '12.8'\n")
      .add("bitsandbytes/__init__.py", "from . import cextension\n")
      .add("bitsandbytes/cextension.py");
  for (const char* name : {"cpu", "cuda124", "cuda126", "cuda130"})
    machine.add("bitsandbytes/libbitsandbytes_" + std::string(name) + ".so");
  CHECK(machine.shown("bitsandbytes") == "bitsandbytes/libbitsandbytes_cpu.so");
  machine.add("/dev/nvidiactl");
  CHECK(machine.shown("bitsandbytes") == "bitsandbytes/libbitsandbytes_cuda126.so");
  machine.variables = {"BNB_CUDA_VERSION=124"};
  CHECK(machine.shown("bitsandbytes") == "bitsandbytes/libbitsandbytes_cuda124.so");
  machine.variables.clear();
  machine.add("bitsandbytes-0.45.0.dist-info/METADATA");
  CHECK_MESSAGE(machine.shown("bitsandbytes").empty(), "this release takes no other than 128");
}

TEST_CASE("torchaudio opens what its release has, and torchvision what importlib finds") {
  struct Case {
    std::string release;
    std::vector<std::string> files;
    std::string want;
  };
  const Case cases[] = {{"2.10.0", {"libtorchaudio.so", "_torchaudio.so"}, "torchaudio/lib/libtorchaudio.so"},
                        {"2.11.0",
                         {"_torchaudio.abi3.so", "libtorchaudio.abi3.so"},
                         "torchaudio/lib/_torchaudio.abi3.so; torchaudio/lib/libtorchaudio.abi3.so"}};
  for (const Case& c : cases) {
    CAPTURE(c.release);
    Machine machine;
    machine.add("torchaudio/__init__.py").add("torchaudio-" + c.release + ".dist-info/METADATA");
    for (const std::string& file : c.files) machine.add("torchaudio/lib/" + file);
    CHECK(machine.shown("torchaudio") == c.want);
  }
  Machine machine;
  machine.add("torchvision/__init__.py", "from . import extension\nfrom . import io\nimport math\n")
      .add("torchvision/extension.py")
      .add("torchvision/io/__init__.py", "from .image import *\n")
      .add("torchvision/io/image.py")
      .add("torchvision/_C.so")
      .add("torchvision/image.so")
      .add("torchvision-0.26.0.dist-info/METADATA");
  const std::string math = "/opt/py/lib/python3.11/lib-dynload/math";
  CHECK(machine.shown("torchvision") == "torchvision/_C.so; torchvision/image.so; " + math);
  machine.failing = {"image.so"};
  CHECK(machine.shown("torchvision") == "torchvision/_C.so; torchvision/image.so failed; " + math);
  machine.failing = {"_C.so"};
  CHECK_MESSAGE(machine.shown("torchvision") ==
                    "torchvision/_C.so failed; !RuntimeError: operator torchvision::nms does not exist",
                "the OSError is caught, and what comes next has no operators");
  Machine stable;
  stable.add("torchvision/__init__.py", "from . import extension\nimport math\n")
      .add("torchvision/extension.py")
      .add("torchvision/_C_stable.so")
      .add("torchvision/image_stable.so")
      .add("torchvision-0.29.2.dist-info/METADATA");
  CHECK(stable.shown("torchvision") == "torchvision/_C_stable.so; torchvision/image_stable.so; " + math);
}

TEST_CASE("packages beside torch compare their CUDA with its own") {
  struct Case {
    std::string why;
    std::string package;
    std::string release;
    std::string version;  ///< of version.py
    std::string torch;    ///< torch.version.cuda, as Python writes it
    std::string want;     ///< how the exception begins
  };
  const std::string audio =
      "RuntimeError: Detected that PyTorch and TorchAudio were compiled with different CUDA versions. ";
  const std::string vision =
      "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. ";
  const std::string minor =
      "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA versions. ";
  const Case cases[] = {
      {"what pip takes without a word", "torchaudio", "2.11.0", "2.11.0+cu130", "'13.2'",
       audio + "PyTorch has CUDA version 13.2 whereas TorchAudio has CUDA version 13.0. "},
      {"the same", "torchaudio", "2.11.0", "2.11.0+cu132", "'13.2'", ""},
      {"11.8", "torchaudio", "2.5.1", "2.5.1+cu118", "'12.4'",
       audio + "PyTorch has CUDA version 12.4 whereas TorchAudio has CUDA version 11.8. "},
      {"built without CUDA", "torchaudio", "2.11.0", "2.11.0+cpu", "'13.2'", ""},
      {"torch without CUDA", "torchaudio", "2.11.0", "2.11.0+cu130", "None", ""},
      {"built by hand: not known", "torchaudio", "2.11.0", "2.11.0a0+34c52a6", "'13.2'", ""},
      {"since 0.16 the first number counts", "torchvision", "0.29.2", "0.29.2+cu130", "'13.2'", ""},
      {"another one", "torchvision", "0.25.0", "0.25.0+cu128", "'13.2'",
       vision + "PyTorch has CUDA Version=13.2 and torchvision has CUDA Version=12.8. "},
      {"before, both", "torchvision", "0.15.2", "0.15.2+cu117", "'11.8'",
       minor + "PyTorch has CUDA Version=11.8 and torchvision has CUDA Version=11.7. "},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    Machine machine;
    machine.add("torch/__init__.py")
        .add("torch/version.py", "__version__ = '2.15.0'\ncuda: Optional[str] = " + c.torch + "\n")
        .add(c.package + "/__init__.py", "from . import extension\n")
        .add(c.package + "/extension.py")
        .add(c.package + "/version.py", "__version__ = '" + c.version + "'\ngit_version = 'x'\n")
        .add(c.package + "-" + c.release + ".dist-info/METADATA");
    for (const char* file :
         {"lib/libtorchaudio.so", "lib/_torchaudio.abi3.so", "lib/libtorchaudio.abi3.so", "_C.so", "_C_stable.so"})
      machine.add(c.package + "/" + file);
    const std::string exception = machine.import(c.package).exception;
    CHECK_MESSAGE(exception.starts_with(c.want), exception);
    CHECK(exception.empty() == c.want.empty());
    if (c.release != "0.15.2") continue;
    machine.failing = {"_C.so"};
    CHECK_MESSAGE(machine.import(c.package).exception.empty(), "a library that is not loaded is not asked");
  }
}

TEST_CASE("sources that import each other without end, and very many of them, are bounded") {
  Machine machine;
  for (int i = 0; i < 600; ++i) machine.add("m" + std::to_string(i) + ".py", "import m" + std::to_string(i + 1) + "\n");
  const PythonTrace deep = machine.import("m0");
  CHECK(deep.source_count == kMaxImportDepth);
  CHECK(deep.limits.size() == 1);
  machine.add("huge.py", std::string(kMaxPythonSourceBytes + 1, ' '));
  CHECK(machine.import("huge").limits.size() == 1);
}

TEST_CASE("functions, loops and texts in each other are cut") {
  std::string source = "def f0():\n  import a\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = std::to_string(i - 1);
    source += "def f" + std::to_string(i) + "():\n  f" + before + "()\n  f" + before + "()\n";
  }
  std::string text = "n = 'a'\n";
  for (int i = 0; i < 60; ++i) text += "n = n + n\n";
  std::string loops = "L = [" + std::string(400, '1') + "]\nL = [x for x in L]\n";
  for (int i = 0; i < 30; ++i) loops += std::string(static_cast<std::size_t>(i), ' ') + "for x in (1, 2, 3, 4):\n";
  Machine machine;
  machine.extensions({"a"});
  machine.add("p.py", source + "f29()\n").add("t.py", "import ctypes\n" + text + "ctypes.CDLL(n)\n");
  machine.add("l.py", loops + std::string(30, ' ') + "y = x\n").add("w.py", "while True:\n  while True:\n    x = 1\n");
  CHECK(machine.import("p").opens.size() <= 1);
  for (const char* module : {"t", "l", "w"}) CHECK(machine.shown(module).empty());
}

TEST_CASE("modules, functions, blocks and expressions in each other cost no more stack than is there") {
  std::string source;
  for (int i = 29; i >= 0; --i) {
    source += "def f" + std::to_string(i) + "():\n";
    for (std::size_t depth = 1; depth < 57; ++depth) source += std::string(depth, ' ') + "if 1:\n";
    source += std::string(57, ' ') + "return ";
    for (int depth = 0; depth < 55; ++depth) source += "str(";
    source += i == 29 ? "1" : "f" + std::to_string(i + 1) + "()";
    source += std::string(55, ')') + "\n";
  }
  Machine machine;
  machine.add("deep.py", source + "f0()\n");
  for (int i = 0; i < 205; ++i) {
    std::string module;
    for (std::size_t depth = 0; depth < 56; ++depth) module += std::string(depth, ' ') + "if 1:\n";
    machine.add("m" + std::to_string(i) + ".py",
                module + std::string(56, ' ') + "import m" + std::to_string(i + 1) + "\n");
  }
  for (const char* module : {"deep", "m0"}) {
    const PythonTrace trace = machine.import(module);
    CHECK(trace.exception.empty());
    CHECK(trace.limits.size() == 1);
  }
}

TEST_CASE("a source that is not understood is neither run nor refused") {
  Machine machine;
  machine.extensions({"a"}).add("p.py", "import a\nprint 'a'\n").add("q.py", "try: import p\nexcept: pass\n");
  machine.add("f.py", "import a\ndef f():\n  x = 1\n<<<<<<< HEAD\n").add("perhaps.py", "if x: import p\nimport a\n");
  CHECK(machine.import("p").unread == kSite + "p.py");
  CHECK(machine.import("p").unread_line == 2);
  CHECK(machine.import("f").unread_line == 4);
  CHECK(machine.import("q").unread == kSite + "p.py");
  CHECK(machine.import("perhaps").unread.empty());
}

TEST_CASE("a module that is there for another Python alone is told beside Python's own words") {
  const std::string other = ".cpython-312-x86_64-linux-gnu.so";
  const std::string end = " is built for CPython 3.12, this is CPython 3.11 (" + kSite;
  {
    Machine machine;
    machine.add("pkg/__init__.py", "from . import _core\n").add("pkg/_core" + other);
    CHECK(machine.import("pkg").exception ==
          "ImportError: cannot import name '_core' from partially initialized module 'pkg' (most likely due to a "
          "circular import) (" +
              kSite + "pkg/__init__.py)");
    CHECK(machine.import("pkg").other_python == kSite + "pkg/_core" + other);
  }
  {
    Machine machine;
    machine.add("top" + other);
    CHECK(machine.import("top").exception == "ModuleNotFoundError: No module named 'top'");
    CHECK(machine.import("top").other_python == kSite + "top" + other);
  }
  {
    Machine machine;  // no proof: the package may have made the name itself
    machine.add("pkg/__init__.py", "globals()['_d'] = 1\n").add("pkg/_d" + other).add("use.py", "from pkg import _d\n");
    CHECK(machine.import("use").exception.empty());
  }
  {
    Machine machine;  // the package catches it and says something else
    machine
        .add("pkg/__init__.py",
             "try:\n    from pkg import _core\nexcept ImportError:\n    raise ImportError('source tree')\n")
        .add("pkg/_core" + other);
    CHECK(machine.import("pkg").exception == "ImportError: _core" + end + "pkg/_core" + other + ")");
  }
  {
    Machine machine;  // caught for good
    machine.add("pkg/__init__.py", "try:\n    from . import _core\nexcept ImportError:\n    pass\n")
        .add("pkg/_core" + other);
    CHECK(machine.import("pkg").exception.empty());
  }
  {
    Machine machine;  // left over beside modules for this one
    machine.extensions({"pkg/_else"}).add("pkg/__init__.py", "import pkg._core\n").add("pkg/_core" + other);
    CHECK(machine.import("pkg").exception == "ModuleNotFoundError: No module named 'pkg._core'");
  }
  {
    Machine machine;  // another package's failure
    machine.add("pkg/__init__.py", "try:\n    from . import _core\nexcept ImportError:\n    pass\nimport gone\n")
        .add("pkg/_core" + other);
    CHECK(machine.import("pkg").exception == "ModuleNotFoundError: No module named 'gone'");
  }
}
