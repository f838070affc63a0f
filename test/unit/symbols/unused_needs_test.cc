// Needed libraries that the needer binds nothing of.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "loader/load.h"
#include "soresolve/symbols.h"
#include "symbols/unused_needs.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Lines = std::vector<std::string>;

/// "NEEDER NAME" of each, the program as "prog".
Lines unused_of(MemorySystem& system, Needers needers) {
  const Result<LinkMap> map = system.load(kProgram, {.on_fatal = OnFatal::Continue});
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  const Result<Bindings> bindings = bind_symbols(*map);
  REQUIRE_MESSAGE(bindings.has_value(), bindings.error().to_string());
  Lines lines;
  for (const UnusedNeed& unused : find_unused_needs(*map, *bindings, needers)) {
    const LoadedObject& needer = map->objects[unused.needer];
    lines.push_back((unused.needer == 0 ? "prog" : std::string(needer.path)) + " " +
                    std::string(needer.needs[unused.need].name));
  }
  return lines;
}

}  // namespace

TEST_CASE("a needed library is unused if no reference of the needer ends in it") {
  struct Case {
    std::string why;
    std::function<void(MemorySystem&)> fill;
    Lines file;
    Lines all;
  };
  const Case cases[] = {
      {"used and unused",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so", "libb.so"}).refer(undefined("f")));
         s.elf("/lib64/liba.so", library().define(defined("f"))).elf("/lib64/libb.so", library());
       },
       {"prog libb.so"},
       {"prog libb.so"}},
      {"what only another one uses is unused (ldd -u relocates the program alone)",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so", "libb.so"}).refer(undefined("f")));
         s.elf("/lib64/liba.so", library_needing({"libb.so"}).define(defined("f")).refer(undefined("g")));
         s.elf("/lib64/libb.so", library().define(defined("g")).refer(defined("h")));
       },
       {"prog libb.so"},
       {"prog libb.so"}},
      {"a missing library does not shift the others",
       [](MemorySystem& s) {
         s.program(program_needing({"libgone.so", "liba.so", "libb.so"}).refer(undefined("f")));
         s.elf("/lib64/liba.so", library()).elf("/lib64/libb.so", library().define(defined("f")));
       },
       {"prog liba.so"},
       {"prog liba.so"}},
      {"a lazy call is a use",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).call(undefined("f")));
         s.elf("/lib64/liba.so", library().define(defined("f")));
       },
       {},
       {}},
      {"under its second name once",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so", "liba.so.1"}));
         s.elf("/lib64/liba.so", library().soname("liba.so.1"));
       },
       {"prog liba.so"},
       {"prog liba.so"}},
      {"of every object on request",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).refer(undefined("f")));
         s.elf("/lib64/liba.so", library_needing({"libb.so"}).define(defined("f")));
         s.elf("/lib64/libb.so", library());
       },
       {},
       {"/lib64/liba.so libb.so"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    c.fill(system);
    CHECK(unused_of(system, Needers::File) == c.file);
    CHECK(unused_of(system, Needers::All) == c.all);
  }
}
