// The breadth-first walk, preloads, filters, and where ld.so stands in the list
// (glibc elf/dl-deps.c:_dl_map_object_deps, elf/rtld.c:dl_main).
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "loader/load.h"
#include "loader/process.h"
#include "support/borrowed.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

const std::string kStart = "prog: error while loading shared libraries: ";
const std::string kEnoent = ": cannot open shared object file: No such file or directory";

LinkMap load(MemorySystem& system, const LoadOptions& options = {}) {
  Result<LinkMap> map = system.load(kProgram, options);
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  return std::move(*map);
}

Names in_d(Names names) {
  for (std::string& name : names) name = name + " => /D/" + name;
  return names;
}

/// A system whose program has RUNPATH /D and LD_LIBRARY_PATH=/D serves its libraries.
MemorySystem system_needing(Names needs, int minor = 36) {
  MemorySystem system(minor);
  system.program(program_needing(std::move(needs))).env("LD_LIBRARY_PATH=/D");
  return system;
}

}  // namespace

TEST_CASE("dependencies are loaded breadth first, each once") {
  MemorySystem system = system_needing({"a", "b"});
  system.elf("/D/a", library_needing({"d", "c"}))
      .elf("/D/b", library_needing({"e", "d"}))
      .elf("/D/c", library_needing({"e"}));
  system.elf("/D/d", library_needing()).elf("/D/e", library_needing());
  const LinkMap map = load(system);
  CHECK(listing(map) == in_d({"a", "b", "d", "c", "e"}));
  CHECK(scope(map) == Names{"(main)", "/D/a", "/D/b", "/D/d", "/D/c", "/D/e"});
  CHECK(map.failures.empty());
}

TEST_CASE("circles end") {
  MemorySystem system = system_needing({"a"});
  system.elf("/D/a", library_needing({"b", "a"})).elf("/D/b", library_needing({"a", "b"}));
  CHECK(listing(load(system)) == in_d({"a", "b"}));
}

TEST_CASE("a library that is missing leaves a placeholder in the list, not in the scope") {
  MemorySystem system = system_needing({"a", "no", "b"});
  system.elf("/D/a", library_needing({"no2"})).elf("/D/b", library_needing());
  const LinkMap map = load(system);
  CHECK(listing(map) == Names{"a => /D/a", "no => not found", "b => /D/b", "no2 => not found"});
  CHECK(scope(map) == Names{"(main)", "/D/a", "/D/b"});
  CHECK(messages(map) == Names{kStart + "no" + kEnoent, kStart + "no2" + kEnoent});
  REQUIRE(map.first_fatal() != nullptr);
  CHECK_MESSAGE(map.first_fatal()->object == "no", "a start ends with the first one");
  CHECK_MESSAGE(map.first_fatal_in_trace() == nullptr, "tracing goes on");
}

TEST_CASE("a candidate that is fatal ends the walk, or is replaced if it is to go on") {
  MemorySystem system = system_needing({"a", "bad", "b"});
  system.elf("/D/a", library_needing({"c"})).elf("/D/b", library_needing()).elf("/D/c", library_needing());
  system.files().add_file("/D/bad", "");
  const LinkMap stopped = load(system);
  CHECK(listing(stopped) == in_d({"a"}));
  CHECK(messages(stopped) == Names{kStart + "/D/bad: file too short"});
  CHECK(stopped.first_fatal_in_trace() != nullptr);
  const LinkMap gone_on = load(system, {.on_fatal = OnFatal::Continue});
  CHECK(listing(gone_on) == Names{"a => /D/a", "bad => not found", "b => /D/b", "c => /D/c"});
  CHECK(messages(gone_on) == messages(stopped));
}

TEST_CASE("chain_to tells who loaded whom, from the program on") {
  MemorySystem system = system_needing({"a", "b"});
  system.elf("/D/a", library_needing({"c"}))
      .elf("/D/b", library_needing({"c"}))
      .elf("/D/c", library_needing({"d"}))
      .elf("/D/d", library_needing());
  const LinkMap map = load(system);
  Names chain;
  for (const ObjectIndex index : map.chain_to(static_cast<ObjectIndex>(map.objects.size() - 1))) {
    chain.emplace_back(map.objects[index].path);
  }
  CHECK(chain == Names{"", "/D/a", "/D/c", "/D/d"});
}

