// What a Python source imports, line by line; conditions; and that no source is too strange.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "python/python_condition.h"
#include "python/python_lines.h"
#include "python/python_source.h"
#include "python/python_text.h"

using namespace soresolve;

namespace {

constexpr int kMinor = 11;

/// The statements in one line: "import a", "from 1 b (c,d)", "try[…]{E:…}else[…]", "load x.so", "raise E".
std::string shown(const std::vector<PythonStatement>& body) {
  std::string text;
  for (const PythonStatement& one : body) {
    if (!text.empty()) text += "; ";
    if (one.is_guess) text += "?";
    switch (one.kind) {
      case PythonStatement::Kind::Import: text += "import " + one.name; break;
      case PythonStatement::Kind::Load: text += "load " + one.name + (one.is_global ? " global" : ""); break;
      case PythonStatement::Kind::Raise:
        text += "raise " + one.name + (one.names.empty() ? "" : " '" + one.names[0] + "'");
        break;
      case PythonStatement::Kind::From: {
        text += "from " + std::to_string(one.level) + " " + one.name + " (";
        for (std::size_t i = 0; i < one.names.size(); ++i) text += (i == 0 ? "" : ",") + one.names[i];
        text += ")";
        break;
      }
      case PythonStatement::Kind::Try:
        text += "try[" + shown(one.body) + "]";
        for (const PythonStatement::Handler& handler : one.handlers) {
          text += "{";
          for (const std::string& name : handler.exceptions) text += name + " ";
          text += ": " + shown(handler.body) + "}";
        }
        if (!one.otherwise.empty()) text += "else[" + shown(one.otherwise) + "]";
        break;
      case PythonStatement::Kind::Block: text += one.name + "[" + shown(one.body) + "]"; break;
      case PythonStatement::Kind::IfSays:
        text += "says '" + one.name + "'[" + shown(one.body) + "][" + shown(one.otherwise) + "]";
        break;
      case PythonStatement::Kind::Set: {
        constexpr const char* kNames[] = {"?", "False", "None", "True"};
        text +=
            one.name + "=" +
            (one.names.size() == 2 ? one.names[0] + "." + one.names[1] : kNames[static_cast<std::size_t>(one.value)]);
        break;
      }
      case PythonStatement::Kind::IfSet: text += "if " + one.name + "[" + shown(one.body) + "]"; break;
      case PythonStatement::Kind::Path: text += "path " + one.name + (one.is_global ? " first" : ""); break;
      case PythonStatement::Kind::Call:
        text += "call " + std::to_string(one.level) + " " + one.name + " " + one.names.front();
        break;
      case PythonStatement::Kind::Leave: text += "leave " + std::to_string(one.level); break;
    }
  }
  return text;
}

std::string statements_of(std::string_view source) { return shown(read_python_source(source, {kMinor, "x86_64"})); }

}  // namespace

