// Any bytes as what an import reads: sources of a package, a .pth file with a finder that it imports, pyvenv.cfg. What
// the import opens is bounded and stands on lines of these files, and no answer of the loader changes what was before
// it.
//
// The first byte says what is imported and what the loader answers; the rest is the files, with kBetween between them.
#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "fuzz/fuzz_target.h"
#include "python/environments.h"
#include "python/import_trace.h"
#include "python/python_environment.h"

namespace soresolve::test::python_sources_target {
namespace {

/// No source has it, and libFuzzer likes to copy short pieces.
constexpr char kBetween = '\x1c';
constexpr const char* kInterpreter = "/v/bin/python3";
constexpr const char* kSite = "/v/lib/python3.11/site-packages/";

/// In the order of the input; one that is missing there is as it stands here.
struct Place {
  std::string path;
  std::string text;
};
const std::vector<Place>& places() {
  static const std::string site = kSite;
  static const std::vector<Place> all = {
      {site + "a/__init__.py", "from . import _c\n"},
      {site + "a/b.py", "import ctypes\nctypes.CDLL('libb.so')\n"},
      {site + "x.pth", "import __editable___e_finder; __editable___e_finder.install()\n/w\n"},
      {"/v/pyvenv.cfg", "home = /p/bin\ninclude-system-site-packages = true\nversion = 3.11.2\n"},
      {site + "__editable___e_finder.py", "MAPPING = {'e': '/w/e'}\nNAMESPACES = {'n': ['/w']}\ndef install(): pass\n"},
  };
  return all;
}

using Texts = std::map<std::string, std::string, std::less<>>;

/// The files of the input and of the machine that have text.
Texts texts_of(std::string_view input) {
  Texts texts = {{"/p/lib/python3.11/os.py", "import posix\n"},
                 {"/p/lib/python3.11/ctypes/__init__.py", "import _ctypes\n"},
                 {"/w/e/__init__.py", "from . import _e\n"},
                 {"/w/m.py", "import a.b\n"}};
  for (const Place& place : places()) {
    const std::size_t end = input.find(kBetween);
    texts[place.path] = input.empty() ? place.text : std::string(input.substr(0, end));
    input = end == std::string_view::npos ? std::string_view() : input.substr(end + 1);
  }
  return texts;
}

std::shared_ptr<MemoryFileSystem> machine_of(const Texts& texts) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file("/p/bin/python3.11", "\177ELF", 0755);
  files->add_symlink(kInterpreter, "../../p/bin/python3.11");
  const std::string site = kSite;
  const std::string dynload = "/p/lib/python3.11/lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so";
  for (const std::string& path :
       {site + "a/_c.abi3.so", site + "a/libs/libx.so.1", site + "a/d/__init__.so", dynload, std::string("/w/e/_e.so")})
    files->add_file(path, "");
  for (const auto& [path, text] : texts) files->add_file(path, text);
  return files;
}

bool is_absolute_or_empty(const std::string& path) { return path.empty() || path.starts_with('/'); }

bool equal(const PythonOpen& one, const PythonOpen& other) {
  return one.module == other.module && one.file == other.file && one.mode.scope == other.mode.scope &&
         one.by_file == other.by_file && one.by_line == other.by_line && one.by_package == other.by_package &&
         one.evidence == other.evidence;
}

bool equal(const PythonTrace& one, const PythonTrace& other) {
  return std::equal(one.opens.begin(), one.opens.end(), other.opens.begin(), other.opens.end(),
                    [](const auto& left, const auto& right) { return equal(left, right); }) &&
         one.exception == other.exception && one.raised_by == other.raised_by && one.asked == other.asked &&
         one.source_count == other.source_count && one.limits.size() == other.limits.size();
}

std::size_t lines_of(const Texts& texts, const std::string& path) {
  const auto found = texts.find(path);
  if (found == texts.end()) return 0;
  return static_cast<std::size_t>(std::count(found->second.begin(), found->second.end(), '\n')) + 1;
}

void check_environment(const PythonEnvironment& python, const Texts& texts) {
  require(python.path.size() <= kMaxPythonPath, "sys.path is bounded");
  for (const std::string& entry : python.path) require(is_absolute_or_empty(entry), "entries of sys.path are paths");
  for (const std::string& site : python.site_directories) {
    require(std::count(python.path.begin(), python.path.end(), site) == 1, "a site directory is on sys.path, once");
  }
  for (const PthLine& line : python.code_lines) {
    require(line.number >= 1 && line.number <= lines_of(texts, line.file), "code stands on a line of a .pth file");
    require(line.text.starts_with("import"), "only imports are run");
  }
}

void check_trace(const PythonTrace& trace, const Texts& texts) {
  require(trace.opens.size() <= kMaxPythonOpens, "what is opened is bounded");
  require(trace.source_count <= kMaxPythonSources, "so are the sources");
  for (const PythonOpen& open : trace.opens) {
    touch(open.file);
    require(open.module.empty() || open.file.starts_with('/'), "a module is a file");
    if (open.by_line != 0 && open.by_package.empty())
      require(open.by_line <= lines_of(texts, open.by_file), "it is opened by a line of a source");
  }
  require(trace.raised_by.empty() || !trace.exception.empty(), "what is raised is an exception");
  touch(trace.exception);
}

/// Evaluates until all that it asks is answered; inputs that ask forever are left as they are.
PythonTrace settled(PythonImporter& importer, const PythonQuestion& question, PythonAnswers& answers, bool is_loaded) {
  constexpr int kMostTurns = 8;
  PythonTrace trace = importer.evaluate(question, answers);
  for (int turn = 0; trace.asked && turn < kMostTurns; ++turn) {
    if (!answers.loaded.try_emplace(trace.opens.size(), is_loaded).second) break;
    trace = importer.evaluate(question, answers);
  }
  return trace;
}

std::vector<std::string> seeds() {
  const std::string between(1, kBetween);
  return {
      std::string("\0", 1) +
          "try:\n    from . import (_c,  # x\n        gone)\nexcept (ImportError, E) as e:\n"
          "    raise ImportError('y') from e\nelse:\n    import a.b as c\n" +
          between +
          "import ctypes, os, sys\n"
          "if sys.version_info >= (3, 8) and os.name == 'posix':\n  ctypes.CDLL(os.path.join("
          "os.path.dirname(__file__), 'libs', 'libx.so.1'), mode=ctypes.RTLD_GLOBAL)\n" +
          between + "import os; x()\n../..\n/w\n# x\n",
      std::string("\3", 1) +
          "import importlib, glob\nP = __path__[0]\nfor g in sorted(glob.glob(P + '/libs/*.so*')):\n"
          "  try:\n    from ctypes import CDLL\n    CDLL(g)\n  except OSError:\n    continue\n"
          "def f(n, m='x', *a, **k):\n  if n:\n    return f'{n!r}.so'\n  while True:\n    break\n"
          "  with open(m) as y:\n    return importlib.import_module('.b', __name__)\nf(0)\n" +
          between +
          "from pathlib import Path\nimport ctypes\np = Path(__file__).parent / 'libs' / 'libx.so.1'\n"
          "if p.exists():\n  ctypes.cdll.LoadLibrary(str(p))\n__all__ = [n for n in ('a', 'b') if n != 'a']\n" +
          between + "import __editable___e_finder; __editable___e_finder.install()\n" + between +
          "home = /p/bin\ninclude-system-site-packages = true\nversion_info = 3.11.x\n" + between +
          "from x import F\nMAPPING: dict[str, str] = {'e': '/w/e'}\nNAMESPACES = {}\n"
          "install({'e': '/w/e/__init__.py'}, {'e._e': 'e/_e.so'}, None)\n",
      std::string("\26", 1) + "class E(Exception):\n\tpass\nimport e\nimport n.m\nraise E\n" + between +
          "x = \"\"\"\n\\\"\"\"\n\"\"\" ; import a\n" + between + "\n" + between + "home=/\nversion=3.99\n",
      std::string("\10", 1) + "import torch\n" + between +
          "from a import *\nglobal q\nq = {1: 2}[1] if a else (b := 3)\n",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = 16 << 10;
  if (size == 0 || size > kMostBytes) return;
  const Texts texts = texts_of({reinterpret_cast<const char*>(data) + 1, size - 1});
  const auto files = machine_of(texts);
  const Environment environment;
  const PythonEnvironment python = read_python_environment(*files, environment, kInterpreter);
  check_environment(python, texts);

  constexpr std::array kModules = {"a", "a.b", "e", "n.m"};
  const PythonQuestion question = {.module = kModules[data[0] % kModules.size()]};
  const bool is_loaded = (data[0] & 4) != 0;
  PythonImporter importer(files, environment, python, "/w", {});
  PythonAnswers answers;
  const PythonTrace good = settled(importer, question, answers, is_loaded);
  check_trace(good, texts);
  PythonImporter other(files, environment, python, "/w", {});
  require(equal(other.evaluate(question, answers), good), "an import comes to the same, whatever was read before");
  if (good.opens.empty()) return;

  const std::size_t failing = (data[0] >> 3) % good.opens.size();
  answers.failures[failing] = {"no", (data[0] & 128) != 0};
  const PythonTrace bad = importer.evaluate(question, answers);
  check_trace(bad, texts);
  require(bad.opens.size() > failing && bad.opens[failing].failure == "no", "what fails is opened");
  for (std::size_t i = 0; i <= failing; ++i)
    require(equal(bad.opens[i], good.opens[i]), "an answer changes nothing that was before it");
}

}  // namespace
}  // namespace soresolve::test::python_sources_target

const soresolve::test::FuzzTarget soresolve::test::kPythonSourcesTarget = {"python_sources", python_sources_target::run,
                                                                           python_sources_target::seeds};
