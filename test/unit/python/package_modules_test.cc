// What a wheel brings to be imported, by its RECORD.
#include "python/package_modules.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "python_machine.h"

using namespace soresolve;
using test::kSite;
using test::kTag;
using test::Machine;

namespace {

using Names = std::vector<std::string>;

std::optional<PackageParts> parts_of(const Machine& machine, const std::string& name) {
  const PythonEnvironment python = read_python_environment(*machine.files(), Environment(), "/opt/py/bin/python3.11");
  return find_package(*machine.files(), python, "/cwd", name);
}

std::string record(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += path + ",,\n";
  return text;
}

}  // namespace

TEST_CASE("the modules of a wheel are at the top of its record") {
  struct Case {
    const char* why;
    std::vector<std::string> paths;
    Names modules;
    Names libraries;
  };
  const Case cases[] = {
      {"a package", {"a/__init__.py", "a/b/__init__.py", "a/_x" + kTag}, {"a"}, {kSite + "a/_x" + kTag}},
      {"a module", {"six.py", "six-1.dist-info/RECORD", "__pycache__/six.pyc"}, {"six"}, {}},
      {"an extension module",
       {"_cffi" + kTag, "lib.abi3.so"},
       {"_cffi", "lib"},
       {kSite + "_cffi" + kTag, kSite + "lib.abi3.so"}},
      {"one of another interpreter", {"y.cpython-27m.txt", "z.py"}, {"z"}, {}},
      {"packages in a namespace", {"nv/a/__init__.py", "nv/b/__init__.py", "nv/b/c/__init__.py"}, {"nv.a", "nv.b"}, {}},
      {"libraries alone", {"nv/lib/libx.so.12"}, {}, {kSite + "nv/lib/libx.so.12"}},
      {"what lies elsewhere", {"../../../bin/tool", "/etc/x.py", "9/__init__.py", "a-b.py"}, {}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.why));
    Machine machine;
    machine.add("Some_Wheel-1.0.dist-info/RECORD", record(c.paths));
    const auto found = parts_of(machine, "some.wheel");
    REQUIRE(found);
    CHECK(found->modules == c.modules);
    CHECK(found->libraries == c.libraries);
    CHECK(found->record == kSite + "Some_Wheel-1.0.dist-info/RECORD");
  }
}

TEST_CASE("a name that no wheel has is that of a module, or of nothing") {
  Machine machine;
  machine.add("own/__init__.py").add("other-1.dist-info/METADATA", "Name: other\n");
  const auto found = parts_of(machine, "own");
  REQUIRE(found);
  CHECK(found->modules == Names{"own"});
  CHECK(found->record.empty());
  CHECK(!parts_of(machine, "other"));
  CHECK(!parts_of(machine, "no where"));
}