TEST_CASE("what a source imports when it is imported itself") {
  struct Case {
    const char* why;
    const char* source;
    const char* want;
  };
  const Case cases[] = {
      {"nothing", "", ""},
      {"one", "import os\n", "import os"},
      {"what was caught is raised later",
       "try:\n  import a\n  saved = None\nexcept Exception as e:\n  saved = e\nimport b\nif saved:\n  raise saved\n",
       "try[import a; saved=None]{Exception : saved=True; raise }; import b; if saved[?raise ]"},
      {"what was caught is kept and not raised",
       "try:\n  import a\nexcept Exception as e:\n  saved = e\nraised = 'raise saved'\n",
       "try[import a]{Exception : saved=True}"},
      {"several, with other names", "import os.path as p, sys # both\n", "import os.path; import sys"},
      {"from", "from a.b import c as d, e\n", "from 0 a.b (c,e)"},
      {"all of it", "from torch._C import *\n", "from 0 torch._C (*)"},
      {"relative", "from ..x import y\n", "from 2 x (y)"},
      {"relative, no module", "from . import y\n", "from 1  (y)"},
      {"the dots and the word together", "from .import y\n", "from 1  (y)"},
      {"over several lines", "from a import (\n    b,  # one\n    c,\n)\n", "from 0 a (b,c)"},
      {"a backslash", "from a import b, \\\n    c\n", "from 0 a (b,c)"},
      {"two on a line", "import a; import b\n", "import a; import b"},
      {"by name", "x = importlib.import_module(\"a.b\")\n", "import a.b"},
      {"by a name that is put together", "x = import_module(f\"a.{b}\")\n", ""},
      {"of parts that are known", "b = 'c'\nx = import_module(f\"a.{b}\")\n", "import a.c"},
      {"relative to a package", "x = import_module('.b', package='a')\n", "import a.b"},
      {"a loop over texts",
       "for n in ['.c', 'd']:\n  try:\n    m = importlib.import_module(f'{n}.e', package='p')\n"
       "  except ImportError:\n    m = None\n  else:\n    break\n",
       "[[try[import p.c.e; m=?]{ImportError : m=None}else[leave 2]]; "
       "[try[import d.e; m=?]{ImportError : m=None}else[leave 2]]]"},
      {"words in a string are no import", "x = \"\"\"\nimport a\n\"\"\"\nimport b\n", "import b"},
      {"nor in a comment", "# import a\n", ""},
      {"a quote in a string of the other kind", "x = 'it\\'s \"'\nimport a\n", "import a"},
      {"functions run later", "def f():\n    import a\nimport b\n", "import b"},
      {"asynchronous ones too", "async def f():\n    import a\n", ""},
      {"classes run now", "class A:\n    import a\n    def f(self):\n        import b\n", "import a"},
      {"with", "with x:\n    import a\n", "import a"},
      {"suppress", "with contextlib.suppress(ImportError, OSError):\n    import a\n",
       "try[import a]{ImportError OSError : }"},
      {"try", "try:\n    import a\nexcept (ImportError, x.Other) as e:\n    a = None\nelse:\n    import b\n",
       "try[import a; a=True]{ImportError Other : a=None}else[import b]"},
      {"a bare except", "try:\n    import a\nexcept:\n    import b\nfinally:\n    import c\n",
       "try[import a]{: import b}else[import c]"},
      {"on one line", "try: import a\nexcept ImportError: pass\n", "try[import a]{ImportError : }"},
      {"raise", "try:\n    import a\nexcept ImportError as e:\n    raise RuntimeError(\"no a\") from e\n",
       "try[import a]{ImportError : raise RuntimeError 'no a'}"},
      {"the same once more", "raise\n", "raise "},
      {"what a variable holds", "raise err\n", "raise "},
      {"ctypes", "lib = ctypes.CDLL(\"libx.so.1\")\n", "load libx.so.1"},
      {"ctypes, for everybody", "ctypes.CDLL('libx.so.1', mode=ctypes.RTLD_GLOBAL)\n", "load libx.so.1 global"},
      {"ctypes with a path that is put together", "ctypes.CDLL(os.path.join(a, 'libx.so'))\n", ""},
      {"torch", "torch.ops.load_library(\"/x/_C.so\")\n", "load /x/_C.so"},
      {"another platform", "if sys.platform == 'win32':\n    import a\nelse:\n    import b\n", "import b"},
      {"this one", "if sys.platform.startswith(\"linux\"):\n    import a\nelif x:\n    import b\n", "import a"},
      {"for checkers of types", "if TYPE_CHECKING:\n    import a\n", ""},
      {"its own constant", "A = False\nif A:\n    import a\nelse:\n    import b\n", "import b"},
      {"a constant that changes", "A = False\nA = True\nif A:\n    import a\nelse:\n    import b\n", "?import b"},
      {"nobody knows: else, as a guess", "if f():\n    import a\nelse:\n    import b\n", "?import b"},
      {"nobody knows, without else", "if f():\n    import a\nimport b\n", "import b"},
      {"else that raises is not what a source does", "if f():\n    import a\nelse:\n    raise ImportError\n", ""},
      {"loops", "for x in y:\n    import a\nelse:\n    import b\n", ""},
      {"an open bracket to the end", "import a\nx = (\nimport b\n", "import a"},
      {"an open string to the end", "import a\nx = '''\nimport b\n", "import a"},
      {"indented without a head", "  import a\nimport b\n    import c\n", "import a; import b"},
      {"a byte order mark", "\xEF\xBB\xBFimport a\n", "import a"},
      {"a name that tells what could be imported",
       "try:\n  import a\n  A = True\nexcept ImportError:\n  A = False\nif not A:\n  raise OSError('no a')\n",
       "try[import a; A=True]{ImportError : A=False}; if not A[?raise OSError 'no a']"},
      {"one that is None where it could not",
       "try:\n  import a as b\nexcept ImportError: b = None\nif not b:\n  raise OSError\n",
       "try[import a; b=True]{ImportError : b=None}; if not b[?raise OSError]"},
      {"one from elsewhere", "from .m import A as B\nif B is None or f:\n  raise OSError\n",
       "from 1 m (A); B=m.A; if B is None or f[?raise OSError]"},
      {"what is called is no name", "try:\n  import a\nexcept ImportError:\n  A = 1\nif A():\n  raise OSError\n",
       "try[import a]{ImportError : A=True}"},
      {"a name that a function changes",
       "try:\n  import a\nexcept ImportError:\n  A = None\ndef f():\n  global A\n  A = 1\n",
       "try[import a]{ImportError : }"},
      {"one that is changed perhaps",
       "try:\n  import a\nexcept ImportError:\n  A = None\nif f():\n  A = 1\nfor x in y():\n  A = 2\n",
       "try[import a]{ImportError : A=None}; ?A=?; A=?"},
      {"lines of Windows", "import a\r\nfrom b import c\r\n", "import a; from 0 b (c)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(statements_of(c.source) == c.want);
  }
}

TEST_CASE("conditions that platform and release decide") {
  struct Case {
    const char* condition;
    std::optional<bool> want;
  };
  const Case cases[] = {
      {"sys.version_info >= (3, 8)", true},
      {"sys.version_info < (3, 11)", false},
      {"sys.version_info > (3, 11)", true},
      {"sys.version_info[:2] == (3, 11)", true},
      {"sys.version_info[0] == 2", false},
      {"sys.version_info >= (3, 11, 4)", std::nullopt},
      {"sys.version_info >= (3, 12, 4)", false},
      {"os.name == 'nt'", false},
      {"platform.system() != \"Windows\"", true},
      {"platform.machine() == 'x86_64'", true},
      {"__name__ == '__main__'", false},
      {"not TYPE_CHECKING", true},
      {"f() and sys.platform == 'darwin'", false},
      {"f() or sys.platform == 'linux'", true},
      {"f() or sys.platform == 'darwin'", std::nullopt},
      {"(sys.platform == 'linux') and not (os.name == 'nt')", true},
      {"known", true},
      {"unknown", std::nullopt},
      {"x == 'and'", std::nullopt},
      {"", std::nullopt},
  };
  for (const Case& c : cases) {
    CAPTURE(c.condition);
    CHECK(decide_condition(c.condition, {kMinor, "x86_64"}, {{"known", true}}) == c.want);
  }
}

TEST_CASE("functions that a source calls itself are followed, as a guess") {
  struct Case {
    const char* why;
    const char* source;
    const char* want;
  };
  const Case cases[] = {
      {"called at its end", "def f():\n  import a\nf()\n", "?f[?import a]"},
      {"not called", "def f():\n  import a\nx = f\n", ""},
      {"not before it is defined", "f()\ndef f():\n  import a\n", ""},
      {"its value", "import os\ndef f():\n  return os.path.join(os.path.dirname(__file__), 'x.so')\nctypes.CDLL(f())\n",
       "import os; load /v/p/x.so"},
      {"its parameters",
       "def f(name, end='.so'):\n  ctypes.CDLL('lib' + name + end)\nf('a')\nf(end='.so.1', name='b')\n",
       "?f[?load liba.so]; ?f[?load libb.so.1]"},
      {"it may be left",
       "def f():\n  try:\n    import a\n    return\n  except ImportError:\n    pass\n  import b\nf()\n",
       "?f[try[?import a; ?leave 1]{ImportError : }; ?import b]"},
      {"perhaps left before it raises", "def f():\n  if x:\n    return\n  raise OSError('no')\nf()\n", ""},
      {"perhaps left by a loop that is not followed (cairocffi)",
       "def f(names):\n  for n in names:\n    try:\n      return ffi.dlopen(n)\n    except OSError: pass\n"
       "  raise OSError('no')\nf(('a', b()))\n",
       ""},
      {"by one that goes on as long as it must", "def f():\n  while x():\n    if y(): return 1\n  raise OSError\nf()\n",
       ""},
      {"by one of several cases", "def f():\n  match x:\n    case 1:\n      return\n  raise OSError\nf()\n", ""},
      {"a loop without return does not leave it", "def f():\n  for n in x():\n    y(n)\n  raise OSError\nf()\n",
       "?f[?raise OSError]"},
      {"a function of another module (rmm)",
       "import l.m as k, o.p\nfrom .q import r, s as t\nk.f()\no.p.g()\nt()\nr.h()\n",
       "import l.m; import o.p; from 1 q (r,s); call 0 l.m f; call 0 o.p g; call 1 q s; call 1 q.r h"},
      {"not with arguments, nor of what has got another value", "import l\nfrom k import f\nl.f(1)\nf = g\nf()\n",
       "import l; from 0 k (f)"},
      {"a path that is named where it is looked for",
       "if os.path.isfile(p := os.path.join('/v/p', '__init__.py')):\n  ctypes.CDLL(p + '.so')\n",
       "load /v/p/__init__.py.so"},
      {"left by a loop of it",
       "def f():\n  for n in ('a', 'b'):\n    try:\n      import_module(n)\n      return\n"
       "    except ImportError:\n      pass\nf()\n",
       "?f[[[try[?import a; ?leave 3]{ImportError : }]; [try[?import b; ?leave 3]{ImportError : }]]]"},
      {"methods run later", "class A:\n  def f(self):\n    import a\nf()\n", ""},
      {"a generator runs when it is asked", "def f():\n  import a\n  yield\nf()\n", ""},
      {"a decorator may do anything with it", "@command()\ndef f():\n  import a\nf()\n", ""},
      {"a cache does not", "@lru_cache\ndef f():\n  import a\nf()\n", "?f[?import a]"},
      {"one that calls itself", "def f():\n  import a\n  f()\nf()\n", "?f[?import a]"},
      {"a method of another thing with its name", "def f():\n  import a\nx.f()\n", ""},
      {"a value of its own release", "PY3 = sys.version_info[0] == 3\nif PY3:\n  import a\nelse:\n  import b\n",
       "import a"},
      {"a file that is there", "if os.path.exists(__file__):\n  import a\nelse:\n  import b\n", "import a"},
      {"one that is not", "P = Path(__file__).parent / 'none'\nif P.exists():\n  import a\n", ""},
      {"two texts", "N = 'x'\nif N == 'y':\n  import a\nelse:\n  import b\n", "import b"},
      {"a name that has been changed", "N = 'x.so'\nif z:\n  N = 'y.so'\nctypes.CDLL(N)\n", ""},
      {"a loop over names", "L = ['a', 'b']\nfor n in L:\n  ctypes.CDLL(f'lib{n}.so')\n",
       "[[load liba.so]; [load libb.so]]"},
      {"how the module was imported", "if __package__ or '.' in __name__:\n  import a\nelse:\n  import b\n",
       "import a"},
      {"a directory for modules", "sys.path.insert(0, os.path.dirname(__file__))\n", "path /v/p first"},
      {"one that is not known", "sys.path.append(x)\n", "path "},
      {"a handler that looks at the text",
       "try:\n  import a\nexcept ImportError as e:\n  if 'No module' in str(e):\n    pass\n  else:\n    raise\n",
       "try[import a]{ImportError : says 'No module'[][raise ]}"},
      {"sys.path is only read", "x = len(sys.path)\n", ""},
      {"files by a pattern", "for p in glob.glob(os.path.join('/l', '*.so*')):\n  ctypes.CDLL(p)\n",
       "[[load /l/a.so]; [load /l/b.so.1]]"},
      {"one of two", "ctypes.CDLL('a.so' if sys.platform == 'linux' else 'b.so')\n", "load a.so"},
      {"a loop over what is not known", "for n in names():\n  ctypes.CDLL(n)\n", ""},
  };
  const PythonPlace place{"/v/p/__init__.py", "p", "p",
                          [](const std::string& path) { return path == "/v/p/__init__.py"; },
                          [](const std::string& path) {
    return path == "/l" ? std::vector<std::string>{"a.so", "b.so.1", "c.py"} : std::vector<std::string>();
                          }};
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(shown(read_python_source(c.source, {kMinor, "x86_64"}, place)) == std::string(c.want));
  }
}

