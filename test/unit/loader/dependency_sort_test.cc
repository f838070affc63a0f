// The order of relocation (glibc elf/dl-deps.c:_dl_map_object_deps, elf/dl-sort-maps.c,
// elf/rtld.c:dl_main).
#include "loader/dependency_sort.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "loader/load.h"
#include "loader/process.h"
#include "support/sanitizer.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

/// A library in /D by its needs; "libc.so.6" has that SONAME.
struct Lib {
  std::string name;
  Names needs;
  Names filtees = {};
};

MemorySystem system_of(int minor, const Names& needs, const std::vector<Lib>& libs) {
  MemorySystem system(minor);
  system.program(program_needing(needs)).env("LD_LIBRARY_PATH=/D");
  for (const Lib& lib : libs) {
    ElfSpec spec = library_needing(lib.needs);
    for (const std::string& filtee : lib.filtees) spec.add(StringTag::Filter, filtee);
    if (lib.name == "libc.so.6") spec.soname(lib.name);
    system.elf("/D/" + lib.name, spec);
  }
  return system;
}

/// Paths without "/D/"; the program is "prog", the loader "ld.so".
Names names_of(const LinkMap& map, const std::vector<ObjectIndex>& order) {
  Names names;
  for (const ObjectIndex index : order) {
    const LoadedObject& object = map.objects[index];
    names.push_back(object.role == ObjectRole::Main     ? "prog"
                    : object.role == ObjectRole::Loader ? "ld.so"
                    : object.path.starts_with("/D/")    ? std::string(object.path.substr(3))
                                                        : std::string(object.path));
  }
  return names;
}

Names order(MemorySystem& system, std::string_view file = kProgram) {
  const Result<LinkMap> map = system.load(file);
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return names_of(*map, relocation_order(*map));
}

const std::string kLoaderName = "ld-linux-x86-64.so.2";

}  // namespace

