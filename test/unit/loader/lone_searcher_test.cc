// Searches on their own: does an edge stand without the load order?
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loader/load.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

ObjectIndex find_object(const LinkMap& map, std::string_view path) {
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    if (map.objects[i].path == path) return i;
  }
  FAIL("no object " << std::string(path));
  return kNoObject;
}

}  // namespace

TEST_CASE("an edge is fragile if its needer could not find the library itself") {
  struct Case {
    std::string why;
    ElfSpec a;
    bool fragile;
  };
  const Case cases[] = {
      {"its RUNPATH has it", library_needing({"libx.so"}).runpath("/E"), false},
      {"its RUNPATH has it not", library_needing({"libx.so"}).runpath("/no"), true},
      {"without RUNPATH nobody's provides it", library_needing({"libx.so"}), true},
      {"a SONAME that lies nowhere", library_needing({"libx.so.1"}).runpath("/E"), true},
      {"a path is no search", library_needing({"/E/libx.so"}), false},
      {"ld.so is always there", library_needing({"ld-linux-x86-64.so.2"}), false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.program(program_needing({"libx.so", "liba.so"}).runpath("/E:/A"));
    system.elf("/E/libx.so", library().soname("libx.so.1")).elf("/A/liba.so", c.a);
    const Result<LinkMap> map = system.load();
    REQUIRE(map.has_value());
    REQUIRE(map->failures.empty());
    LoneSearcher searcher(*map);
    const ObjectIndex a = find_object(*map, "/A/liba.so");
    CHECK(searcher.is_fragile(a, map->objects[a].needs[0]) == c.fragile);
    CHECK_MESSAGE(!searcher.is_fragile(0, map->main().needs[0]), "it was found by a search");
  }
}

TEST_CASE("a search on its own ignores what is loaded") {
  MemorySystem system;
  system.program(program_needing({"libx.so"}).runpath("/A:/B"));
  system.elf("/B/libx.so", library()).elf("/lib64/libx.so", library());
  const Result<LinkMap> map = system.load();
  REQUIRE(map.has_value());
  LoneSearcher searcher(*map);
  const LoneSearch again = searcher.search(0, "libx.so", PastFirst::Stop);
  CHECK(again.outcome == Outcome::Loaded);
  CHECK(again.path == "/B/libx.so");
  CHECK(searcher.search(0, "liby.so", PastFirst::Stop).outcome == Outcome::NoSuchFile);
  CHECK(searcher.search(0, "liby.so", PastFirst::Stop).path.empty());
}

TEST_CASE("going on past the first shows every file of the name in reach") {
  MemorySystem system;
  system.program(program_needing({"libx.so"}).runpath("/A:/B")).cached("libx.so", "/C/libx.so");
  for (const std::string directory : {"/A", "/B", "/C", "/lib64"}) {
    system.elf(directory + "/libx.so", library());
  }
  const Result<LinkMap> map = system.load();
  REQUIRE(map.has_value());
  LoneSearcher searcher(*map);
  const LoneSearch all = searcher.search(0, "libx.so", PastFirst::Continue);
  CHECK_MESSAGE(all.path == "/A/libx.so", "the first one is still the answer");
  Names hits;
  for (const Attempt& attempt : all.trace.attempts) {
    if (attempt.outcome == Outcome::Loaded) hits.push_back(attempt.candidate);
  }
  CHECK(hits == Names{"/A/libx.so", "/B/libx.so", "/C/libx.so", "/lib64/libx.so"});
}
