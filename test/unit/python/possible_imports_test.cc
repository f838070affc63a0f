// What an import perhaps opens: code of a start, hooks of modules, names in native code.
#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "python_machine.h"

using namespace soresolve;
using test::kTag;
using test::Machine;

namespace {

/// An ELF file with these bytes as its .rodata.
std::string native_file(const std::string& constants) {
  const std::string names("\0.rodata\0.shstrtab\0", 19);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_shoff = sizeof head + constants.size() + names.size();
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 3;
  head.e_shstrndx = 2;
  Elf64_Shdr sections[3] = {};
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_offset = sizeof head;
  sections[1].sh_size = constants.size();
  sections[2].sh_name = 9;
  sections[2].sh_type = SHT_STRTAB;
  sections[2].sh_offset = sizeof head + constants.size();
  sections[2].sh_size = names.size();
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + constants + names +
         std::string(reinterpret_cast<const char*>(sections), sizeof sections);
}

std::string strings(const std::vector<std::string>& all) {
  std::string bytes;
  for (const std::string& one : all) bytes += one + '\0';
  return bytes;
}

/// A module of Cython 3.2: literals, and a table of strings.
std::string cython_file(std::vector<std::string> literals, const std::vector<std::string>& table) {
  const auto align = [](std::string& bytes) { bytes.resize((bytes.size() + 15) / 16 * 16, '\0'); };
  literals.emplace_back("cython_runtime");
  std::string bytes = strings(literals);
  align(bytes);
  for (const std::string& one : table) bytes += one;
  bytes += '\0';
  align(bytes);
  for (const std::string& one : table) bytes += static_cast<char>(one.size()) + std::string(3, '\0');
  return native_file(bytes);
}

struct Case {
  const char* why;
  std::map<std::string, std::string> files;  ///< besides p/__init__.py
  const char* source;
  const char* want;
  std::set<std::string> failing = {};
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    CAPTURE(std::string(c.why));
    Machine machine;
    machine.extensions({"a", "b", "c", "p/_x"}).add("p/__init__.py", c.source);
    for (const auto& [name, text] : c.files) machine.add(name, text);
    for (const std::string& name : c.failing) machine.failing.insert(name + kTag);
    CHECK(machine.shown("p") == std::string(c.want));
  }
}

}  // namespace

TEST_CASE("what the interpreter imports at its start comes first") {
  check({
      {"a line of a .pth file", {{"h.pth", "import a\n"}}, "import b\n", "a; b"},
      {"one that runs a text",
       {{"h.pth", "import sys; exec('try:\\n import a\\nexcept ImportError: pass')\n"}},
       "",
       "a"},
      {"what it raises is printed only", {{"h.pth", "import nothing\nimport a\n"}}, "", "a"},
      {"a library that it lacks is no failure of the import",
       {{"h.pth", "import a\n"}},
       "import b\n",
       "a failed; b",
       {"a"}},
      {"the modules with agreed names",
       {{"sitecustomize.py", "import a\n"}, {"usercustomize.py", "import b\nraise OSError\n"}},
       "import c\n",
       "a; b; c"},
      {"the current directory is put on sys.path behind them",
       {{"h.pth", "import t\n"}, {"t.py", "import a\n"}, {"/cwd/t.py", "raise ImportError('local')\n"}},
       "import t\n",
       "a"},
      {"so they find nothing there", {{"h.pth", "import t\n"}, {"/cwd/t.py", "import a\n"}}, "import b\n", "b"},
      {"not a comment", {{"h.pth", "# import a\n"}}, "", ""},
  });
}

TEST_CASE("a text that is executed") {
  check({
      {"in the names around it", {}, "exec('import a')\nexec('n = 1')\nif n == 1: import b\n", "a; b"},
      {"in others", {}, "n = 2\nexec('n = 1', {})\nif n == 2: import b\n", "b"},
      {"one that raises", {}, "exec('raise OSError(\"no\")')\n", "!OSError: no"},
      {"one that is not known", {}, "exec(input())\nimport b\n", "b"},
  });
}