TEST_CASE("a filtee stands before its filter, and is walked itself") {
  struct Case {
    std::string why;
    StringTag tag;
    Names want;
  };
  const Case cases[] = {
      {"DT_FILTER", StringTag::Filter, {"filtee => /D/filtee", "f => /D/f", "z => /D/z", "n => /D/n"}},
      {"DT_AUXILIARY", StringTag::Auxiliary, {"filtee => /D/filtee", "f => /D/f", "z => /D/z", "n => /D/n"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system = system_needing({"f", "z"});
    system.elf("/D/f", library().add(c.tag, "filtee")).elf("/D/filtee", library_needing({"n"}));
    system.elf("/D/z", library_needing()).elf("/D/n", library_needing());
    const LinkMap map = load(system);
    CHECK(listing(map) == c.want);
    CHECK(scope(map) == Names{"(main)", "/D/filtee", "/D/f", "/D/z", "/D/n"});
  }
}

TEST_CASE("a filtee that is queued later moves to the front; one that stands earlier stays") {
  MemorySystem later = system_needing({"f", "filtee"});
  later.elf("/D/f", library().add(StringTag::Filter, "filtee")).elf("/D/filtee", library_needing());
  CHECK(scope(load(later)) == Names{"(main)", "/D/filtee", "/D/f"});
  MemorySystem earlier = system_needing({"filtee", "a", "f"});
  earlier.elf("/D/f", library().add(StringTag::Filter, "filtee"))
      .elf("/D/filtee", library_needing())
      .elf("/D/a", library_needing());
  CHECK(scope(load(earlier)) == Names{"(main)", "/D/filtee", "/D/a", "/D/f"});
}

TEST_CASE("a filter of the program itself fails an assertion up to 2.31") {
  for (const int minor : {31, 32, 35, 41}) {
    CAPTURE(minor);
    MemorySystem system(minor);
    system.program(program().add(StringTag::Filter, "f").needed("a")).env("LD_LIBRARY_PATH=/D");
    system.elf("/D/f", library_needing()).elf("/D/a", library_needing());
    const LinkMap map = load(system);
    REQUIRE(map.failures.size() == (minor <= 31 ? 1 : 0));
    if (minor <= 31) CHECK(map.failures[0].kind == LoadFailure::Kind::Assertion);
  }
}

TEST_CASE("what stands before the program is out of sight: not listed, not found again") {
  MemorySystem system(36);
  system.program(program().add(StringTag::Filter, "f").needed("a")).env("LD_LIBRARY_PATH=/D");
  system.elf("/D/f", library_needing()).elf("/D/a", library_needing({"f"}));
  const LinkMap map = load(system);
  CHECK(scope(map) == Names{"/D/f", "(main)", "/D/a", "/D/f"});
  CHECK(listing(map) == in_d({"a", "f"}));
}

TEST_CASE("a missing filtee is fatal, a missing auxiliary one is not; tracing shows both") {
  for (const StringTag tag : {StringTag::Filter, StringTag::Auxiliary}) {
    CAPTURE(std::string(name_of(tag)));
    MemorySystem system = system_needing({"f"});
    system.elf("/D/f", library().add(tag, "no"));
    const LinkMap map = load(system);
    CHECK(listing(map) == Names{"no => not found", "f => /D/f"});
    CHECK((map.first_fatal() != nullptr) == (tag == StringTag::Filter));
    CHECK(map.first_fatal_in_trace() == nullptr);
  }
}

TEST_CASE("preloads come before all dependencies, their own behind the program's") {
  MemorySystem system = system_needing({"a"});
  system.env("LD_PRELOAD=p1:p2");
  system.preload_file = "p3\n";
  system.elf("/D/a", library_needing({"x"}))
      .elf("/D/p1", library_needing({"y"}))
      .elf("/D/p2", library_needing())
      .elf("/D/p3", library_needing());
  system.elf("/D/x", library_needing()).elf("/D/y", library_needing());
  const LinkMap map = load(system);
  CHECK(listing(map) == in_d({"p1", "p2", "p3", "a", "y", "x"}));
  CHECK(scope(map) == Names{"(main)", "/D/p1", "/D/p2", "/D/p3", "/D/a", "/D/y", "/D/x"});
}

TEST_CASE("what is wrong with a preload is a warning, what is wrong with its dependency is not") {
  const std::string warning = "ERROR: ld.so: object '";
  struct Case {
    std::string why;
    std::string preload;
    std::string file;
    Names messages;
    bool starts;
  };
  const Case cases[] = {
      {"missing",
       "LD_PRELOAD=no",
       "",
       {warning + "no' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored."},
       true},
      {"in ld.so.preload",
       "",
       "no\n",
       {warning + "no' from /etc/ld.so.preload cannot be preloaded (cannot open shared object file): ignored."},
       true},
      {"missing by path",
       "LD_PRELOAD=/x/no",
       "",
       {warning + "/x/no' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored."},
       true},
      {"another class",
       "LD_PRELOAD=small",
       "",
       {warning + "small' from LD_PRELOAD cannot be preloaded (wrong ELF class: ELFCLASS32): ignored."},
       true},
      {"a fatal file",
       "LD_PRELOAD=empty",
       "",
       {warning + "empty' from LD_PRELOAD cannot be preloaded (file too short): ignored."},
       true},
      {"the second one is good",
       "LD_PRELOAD=no p",
       "",
       {warning + "no' from LD_PRELOAD cannot be preloaded (cannot open shared object file): ignored."},
       true},
      {"its dependency is missing", "LD_PRELOAD=needs-no", "", {kStart + "no" + kEnoent}, false},
      {"twice the same", "LD_PRELOAD=p:p", "p", {}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system = system_needing({"a"});
    if (!c.preload.empty()) system.env(c.preload);
    system.preload_file = c.file;
    system.elf("/D/a", library_needing()).elf("/D/p", library_needing()).elf("/D/needs-no", library_needing({"no"}));
    system.files().add_file("/D/small", write_damaged(library_needing(), Damage::OtherClass));
    system.files().add_file("/D/empty", "");
    const LinkMap map = load(system);
    CHECK(messages(map) == c.messages);
    CHECK((map.first_fatal() == nullptr) == c.starts);
  }
}

TEST_CASE("a preload is searched as a need of the program, and satisfies by its SONAME") {
  MemorySystem system;
  system.program(program_needing({"libx.so.1"}).runpath("/D")).env("LD_PRELOAD=my.so");
  system.elf("/D/my.so", library().soname("libx.so.1")).elf("/D/libx.so.1", library());
  CHECK(listing(load(system)) == Names{"my.so => /D/my.so"});
}

TEST_CASE("AT_SECURE: preloads come without slash, without the cache, and set-uid themselves") {
  MemorySystem system;
  system.program(program()).env("LD_PRELOAD=plain setuid cached /lib64/setuid2");
  system.process.secure = true;
  system.elf("/lib64/plain", library_needing())
      .elf("/lib64/setuid2", library_needing())
      .elf("/C/cached", library_needing());
  system.files().add_file("/lib64/setuid", write_elf(library_needing()), 04755);
  system.cached("cached", "/C/cached");
  const LinkMap map = load(system);
  CHECK(listing(map) == Names{"setuid => /lib64/setuid"});
  CHECK(map.failures.size() == 2);
}

TEST_CASE("ld.so is listed where it is needed; from 2.41 on always") {
  const auto loader_at = [](const LinkMap& map) {
    for (std::size_t i = 0; i < map.list_order.size(); ++i) {
      if (map.objects[map.list_order[i]].role == ObjectRole::Loader) return static_cast<int>(i);
    }
    return -1;
  };
  // List: program, vDSO, a, b, …
  struct Case {
    std::string why;
    Names needs;
    Names a_needs;
    int until_2_40;
    int since_2_41;
  };
  const std::string ld = "ld-linux-x86-64.so.2";
  const Case cases[] = {
      {"nobody needs it", {"a", "b"}, {}, -1, 4},
      {"the program needs it last", {"a", "b", ld}, {}, 4, 4},
      {"the program needs it first", {ld, "a", "b"}, {}, 1, 1},
      {"a needs it", {"a", "b"}, {ld}, 4, 4},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    for (const int minor : {36, 40, 41}) {
      CAPTURE(minor);
      MemorySystem system = system_needing(c.needs, minor);
      system.elf("/D/a", library_needing(c.a_needs)).elf("/D/b", library_needing());
      CHECK(loader_at(load(system)) == (minor <= 40 ? c.until_2_40 : c.since_2_41));
    }
  }
}

TEST_CASE("dlopen: a nameless program loads one library and its dependencies") {
  MemorySystem system;
  system.process.start = Start::Dlopen;
  system.env("LD_LIBRARY_PATH=/L");
  system.elf("/L/libx.so", library_needing({"liby.so"}).rpath("/R")).elf("/R/liby.so", library_needing());
  const Result<LinkMap> map = system.load("libx.so");
  REQUIRE(map.has_value());
  CHECK(listing(*map) == Names{"libx.so => /L/libx.so", "liby.so => /R/liby.so"});
  ElfSpec closed = library_needing();
  closed.flags_1 = kDf1NoOpen;
  system.elf("/L/libz.so", closed);
  const Result<LinkMap> refused = system.load("libz.so");
  REQUIRE(refused.has_value());
  REQUIRE(refused->failures.size() == 1);
  CHECK(refused->failures[0].dlerror_message() == "libz.so: shared object cannot be dlopen()ed");
}

TEST_CASE("a library that may not be dlopened is fine as a dependency") {
  ElfSpec closed = library_needing();
  closed.flags_1 = kDf1NoOpen;
  MemorySystem system = system_needing({"a"});
  system.elf("/D/a", closed);
  CHECK(listing(load(system)) == in_d({"a"}));
}
