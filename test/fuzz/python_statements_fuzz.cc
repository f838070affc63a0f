// Statements that an import evaluates: calls of all that is known by name, and methods of values, with as many
// arguments as anybody writes and more, unpacked ones, values that no such call takes. None ends the process, and an
// import comes to the same twice.
//
// The bytes of the input are the choices, one by one; behind the last all are the first.
#include <algorithm>
#include <array>
#include <memory>

#include "fuzz/fuzz_target.h"
#include "python/evaluator.h"
#include "python/import_trace.h"
#include "python/python_environment.h"
#include "support/random.h"

namespace soresolve::test::python_statements_target {
namespace {

constexpr const char* kInterpreter = "/p/bin/python3.11";
constexpr const char* kSite = "/p/lib/python3.11/site-packages/";

constexpr std::string_view kMethods[] = {
    "absolute",   "add",        "append",      "as_posix", "copy",   "difference", "dlopen",  "endswith",
    "exists",     "expanduser", "extend",      "format",   "get",    "glob",       "insert",  "is_absolute",
    "is_dir",     "is_file",    "items",       "iterdir",  "join",   "joinpath",   "keys",    "load_library",
    "locate",     "lower",      "LoadLibrary", "m",        "remove", "replace",    "resolve", "split",
    "startswith", "strip",      "union",       "upper",    "values", "with_name"};
constexpr std::string_view kAttributes[] = {"args",    "major", "minor",  "msg",      "name", "parent",
                                            "parents", "stem",  "suffix", "suffixes", "x"};
constexpr std::string_view kNames[] = {"u",
                                       "x",
                                       "y",
                                       "C",
                                       "E",
                                       "f",
                                       "sys.path",
                                       "os",
                                       "sys",
                                       "__path__",
                                       "__file__",
                                       "os.environ",
                                       "sys.version_info",
                                       "sys.modules",
                                       "ctypes.cdll",
                                       "p",
                                       "__spec__",
                                       "OSError"};
constexpr std::string_view kPlain[] = {"None",        "True",
                                       "0",           "1",
                                       "-1",          "9223372036854775807",
                                       "'%s %d'",     "'{}{1}{a}'",
                                       "''",          "'a'",
                                       "'/l/a.so'",   "'~'",
                                       "'.x'",        "b'x'",
                                       "'sys.path'",  "[]",
                                       "()",          "{}",
                                       "[u]",         "['a', 'b']",
                                       "{'a': u}",    "{*[1, 2]: 3 for x in [1]}",
                                       "[1] * 3",     "'a' * 9",
                                       "lambda: 0",   "(yield)",
                                       "...",         "{u, 1}",
                                       "'a\\n  b\\n'"};
constexpr std::string_view kKeywords[] = {"name", "mode", "package", "default", "path", "text", "key", "a", "end"};
constexpr std::string_view kBetween[] = {"+", "-",  "*", "/",  "//", "%",   "**", "<<",
                                         "|", "==", "<", "in", "is", "and", "or"};

class Writer {
 public:
  explicit Writer(std::string_view choices) : choices_(choices) {}

  std::string source() {
    std::string all =
        "import ctypes, ctypes.util, os, sys, glob, platform, contextlib, importlib, importlib.util, textwrap\n"
        "import importlib.metadata, importlib.resources, pathlib, struct, sysconfig, os.path\n"
        "class E(Exception): pass\nclass C:\n  def __init__(self, a, b=1, *c, **d):\n    import a\n"
        "  def m(self, a=f'{u}', *, b):\n    import b\n"
        "def f(a, b=x, *c, d=1, **e):\n  return a, b, c, d, e\nx = ['/l']\ny = {'a': '/l/a.so'}\n";
    while (!choices_.empty()) all += "try:\n" + statement("  ") + "except:\n  pass\n";
    return all;
  }

 private:
  std::size_t below(std::size_t count) {
    if (choices_.empty()) return 0;
    const auto choice = static_cast<unsigned char>(choices_.front());
    choices_.remove_prefix(1);
    return choice % count;
  }
  template <class List>
  std::string one_of(const List& list) {
    return std::string(list[below(std::size(list))]);
  }

  std::string arguments() {
    std::string all;
    for (std::size_t left = below(6); left > 0; --left) {
      const std::size_t kind = below(12);
      all += kind == 0   ? "*" + value()
             : kind == 1 ? "**" + value()
             : kind == 2 ? one_of(kKeywords) + "=" + value()
                         : value();
      if (left > 1) all += ", ";
    }
    return "(" + all + ")";
  }