TEST_CASE("a module is asked for names that it has not") {
  const char* const hook =
      "def __getattr__(name):\n  if name == 'q':\n    import a\n    return a\n  raise AttributeError\n";
  check({
      {"as an attribute", {{"m.py", hook}}, "import m\nm.q\n", "?a"},
      {"by from", {{"m.py", hook}}, "from m import q\n", "?a"},
      {"another name", {{"m.py", hook}}, "import m\nm.r\nimport b\n", "!AttributeError"},
      {"one that it has", {{"m.py", std::string("q = 1\n") + hook}}, "from m import q\n", ""},
      {"a library that it lacks is a failure",
       {{"m.py", hook}},
       "from m import q\n",
       "?a failed; !ImportError: a.cpython-311-x86_64-linux-gnu.so: cannot open",
       {"a"}},
      {"all of it", {{"m.py", std::string("__all__ = input()\n") + hook}}, "from m import *\n", "~a"},
  });
}

TEST_CASE("what is perhaps run fails in nobody's eyes") {
  check({
      {"a branch", {}, "if input():\n  import a\n  import nothing\nimport b\n", "~a; b"},
      {"one whose library is missing", {}, "if input(): import a\nimport b\n", "~a failed; b", {"a"}},
      {"and is missed later",
       {},
       "if input(): import a\nimport a\n",
       "~a failed; a failed; !ImportError: a.cpython-311-x86_64-linux-gnu.so: cannot open",
       {"a"}},
      {"a constructor", {}, "class C:\n  def __init__(self, n):\n    import a\nC(1)\n", "?a"},
      {"a decorator", {}, "def d(f):\n  import a\n  return f\n@d\ndef g(): pass\n", "?a"},
      {"a function of another module that imports", {{"m.py", "def f():\n  import a\n"}}, "import m\nm.f()\n", "?a"},
      {"resources",
       {{"/opt/py/lib/python3.11/importlib/readers.py", "import a\n"},
        {"/opt/py/lib/python3.11/importlib/__init__.py", ""},
        {"/opt/py/lib/python3.11/importlib/resources.py", ""}},
       "from importlib.resources import files\nfiles('p')\n",
       "~a"},
  });
}

TEST_CASE("names in native code") {
  const std::string file = "p/n" + kTag;
  check({
      {"a module",
       {{file, native_file(strings({"word.x", "p.m", "p.nowhere"}))}, {"p/m.py", "import a\n"}},
       "from . import n\nimport b\n",
       "p/n; ~a; b"},
      {"of one part", {{file, native_file(strings({"a", "b c", "9", "test"}))}}, "from . import n\n", "p/n"},
      {"of one part, long enough",
       {{file, native_file(strings({"mod"}))}, {"mod.py", "import a\n"}},
       "from . import n\n",
       "p/n; ~a"},
      {"a capsule",
       {{file, native_file(strings({"mod.mod_CAPI"}))}, {"mod.py", "import a\n"}},
       "from . import n\n",
       "p/n; ~a"},
      {"a file is none",
       {{file, native_file(strings({"mod.py", "mod.so"}))}, {"mod/__init__.py", "import a\n"}},
       "from . import n\n",
       "p/n"},
      {"its source", {{file, ""}, {"p/n.py", "import a\ndef f():\n  import b\n"}}, "from . import n\n", "p/n; ~a"},
      {"one that fails",
       {{file, native_file(strings({"mod"}))}, {"mod.py", "import a\n"}},
       "from . import n\nimport b\n",
       "p/n; ~a failed; b",
       {"a"}},
      {"damaged tables", {{file, native_file("").substr(0, 100)}}, "from . import n\nimport b\n", "p/n; b"},
      {"what it has",
       {{file, native_file(strings({"send"}))}},
       "from . import n\nif hasattr(n.C, 'send'): import a\n",
       "p/n; ?a"},
      {"what it has not",
       {{file, native_file(strings({"send"}))}},
       "from . import n\nif hasattr(n.C, 'recv'):\n  import a\nelse:\n  import b\n",
       "p/n; b"},
  });
}