TEST_CASE("the text of an expression is known, or it is not") {
  struct Case {
    const char* expression;
    const char* want;  ///< null: not known
  };
  const PythonBindings names = {
      {"__file__", {"/v/p/__init__.py", {}}}, {"n", {"x", {}}}, {"m", {{}, "n + '1'"}}, {"own", {{}, "own + own"}}};
  const Case cases[] = {
      {"'a'", "a"},
      {"'a' \"b\"", "ab"},
      {"r'a\\b'", "a\\b"},
      {"'a\\n'", nullptr},
      {"b'a'", nullptr},
      {"f'{n}{{}}'", "x{}"},
      {"f'{n!r}'", nullptr},
      {"m", "x1"},
      {"own", nullptr},
      {"unknown", nullptr},
      {"os.path.join(os.path.dirname(__file__), '..', n)", "/v/p/../x"},
      {"os.path.abspath(os.path.join(__file__, '..', 'b'))", "/v/p/b"},
      {"str(Path(__file__).resolve().parent / 'lib' / f'lib{n}.so')", "/v/p/lib/libx.so"},
      {"pathlib.Path(__file__).parents[1].joinpath('q')", "/v/q"},
      {"'%s' % n", nullptr},
      {"','.join(n)", nullptr},
      {"n.upper()", nullptr},
      {"('a'", nullptr},
      {"", nullptr},
  };
  for (const Case& c : cases) {
    CAPTURE(c.expression);
    CHECK(python_text(c.expression, names) == (c.want ? std::optional<std::string>(c.want) : std::nullopt));
  }
}

