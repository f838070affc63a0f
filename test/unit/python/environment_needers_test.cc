// The environment that is active, and who in it needs a library.
#include "python/environment_needers.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "python/environments.h"
#include "support/elf_writer.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Paths = std::vector<std::string>;

void add_environment(MemoryFileSystem& files, const std::string& prefix) {
  files.add_file(prefix + "/bin/python3.11", "\177ELF", 0755);
  files.add_symlink(prefix + "/bin/python3", "python3.11");
  files.add_file(prefix + "/lib/python3.11/os.py", "");
  files.add_directory(prefix + "/lib/python3.11/site-packages");
}

Paths sites(const MemoryFileSystem& files, std::vector<std::string> variables, const std::string& given = {}) {
  return active_site_directories(files, Environment(std::move(variables)), "/home/me", given);
}

}  // namespace

TEST_CASE("the environment that is active: by its variables, else the python3 of PATH") {
  MemoryFileSystem files;
  for (const char* prefix : {"/v", "/conda", "/home/me/rel", "/opt/py"}) add_environment(files, prefix);
  files.add_directory("/more");
  const std::string tail = "/lib/python3.11/site-packages";
  CHECK(sites(files, {"VIRTUAL_ENV=/v"}) == Paths{"/v" + tail});
  CHECK(sites(files, {"VIRTUAL_ENV=/v", "CONDA_PREFIX=/conda"}) == Paths{"/v" + tail, "/conda" + tail});
  CHECK(sites(files, {"VIRTUAL_ENV=rel"}) == Paths{"/home/me/rel" + tail});
  CHECK(sites(files, {"PATH=/opt/py/bin"}).back() == "/opt/py" + tail);
  CHECK(sites(files, {"PYTHONPATH=/more:/not/there", "PATH=/none"}) == Paths{"/more"});
  CHECK(sites(files, {"VIRTUAL_ENV=/v"}, "/conda") == Paths{"/conda" + tail});
  CHECK(sites(files, {"VIRTUAL_ENV=/gone", "PATH=/none"}).empty());
}

TEST_CASE("modules of the environment that need a library come before libraries") {
  MemoryFileSystem files;
  const auto library = [&](const std::string& path, const char* needed) {
    files.add_file(path, write_elf(ElfSpec().soname("x.so").needed(needed)));
  };
  library("/s/a/lib/libx.so", "libdep.so.1");
  library("/s/b/_C.cpython-311-x86_64-linux-gnu.so", "libdep.so.1");
  library("/s/b/_D.cpython-311-x86_64-linux-gnu.so", "libdep.so.2");
  library("/s/b.libs/liby.so", "libdep.so.1");
  library("/s/b-1.dist-info/hidden.so", "libdep.so.1");
  CHECK(environment_needers(files, {"/s"}, "libdep.so.1", 9) ==
        Paths{"/s/b/_C.cpython-311-x86_64-linux-gnu.so", "/s/b.libs/liby.so", "/s/a/lib/libx.so"});
  CHECK(environment_needers(files, {"/s"}, "libdep.so.1", 1) == Paths{"/s/b/_C.cpython-311-x86_64-linux-gnu.so"});
  CHECK(environment_needers(files, {"/none"}, "libdep.so.1", 9).empty());
  const EnvironmentNeeds walked(files, {"/s"});  // one walk answers for each library
  CHECK(walked.needers_of(files, "libdep.so.1", 9) == environment_needers(files, {"/s"}, "libdep.so.1", 9));
  CHECK(walked.needers_of(files, "libnone.so.1", 9).empty());
}

TEST_CASE("the name by which a file of the environment is imported") {
  CHECK(module_name({"/s"}, "/s/p/_C.cpython-311-x86_64-linux-gnu.so") == "p._C");
  CHECK(module_name({"/t", "/s"}, "/s/top.so") == "top");
  CHECK(module_name({"/s"}, "/s/p.libs/libx.so").empty());
  CHECK(module_name({"/s"}, "/t/p.so").empty());
}