TEST_CASE("a module that uses NumPy's C interface needs NumPy") {
  const std::string file = "p/n" + kTag;
  const std::string uses = native_file(strings({"numpy._core._multiarray_umath"}));
  check({
      {"and it is there",
       {{file, uses}, {"numpy/__init__.py", "import a\n"}},
       "from . import n\nimport b\n",
       "p/n; ?a; b"},
      {"and it fails",
       {{file, uses}, {"numpy/__init__.py", "import a\n"}},
       "from . import n\nimport b\n",
       "p/n; ?a failed; !ImportError: a.cpython-311-x86_64-linux-gnu.so: cannot open",
       {"a"}},
      {"and it is not there: nobody knows", {{file, uses}}, "from . import n\nimport b\n", "p/n; b"},
  });
}

TEST_CASE("a name is asked for by try") {
  check({
      {"one that is nowhere",
       {},
       "try:\n  __SETUP__\nexcept NameError:\n  S = False\nif S: import a\nelse: import b\n",
       "b"},
      {"one that is there", {}, "T = 1\ntry:\n  T\nexcept NameError:\n  import a\nimport b\n", "b"},
      {"one of the interpreter",
       {},
       "try:\n  print\n  OSError\n  memoryview\n  ExceptionGroup\nexcept NameError:\n  import a\nimport b\n",
       "b"},
      {"where others may have made it",
       {{"m.py", "__all__ = input()\n"}},
       "from m import *\ntry:\n  T\nexcept NameError:\n  S = False\nimport b\n",
       "b"},
      {"one of a statement that is not read", {{"m.py", "T = 1\n"}}, "from p. q import T\ndel T\nimport b\n", "b"},
      {"nobody asks", {}, "T\nimport b\n", "!NameError: name 'T' is not defined"},
  });
}

TEST_CASE("a name that leads to no file is no module") {
  Machine machine;
  machine.extensions({"a", "b"}).add("p/__init__.py", "try:\n  import x\nexcept ImportError:\n  import b\n");
  machine.files()->add_symlink(test::kSite + "x.py", "/none");
  machine.files()->add_directory(test::kSite + "y.py");
  machine.files()->add_symlink(test::kSite + "sitecustomize.py", "/none");
  CHECK(machine.shown("p") == "b");
  CHECK(machine.shown("y") == "!ModuleNotFoundError: No module named 'y'");
  CHECK(machine.import("p").limits.empty());
}

TEST_CASE("a module that its package has brought, and that is gone") {
  Machine machine;
  // Of a package that makes modules by code nothing else is known.
  machine.extensions({"b"}).add("p/__init__.py", "import sys\nsys.modules['p.made'] = 1\n");
  machine.add("asks.py", "from p import _gone\n")
      .add("asks2.py", "import p._gone\n")
      .add("asks3.py", "import p.made\n");
  machine.add("asks4.py", "try:\n  from p import _gone\nexcept ImportError:\n  import b\n");
  CHECK(machine.shown("asks").empty());
  machine.recorded = {test::kSite + "p/_gone" + kTag, test::kSite + "p/__init__.py"};
  CHECK(machine.shown("asks") ==
        "!ImportError: cannot import name '_gone' from 'p' (" + test::kSite + "p/__init__.py)");
  CHECK(machine.shown("asks2") == "!ModuleNotFoundError: No module named 'p._gone'");
  CHECK(machine.shown("asks3").empty());
  CHECK(machine.shown("asks4") == "b");
}

