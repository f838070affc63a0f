// Each file that versions are required from has to be in the process, or ld.so's assertion fails
// (glibc elf/dl-version.c:_dl_check_map_versions, find_needed).
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "loader/load.h"
#include "support/borrowed.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

ElfSpec versioned(ElfSpec spec, const std::string& file, std::uint16_t record_version = 1) {
  spec.version_needs.push_back({file, {{"V1"}}, record_version});
  return spec;
}

std::string assertion(int line) {
  return "Inconsistency detected by ld.so: dl-version.c: " + std::to_string(line) +
         ": _dl_check_map_versions: Assertion `needed != NULL' failed!";
}

LinkMap mapped(MemorySystem& system) {
  Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return std::move(*map);
}

}  // namespace

TEST_CASE("a version file has to be the path or a requested name of some object") {
  const ElfSpec v = library().soname("libv.so.1");
  struct Case {
    std::string why;
    std::function<void(MemorySystem&)> fill;
    bool dies;
  };
  const Case cases[] = {
      {"it is needed, too", [&](MemorySystem& s) { s.program(versioned(program_needing({"libv.so.1"}), "libv.so.1")); },
       false},
      {"nobody needs it", [&](MemorySystem& s) { s.program(versioned(program(), "libv.so.1")); }, true},
      {"another object needs it",
       [&](MemorySystem& s) {
         s.program(versioned(program_needing({"liba.so"}), "libv.so.1"));
         s.elf("/lib64/liba.so", library_needing({"libv.so.1"}));
       },
       false},
      {"a library requires it, the program needs it",
       [&](MemorySystem& s) {
         s.program(program_needing({"liba.so", "libv.so.1"}));
         s.elf("/lib64/liba.so", versioned(library(), "libv.so.1"));
       },
       false},
      {"a library requires it, nobody needs it",
       [&](MemorySystem& s) {
         s.program(program_needing({"liba.so"}));
         s.elf("/lib64/liba.so", versioned(library(), "libv.so.1"));
       },
       true},
      {"an absolute path in both",
       [&](MemorySystem& s) { s.program(versioned(program_needing({"/lib64/libv.so.1"}), "/lib64/libv.so.1")); },
       false},
      {"the path of what was found by name",
       [&](MemorySystem& s) { s.program(versioned(program_needing({"libv.so.1"}), "/lib64/libv.so.1")); }, false},
      {"a SONAME that no request has matched",
       [&](MemorySystem& s) {
         s.program(versioned(program_needing({"libv.so"}), "libv.so.1"));
         s.elf("/lib64/libv.so", v);
       },
       true},
      {"a SONAME that a request has matched",
       [&](MemorySystem& s) {
         s.program(versioned(program_needing({"libv.so", "libv.so.1"}), "libv.so.1"));
         s.elf("/lib64/libv.so", v);
       },
       false},
      {"the same file was asked for under that name",
       [&](MemorySystem& s) {
         s.program(versioned(program_needing({"libw.so", "libv.so.1"}), "libv.so.1"));
         s.files().add_hard_link("/lib64/libw.so", "/lib64/libv.so.1");
       },
       false},
      {"preloaded by path, of that SONAME",
       [&](MemorySystem& s) { s.program(versioned(program(), "libv.so.1")).env("LD_PRELOAD=/lib64/libv.so.1"); }, true},
      {"preloaded by that name",
       [&](MemorySystem& s) { s.program(versioned(program(), "libv.so.1")).env("LD_PRELOAD=libv.so.1"); }, false},
      {"$ORIGIN in both: the name is the expanded one",
       [&](MemorySystem& s) {
         s.program(versioned(program_needing({"$ORIGIN/../lib64/libv.so.1"}), "$ORIGIN/../lib64/libv.so.1"));
       },
       true},
      {"a library that is missing has a placeholder of that name",
       [&](MemorySystem& s) { s.program(versioned(program_needing({"libno.so"}), "libno.so")); }, false},
      {"ld.so, but nobody needs it: it is not in the list",
       [&](MemorySystem& s) { s.program(versioned(program(), "ld-linux-x86-64.so.2")); }, true},
      {"ld.so, which the program needs",
       [&](MemorySystem& s) {
         s.program(versioned(program_needing({"ld-linux-x86-64.so.2"}), "ld-linux-x86-64.so.2"));
       },
       false},
      {"only one of two",
       [&](MemorySystem& s) {
         s.program(versioned(versioned(program_needing({"libv.so.1"}), "libv.so.1"), "libw.so"));
       },
       true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.elf("/lib64/libv.so.1", v);
    c.fill(system);
    const LinkMap map = mapped(system);
    bool dies = false;
    for (const LoadFailure& failure : map.failures) {
      if (failure.kind != LoadFailure::Kind::VersionFile) continue;
      dies = true;
      CHECK(failure.is_fatal_at_start);
      CHECK(failure.is_fatal_in_trace);
    }
    CHECK(dies == c.dies);
  }
}

TEST_CASE("the assertion has a frame of its own, with the line of its release") {
  for (const int minor : {31, 36, 41}) {
    CAPTURE(minor);
    MemorySystem system(minor);
    system.program(versioned(program(), "libv.so.1"));
    const LinkMap map = mapped(system);
    CHECK(messages(map) == Names{assertion(minor <= 31 ? 205 : 204)});
    CHECK(map.failures[0].dlerror_message() == assertion(minor <= 31 ? 205 : 204));
    CHECK(map.failures[0].object == "libv.so.1");
  }
}

TEST_CASE("an unknown record version ends the start, before any file is looked for") {
  const std::string text = "unsupported version 7 of Verneed record";
  MemorySystem program_system;
  program_system.program(versioned(program(), "libv.so.1", 7));
  CHECK(messages(mapped(program_system)) == Names{"prog: error while loading shared libraries: prog: " + text});
  MemorySystem library_system;
  library_system.program(program_needing({"liba.so"}));
  library_system.elf("/lib64/liba.so", versioned(library(), "libv.so.1", 7));
  CHECK(messages(mapped(library_system)) ==
        Names{"prog: error while loading shared libraries: /lib64/liba.so: " + text});
}

TEST_CASE("objects are checked in list order, and the first failure ends it") {
  MemorySystem system;
  system.program(program_needing({"liba.so", "libb.so"}));
  system.elf("/lib64/liba.so", versioned(library(), "libno1.so"));
  system.elf("/lib64/libb.so", versioned(library(), "libno2.so", 7));
  CHECK(messages(mapped(system)) == Names{assertion(204)});
}

TEST_CASE("what is missing comes before what is checked") {
  MemorySystem system;
  system.program(versioned(program_needing({"libno.so"}), "libv.so.1"));
  const LinkMap map = mapped(system);
  REQUIRE(map.failures.size() == 2);
  CHECK(map.first_fatal()->kind == LoadFailure::Kind::Missing);
  CHECK(map.first_fatal_in_trace()->kind == LoadFailure::Kind::VersionFile);
}
