// The files that a message is about: named in it, or behind the import of its traceback.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "catalogue/named_files.h"
#include "soresolve/catalogue.h"

using namespace soresolve;

namespace {

using Paths = std::vector<std::string>;

Paths named(std::string_view message) {
  MemoryFileSystem files;
  for (const char* path :
       {"/app/demo/_C.cpython-310-x86_64-linux-gnu.so", "/app/demo/_C.py", "/app/demo/ops/_fast.abi3.so",
        "/app/demo/lib/libz.so", "/py/torch/lib/libtorch_global_deps.so", "/usr/bin/prog", "/w/rel.so", "/app/top.so",
        "/w/ext/_C.abi3.so", "/v/lib/python3.11/site-packages/wheel/_fast.so"}) {
    files.add_file(path, "");
  }
  const std::vector<Recognised> found = recognise(message);
  REQUIRE(found.size() == 1);
  return named_files(files, "/w", found[0]);
}

std::string imported(const std::string& code) {
  return "Traceback (most recent call last):\n  File \"/app/demo/__init__.py\", line 1, in <module>\n    " + code +
         "\nImportError: libx.so: cannot open shared object file\n";
}

}  // namespace

TEST_CASE("the import of a traceback leads to the extension module") {
  const Paths module = {"/app/demo/_C.cpython-310-x86_64-linux-gnu.so"};
  struct Case {
    std::string why;
    const char* code;
    Paths want;
  };
  const Case cases[] = {
      {"relative, the module", "from . import _C", module},
      {"relative, from it", "from ._C import add, mul", module},
      {"absolute", "from demo._C import *", module},
      {"absolute, the module", "import demo._C as C", module},
      {"in a package below", "from demo.ops import _fast", {"/app/demo/ops/_fast.abi3.so"}},
      {"in a directory above", "import top", {"/app/top.so"}},
      {"in brackets", "from demo import (_C, other)", module},
      {"ctypes with a path", "ctypes.CDLL('/usr/bin/prog.so' if x else \"/app/top.so\")", {"/app/top.so"}},
      {"ctypes beside the file", "ctypes.CDLL(\"lib/libz.so\")", {"/app/demo/lib/libz.so"}},
      {"no import", "x = _C.add(1)", {}},
      {"only Python", "import nothing", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(named(imported(c.code)) == c.want);
  }
}

TEST_CASE("a script, a prompt and the packages around are searched for what was imported") {
  const std::string error = "ImportError: libx.so: cannot open shared object file\n";
  const auto frame = [](const std::string& file, const std::string& code) {
    return "  File \"" + file + "\", line 1, in <module>\n" + (code.empty() ? "" : "    " + code + "\n");
  };
  const Paths module = {"/w/ext/_C.abi3.so"};
  CHECK(named(frame("train.py", "import ext._C") + error) == module);
  CHECK(named(frame("./train.py", "from ext import _C") + error) == module);
  CHECK(named(frame("<stdin>", "from ext._C import f") + error) == module);
  CHECK(named(frame("/home/me/train.py", "from wheel import _fast") +
              frame("/v/lib/python3.11/site-packages/other/__init__.py", "x()") + error) ==
        Paths{"/v/lib/python3.11/site-packages/wheel/_fast.so"});
}

TEST_CASE("PyTorch's first step opens libtorch_global_deps.so") {
  CHECK(named("  File \"/py/torch/__init__.py\", line 191, in _load_global_deps\n    ctypes.CDLL(lib_path)\n"
              "OSError: libx.so: cannot open shared object file\n") == Paths{"/py/torch/lib/libtorch_global_deps.so"});
}

TEST_CASE("files that a message names are found if they are there") {
  CHECK(named("/usr/bin/prog: error while loading shared libraries: libx.so: cannot open shared object file") ==
        Paths{"/usr/bin/prog"});
  CHECK(named("prog: error while loading shared libraries: libx.so: cannot open shared object file") ==
        Paths{"/usr/bin/prog"});
  CHECK(named("./rel.so: file too short") == Paths{"./rel.so"});
  CHECK(named("/nowhere/x.so: file too short").empty());
  // A missing library is not the file that needs it, even if it is found by now.
  CHECK(named("/app/top.so: cannot open shared object file").empty());
}