  std::string value() {
    constexpr int kDeepest = 2;
    if (depth_ >= kDeepest) return one_of(kPlain);
    ++depth_;
    std::string all;
    switch (below(24)) {
      case 0: all = one_of(kNames); break;
      case 1: all = value() + "." + one_of(kAttributes); break;
      case 2: all = value() + "[" + value() + "]"; break;
      case 3: all = value() + "[" + value() + ":" + value() + "]"; break;
      case 4: all = "(" + value() + " " + one_of(kBetween) + " " + value() + ")"; break;
      case 5: all = "[" + value() + " for x in " + value() + " if " + value() + "]"; break;
      case 6: all = "{**" + value() + ", " + value() + ": " + value() + "}"; break;
      case 7: all = "(" + value() + " if " + value() + " else " + value() + ")"; break;
      case 8: all = call(); break;
      case 9: all = "[*" + value() + ", " + value() + "]"; break;
      default: all = one_of(kPlain);
    }
    --depth_;
    return all;
  }

  std::string call() {
    switch (below(4)) {
      case 0: return value() + "." + one_of(kMethods) + arguments();
      case 1: return one_of(kNames) + arguments();
      default: return one_of(python::known_names()) + arguments();
    }
  }

  std::string statement(const std::string& indent) {
    switch (below(14)) {
      case 0: return indent + "x = " + value() + "\n";
      case 1: return indent + one_of(kNames) + "[" + value() + "] = " + value() + "\n";
      case 2: return indent + one_of(kNames) + " " + one_of(kBetween) + "= " + value() + "\n";
      case 3: return indent + "for x, y in " + value() + ":\n" + indent + "  " + call() + "\n";
      case 4: return indent + "with contextlib.suppress" + arguments() + ":\n" + indent + "  raise " + value() + "\n";
      case 5: return indent + "raise " + value() + "\n";
      case 6: return indent + "if " + value() + ":\n" + indent + "  " + call() + "\n";
      case 7: return indent + "@" + call() + "\n" + indent + "def g(a, *b):\n" + indent + "  import a\n";
      case 8: return indent + "x." + one_of(kMethods) + arguments() + "\n";
      default: return indent + call() + "\n";
    }
  }

  std::string_view choices_;
  int depth_ = 0;
};

std::vector<std::string> seeds() {
  constexpr std::size_t kBytes = 300;
  constexpr int kCount = 200;
  Random random(1);
  std::vector<std::string> all;
  for (int i = 0; i < kCount; ++i) {
    std::string choices;
    while (choices.size() < kBytes) choices += static_cast<char>(random.below(256));
    all.push_back(std::move(choices));
  }
  return all;
}

void run(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = 4 << 10;
  if (size > kMostBytes) return;
  const auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kInterpreter, "\177ELF", 0755);
  files->add_file("/p/lib/python3.11/os.py", "import posix\n");
  files->add_file("/l/a.so", "");
  files->add_file("/l/b.py", "");
  files->add_file(kSite + std::string("p/__init__.py"), Writer({reinterpret_cast<const char*>(data), size}).source());
  for (const char* name : {"ctypes", "platform", "pathlib", "glob", "contextlib", "textwrap", "struct", "sysconfig"})
    files->add_file("/p/lib/python3.11/" + std::string(name) + ".py", "");
  for (const char* module : {"__init__", "util", "metadata", "resources"})
    files->add_file("/p/lib/python3.11/importlib/" + std::string(module) + ".py", "");
  const Environment environment;
  const PythonEnvironment python = read_python_environment(*files, environment, kInterpreter);
  PythonImporter importer(files, environment, python, "/w", {});
  const PythonTrace trace = importer.evaluate({.module = "p"});
  require(trace.opens.size() <= kMaxPythonOpens, "what is opened is bounded");
  const PythonTrace again = importer.evaluate({.module = "p"});
  require(trace.exception == again.exception && trace.opens.size() == again.opens.size(), "it comes to the same twice");
  touch(trace.exception);
}

}  // namespace
}  // namespace soresolve::test::python_statements_target

const soresolve::test::FuzzTarget soresolve::test::kPythonStatementsTarget = {
    "python_statements", python_statements_target::run, python_statements_target::seeds};