TEST_CASE("what is needed is relocated before its needers, the program last") {
  struct Case {
    std::string why;
    Names needs;
    std::vector<Lib> libs;
    Names older, newer;
  };
  const Case cases[] = {
      {"no needs", {}, {}, {"prog"}, {"prog"}},
      {"strangers, from the end of the search list",
       {"a", "b"},
       {{"a", {}}, {"b", {}}},
       {"b", "a", "prog"},
       {"b", "a", "prog"}},
      {"the needed one stands first", {"a", "b"}, {{"a", {}}, {"b", {"a"}}}, {"a", "b", "prog"}, {"a", "b", "prog"}},
      {"a diamond",
       {"a", "b"},
       {{"a", {"c"}}, {"b", {"c"}}, {"c", {}}},
       {"c", "b", "a", "prog"},
       {"c", "b", "a", "prog"}},
      {"strangers among them: by the list, or by their needer",
       {"a", "b", "c"},
       {{"a", {}}, {"b", {}}, {"c", {"b", "a"}}},
       {"a", "b", "c", "prog"},
       {"b", "a", "c", "prog"}},
      {"a circle",
       {"a", "b", "c"},
       {{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}},
       {"c", "b", "a", "prog"},
       {"b", "a", "c", "prog"}},
      {"an object that needs itself",
       {"a", "b"},
       {{"a", {"a"}}, {"b", {"a", "b"}}},
       {"a", "b", "prog"},
       {"a", "b", "prog"}},
      {"an object that needs the program",
       {"a", "b"},
       {{"a", {}}, {"b", {"", "a"}}},
       {"a", "b", "prog"},
       {"a", "b", "prog"}},
      {"a filtee is needed by its filter",
       {"a", "b"},
       {{"a", {}, {"b"}}, {"b", {}}},
       {"b", "a", "prog"},
       {"b", "a", "prog"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem older = system_of(34, c.needs, c.libs);
    CHECK(order(older) == c.older);
    MemorySystem newer = system_of(35, c.needs, c.libs);
    CHECK(order(newer) == c.newer);
    newer.env("GLIBC_TUNABLES=glibc.rtld.dynamic_sort=1");
    CHECK(order(newer) == c.older);
    newer.process.secure = true;
    newer.rules.system_dirs.emplace_back("/D/");  // LD_LIBRARY_PATH is ignored as well
    CHECK(order(newer) == c.newer);
  }
}

TEST_CASE("the tunable takes its last valid value") {
  struct Case {
    std::string why;
    std::string value;
    bool is_older;
  };
  const Case cases[] = {
      {"1", "glibc.rtld.dynamic_sort=1", true},
      {"2", "glibc.rtld.dynamic_sort=2", false},
      {"out of range", "glibc.rtld.dynamic_sort=3", false},
      {"among others", "glibc.malloc.check=1:glibc.rtld.dynamic_sort=1:x=y", true},
      {"twice", "glibc.rtld.dynamic_sort=1:glibc.rtld.dynamic_sort=2", false},
      {"another name", "glibc.rtld.dynamic=1", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system = system_of(36, {"a", "b", "c"}, {{"a", {}}, {"b", {}}, {"c", {"b", "a"}}});
    system.env("GLIBC_TUNABLES=" + c.value);
    CHECK(order(system) == (c.is_older ? Names{"a", "b", "c", "prog"} : Names{"b", "a", "c", "prog"}));
  }
}

TEST_CASE("preloads are sorted like dependencies; a filtee of the program comes before it") {
  MemorySystem system = system_of(36, {"a"}, {{"a", {"p"}}, {"p", {}}, {"q", {}}});
  system.env("LD_PRELOAD=p:q");
  CHECK(order(system) == Names{"p", "a", "q", "prog"});
  for (const int minor : {32, 36}) {
    MemorySystem filter = system_of(minor, {}, {{"f", {}}});
    filter.program(program_needing({}).add(StringTag::Filter, "f"));
    CHECK(order(filter) == Names{"f", "prog"});
  }
}

TEST_CASE("libc is relocated first since 2.39; ld.so, when it binds anew, last") {
  struct Case {
    std::string why;
    Names needs;
    std::vector<Lib> libs;
    int minor;
    Names want;
  };
  const std::vector<Lib> libc_last = {{"a", {"libc.so.6"}}, {"b", {}}, {"libc.so.6", {kLoaderName, "b"}}};
  const std::vector<Lib> libc_alone = {{"libc.so.6", {}}};
  const Case cases[] = {
      {"2.38", {"a"}, libc_last, 38, {"b", "libc.so.6", "a", "prog", "ld.so"}},
      {"2.39", {"a"}, libc_last, 39, {"libc.so.6", "b", "a", "prog", "ld.so"}},
      {"nobody needs ld.so, 2.40", {"libc.so.6"}, libc_alone, 40, {"libc.so.6", "prog"}},
      {"nobody needs ld.so, 2.41", {"libc.so.6"}, libc_alone, 41, {"libc.so.6", "prog", "ld.so"}},
      {"no libc, 2.40", {kLoaderName}, {}, 40, {"prog", "ld.so"}},
      {"no libc, 2.41", {kLoaderName}, {}, 41, {"prog"}},
      {"the vDSO is not relocated", {"linux-vdso.so.1"}, {}, 36, {"prog"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system = system_of(c.minor, c.needs, c.libs);
    CHECK(order(system) == c.want);
  }
}

TEST_CASE("a libc that is the program itself has no fixed place") {
  MemorySystem system = system_of(38, {}, {{"p", {"libc.so.6"}}, {"libc.so.6", {}}});
  system.env("LD_PRELOAD=/D/p").process.start = Start::Argument;
  CHECK(order(system, "/D/libc.so.6") == Names{"prog", "p"});
  system.rules.sorts_libc_as_program = false;
  CHECK(order(system, "/D/libc.so.6") == Names{"p", "prog"});
}

TEST_CASE("a dlopen relocates the opened object last, unless a circle leads back to it") {
  const std::vector<Lib> circle = {{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}};
  const std::vector<Lib> filter = {{"a", {}, {"f"}}, {"f", {}}};
  struct Case {
    std::string why;
    int minor;
    std::vector<Lib> libs;
    Names want;
  };
  const Case cases[] = {
      {"older sort", 31, circle, {"c", "b", "a"}},
      {"depth first, nothing forced", 36, circle, {"a", "c", "b"}},
      {"the opened object is forced first", 37, circle, {"c", "b", "a"}},
      {"2.31 forgets the filtee (bug 16272)", 31, filter, {"a"}},
      {"2.32 does not", 32, filter, {"f", "a"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system = system_of(c.minor, {}, c.libs);
    system.process.start = Start::Dlopen;
    CHECK(order(system, "a") == c.want);
    CHECK(order(system, "missing").empty());
  }
}

TEST_CASE("placeholders have no place") {
  MemorySystem system = system_of(36, {"a", "no"}, {{"a", {"no"}}});
  CHECK(order(system) == Names{"a", "prog"});
}

TEST_CASE("a map full of circles is sorted in bounded time and memory") {
  Names needs;
  std::vector<Lib> libs;
  constexpr int kCount = test::is_built_with_asan() ? 150 : 3000;  // the older sort compares up to its bound
  for (int i = 0; i < kCount; ++i) {
    needs.push_back("l" + std::to_string(i));
    libs.push_back(
        {needs.back(), {"l" + std::to_string((i + 1) % kCount), "l" + std::to_string((i * 7 + 3) % kCount)}});
  }
  for (const int minor : {31, 36}) {
    MemorySystem system = system_of(minor, needs, libs);
    CHECK(order(system).size() == kCount + 1);
  }
}