TEST_CASE("code that is a text in native code") {
  const std::string file = "p/n" + kTag;
  const std::map<std::string, std::string> modules = {{"mod.py", "import a\n"}, {"sub/m.py", "import b\n"}};
  const auto files = [&](const std::string& text) {
    std::map<std::string, std::string> all = modules;
    all[file] = native_file(strings({"first", text, "last"}));
    return all;
  };
  check({
      {"modules", files("import mod, sub.m as x"), "from . import n\n", "p/n; ~a; ~b"},
      {"names of a module", files("x = 1\nfrom mod import *\n"), "from . import n\n", "p/n; ~a"},
      {"among lines", files("def f():\n    import mod\n    return 1"), "from . import n\n", "p/n; ~a"},
      {"behind a semicolon", files("x = 1; import mod; y = 2"), "from . import n\n", "p/n; ~a"},
      {"a sentence", files("cannot import mod from here"), "from . import n\n", "p/n"},
      {"one with a colon", files("import mod: it is old"), "from . import n\n", "p/n"},
      {"two words", files("import mod twice"), "from . import n\n", "p/n"},
      {"nothing behind it", files("import "), "from . import n\n", "p/n"},
  });
}

TEST_CASE("a word counts in a module that is imported surely") {
  check({{"in one that is a possibility itself, only of the standard library",
          {{"p/n" + kTag, native_file(strings({"p.m"}))},
           {"p/m" + kTag, native_file(strings({"mod", "q.r", "std"}))},
           {"/opt/py/lib/python3.11/std.py", "import c\n"},
           {"mod.py", "import a\n"},
           {"q/r.py", "import b\n"}},
          "from . import n\n",
          "p/n; ~p/m; ~b; ~c"}});
}

TEST_CASE("methods of what is made of a class") {
  check({
      {"what a method imports is a possibility", {}, "class A:\n  def f(self):\n    import a\nA().f()\n", "?a"},
      {"one of a base", {}, "class A:\n  def f(self):\n    import a\nclass B(A): pass\nB().f()\n", "?a"},
      {"the class's own comes first",
       {},
       "class A:\n  def f(self):\n    import a\nclass B(A):\n  def f(self):\n    import b\nB().f()\n",
       "?b"},
      {"one that a base calls",
       {{"p/m.py", "class A:\n  def has(self):\n    try:\n      self.import_it()\n    except Exception: pass\n"}},
       "from .m import A\nclass B(A):\n  def import_it(self):\n    import b\nB().has()\n",
       "?b"},
      {"in a list, by a condition",
       {},
       "class A:\n  def f(self):\n    import a\nclass B:\n  def f(self):\n    import b\n"
       "m = {n: x for n, x in zip('ab', [A(), B()])}\nn = [k for k, v in {**m}.items() if v.f()]\n",
       "?a; ?b"},
      {"it fails as any other",
       {},
       "class A:\n  def f(self):\n    import a\nA().f()\nimport b\n",
       "?a failed; !ImportError: a.cpython-311-x86_64-linux-gnu.so: cannot open",
       {"a"}},
      {"behind a base that is not known",
       {},
       "import q\nclass A(q.X):\n  pass\nA().f()\n",
       "!ModuleNotFoundError: No module named 'q'"},
      {"bases in a ring", {}, "class A:\n  pass\nclass B(A, A):\n  pass\nB().f()\nimport a\n", "!TypeError"},
      {"a class in a class", {}, "class A:\n  class B:\n    def f(self):\n      import a\n  B().f()\n", "?a"},
  });
}

TEST_CASE("a function with a decorator of a source") {
  const std::map<std::string, std::string> files = {
      {"p/d.py",
       "def same(name):\n  def inner(f):\n    f.x = name\n    return f\n  return inner\ndef other(f):\n  return 1\n"}};
  check({
      {"that returns it", files, "from .d import same\n@same('n')\ndef f():\n  import a\nf()\n", "?a"},
      {"that returns something else", files, "from .d import other\n@other\ndef f():\n  import a\nf()\n",
       "!TypeError: 'int' object is not callable"},
      {"of which nothing is known", files, "@input\ndef f():\n  import a\nf()\n", ""},
  });
}