TEST_CASE("functions and loops in each other are cut") {
  std::string source = "def f0():\n  import a\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = std::to_string(i - 1);
    source += "def f" + std::to_string(i) + "():\n  f" + before + "()\n  f" + before + "()\n";
  }
  CHECK(read_python_source(source + "f29()\n", {kMinor, "x86_64"}).size() <= 1);
  std::string names = "n0 = 'a'\n";
  for (int i = 1; i < 40; ++i)
    names += "n" + std::to_string(i) + " = n" + std::to_string(i - 1) + " + n" + std::to_string(i - 1) + "\n";
  CHECK(read_python_source(names + "ctypes.CDLL(n39)\n", {kMinor, "x86_64"}).empty());
}

TEST_CASE("lines are counted through strings and brackets") {
  const std::vector<PythonStatement> body =
      read_python_source("'''one\ntwo'''\nx = (1,\n  2)\nimport a\n", {kMinor, "x86_64"});
  REQUIRE(body.size() == 1);
  CHECK(body[0].line == 5);
}

TEST_CASE("nesting without end is cut, and costs no stack") {
  std::string source;
  for (int depth = 0; depth < 5000; ++depth) source += std::string(static_cast<std::size_t>(depth), ' ') + "with x:\n";
  CHECK(read_python_source(source, {kMinor, "x86_64"}).empty());
  std::string condition(100000, '(');
  CHECK(!decide_condition(condition, {kMinor, "x86_64"}, {}));
}