TEST_CASE("ctypes opens by brackets") {
  check({{"a path", {{"/l/a.so", ""}}, "import ctypes\nctypes.cdll['/l/a.so']\n", "/l/a.so"},
         {"a suffix that the interpreter has",
          {{"/l/a" + kTag, ""}, {"/opt/py/lib/python3.11/sysconfig.py", ""}},
          "import ctypes, sysconfig\nctypes.cdll['/l/a' + sysconfig.get_config_var('EXT_SUFFIX')]\n",
          "/l/a"},
         {"a path beside the source, if it is none from the root",
          {{"p/l.so", ""}},
          "import ctypes, pathlib\nx = pathlib.Path('l.so')\nif not x.is_absolute():\n"
          "  x = pathlib.Path(__file__).parent / x\nctypes.cdll[str(x)]\n",
          "p/l.so"},
         {"a suffix that the name has",
          {{"/l/b.so.1", ""}},
          "import ctypes, os\nif not os.path.splitext('b.so')[1] == '.so': import a\nctypes.cdll['/l/b.so.1']\n",
          "/l/b.so.1"}});
}

TEST_CASE("what a module of Cython takes C functions of is imported with it") {
  const std::string file = "p/n" + kTag;
  const auto files = [&](const std::string& bytes) {
    return std::map<std::string, std::string>{{file, bytes},
                                              {"q/__init__.py", ""},
                                              {"q/r.py", "import a\n"},
                                              {"q/s.py", "import b\n"},
                                              {"numpy/__init__.py", ""},
                                              {"numpy/core/__init__.py", ""},
                                              {"numpy/core/_multiarray_umath.py", "import c\n"},
                                              {"/opt/py/lib/python3.11/std/__init__.py", ""},
                                              {"/opt/py/lib/python3.11/std/x.py", "import c\n"}};
  };
  const std::vector<std::string> table = {"__main__", "__name__", "q.s"};
  const char* source = "from . import n\n";
  check({
      {"a literal surely, a string of the table perhaps", files(cython_file({"q.r"}, table)), source, "p/n; ?a; ~b"},
      {"a failure there is one of the import",
       files(cython_file({"q.r"}, table)),
       source,
       "p/n; ?a failed; !ImportError: a.cpython-311-x86_64-linux-gnu.so: cannot open",
       {"a"}},
      {"one of a string of the table is not", files(cython_file({"q.r"}, table)), source, "p/n; ?a; ~b failed", {"b"}},
      {"without a table all names are literals",
       files(native_file(strings({"cython_runtime", "__main__", "__name__", "q.r", "q.s"}))), source, "p/n; ~a; ~b"},
      {"the name of a class", files(cython_file({"q.r.Class"}, table)), source, "p/n; ~b; ~a"},
      {"one of the standard library, without which Cython goes on", files(cython_file({"std.x"}, table)), source,
       "p/n; ~b; ~c"},
      {"the older name of NumPy's interface", files(cython_file({"numpy.core._multiarray_umath"}, table)), source,
       "p/n; ~b; ~c"},
  });
  Machine machine;
  machine.extensions({"p/n", "b"}).add("p/__init__.py", source);
  for (const auto& [name, text] : files(cython_file({"q.gone"}, table))) machine.add(name, text);
  CHECK(machine.shown("p") == "p/n; ~b");
  machine.recorded = {test::kSite + "q/gone" + kTag};
  CHECK(machine.shown("p") == "p/n; !ModuleNotFoundError: No module named 'q.gone'");
}

TEST_CASE("a word in a module of Cython that is a module of its package is perhaps imported") {
  const std::string file = "p/n" + kTag;
  const auto files = [&](const std::vector<std::string>& table) {
    return std::map<std::string, std::string>{{file, cython_file({}, table)}, {"p/mod.py", "import a\n"},
                                              {"p/q/__init__.py", ""},        {"p/q/rest.py", "import b\n"},
                                              {"other/__init__.py", ""},      {"other/some.py", "import c\n"}};
  };
  const char* source = "from . import n\n";
  check({
      {"beside it", files({"__main__", "__name__", "mod"}), source, "p/n; ~a"},
      {"in a package that it names", files({"__main__", "__name__", "p.q", "rest"}), source, "p/n; ~b"},
      {"not in one that it does not", files({"__main__", "__name__", "rest"}), source, "p/n"},
      {"not in one elsewhere", files({"__main__", "__name__", "other", "some"}), source, "p/n"},
      {"what fails there is no failure", files({"__main__", "__name__", "mod"}), source, "p/n; ~a failed", {"a"}},
  });
}

TEST_CASE("what was perhaps imported, and then surely is, counts") {
  const std::string file = "p/n" + kTag;
  const std::map<std::string, std::string> files = {
      {file, cython_file({}, {"__main__", "__name__", "p.mod"})},
      {"p/mod.py", "import a\nfrom . import o\n"},
      {"p/o.py", "import b\n"},
      {"p/w/__init__.py", ""},
      {"p/w/n" + kTag, cython_file({}, {"__main__", "__name__", "p.w.x"})},
      {"p/w/x.py", "from .. import n\nimport c\n"}};
  check({
      {"itself, and what it imports", files, "from . import n\nfrom . import mod\n", "p/n; ?a; ?b"},
      {"by another statement", files, "from . import n\nimport p.mod\n", "p/n; ?a; ?b"},
      {"a part of it", files, "from . import n\nfrom . import o\n", "p/n; ~a; ?b"},
      {"perhaps only", files, "from . import n\n", "p/n; ~a; ~b"},
      {"within what becomes sure", files, "from .w import n\nfrom .w import x\n", "p/w/n; ?p/n; ~a; ~b; ?c"},
      {"what was sure before", files, "from .w import n\nfrom . import n, o\nfrom .w import x\n",
       "p/w/n; ?p/n; ~a; ?b; ?c"},
  });
}

TEST_CASE("importlib.metadata.files() lists what RECORD does") {
  const std::map<std::string, std::string> files = {
      {"w-1.0.dist-info/RECORD", "w/a.py,,\nw.libs/libx-1.so.2,sha256=x,1\nw.libs/libx-1.2.so,,\n"},
      {"w.libs/libx-1.2.so", ""},
      {"/opt/py/lib/python3.11/importlib/__init__.py", ""},
      {"/opt/py/lib/python3.11/importlib/metadata/__init__.py", ""}};
  const std::string start =
      "import ctypes, importlib.metadata\nfrom pathlib import Path\nc = [Path('/l'), Path('/m')]\n";
  const std::string source =
      start +
      "for f in importlib.metadata.files('W'):\n"
      "  if f.parent.name == 'w.libs' and f.suffix == '.so' and '.2' in f.suffixes and str(f).startswith('w.'):\n"
      "    c.insert(-1, Path(f.locate()))\n    break\n";
  const std::string second = source + "ctypes.CDLL(str(c[1]))\n";
  std::map<std::string, std::string> without = files;
  without.erase("w.libs/libx-1.2.so");
  const std::string gone = source + "if c[1].exists() or c[1].parent.name != 'w.libs': import b\nelse: import a\n";
  const std::string none = start + "for f in importlib.metadata.files('x'): c = [f]\nctypes.CDLL(c[0])\nimport a\n";
  const std::string beside = start + "if Path('').is_dir() and not Path('n').exists(): import a\n";
  check({{"one of them", files, second.c_str(), "w.libs/libx-1.2.so"},
         {"one that is gone", without, gone.c_str(), "a"},
         {"a wheel that is not installed", files, none.c_str(), "a"},
         {"paths are relative to the directory of work", {{"/cwd/m", ""}}, beside.c_str(), "a"}});
}
