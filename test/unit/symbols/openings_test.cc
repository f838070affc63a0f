// dlopen(3) after the start: what it checks, and what one that fails leaves behind. The real loader judges
// the same in differential/open_test.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loader/load.h"
#include "soresolve/symbols.h"
#include "support/same_bindings.h"
#include "symbols/settle_dlopen_calls.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

MemorySystem with_program(const Names& needs = {}) {
  MemorySystem system;
  system.program(program_needing(needs).runpath("/D"));
  return system;
}

/// What the calls that fail come to, all made with RTLD_NOW.
Names failures(MemorySystem& system, const Names& files) {
  std::vector<OpenRequest> dlopen_calls;
  for (const std::string& file : files) dlopen_calls.push_back({file});
  const Result<LinkMap> map = system.load(kProgram, {});
  REQUIRE(map.has_value());
  const auto failed =
      settle_dlopen_calls(borrowed(system.system()), borrowed(system.process), kProgram, dlopen_calls, Settle::All);
  REQUIRE_MESSAGE(failed.has_value(), failed.error().to_string());
  Names lines;
  for (const FailedDlopenCall& one : *failed) {
    lines.push_back((one.is_process_over ? "ends the process: " : "") + one.message);
  }
  return lines;
}

ElfSpec no_open(ElfSpec spec) {
  spec.flags_1 = kDf1NoOpen;
  return spec;
}

ElfSpec thread_variable(std::uint64_t bytes) {
  Symbol variable = with(defined("variable"), SymbolType::Tls);
  variable.size_bytes = bytes;
  return library().refer(variable, kRelocTpOff64);
}

}  // namespace

TEST_CASE("DF_1_NOOPEN counts for each object that a dlopen maps") {
  MemorySystem system = with_program({"libhere.so"});
  system.elf("/D/libhere.so", no_open(library()));
  system.elf("/D/liba.so", library_needing({"libb.so"}).runpath("/D"));
  system.elf("/D/libb.so", no_open(library()));
  system.elf("/D/libc.so", library_needing({"libhere.so"}));
  system.elf("/D/libd.so", library().add(StringTag::Auxiliary, "libb.so").runpath("/D"));
  system.elf("/D/libe.so", library().add(StringTag::Filter, "libb.so").runpath("/D"));
  const std::string text = "libb.so: shared object cannot be dlopen()ed";
  CHECK(failures(system, {"liba.so"}) == Names{text});
  CHECK_MESSAGE(failures(system, {"libc.so", "libhere.so"}).empty(), "what is loaded already is not mapped");
  CHECK_MESSAGE(failures(system, {"libd.so"}).empty(), "a filtee is passed over in silence");
  CHECK_MESSAGE(failures(system, {"libe.so"}) == Names{text}, "but not one of DT_FILTER");
}

TEST_CASE("a verneed record of a file that nothing is loaded under ends the process in a dlopen, too") {
  MemorySystem system = with_program();
  ElfSpec spec = library();
  spec.version_needs = {{"libgone.so", {{"V1"}}}};
  system.elf("/D/liba.so", spec);
  system.elf("/D/libb.so", library());
  const Names lines = failures(system, {"libb.so", "liba.so", "libb.so"});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("ends the process: Inconsistency detected by ld.so: dl-version.c: "));
}

TEST_CASE("initial-exec variables of what is opened have what the loader keeps for them, and no more") {
  struct Case {
    const char* why;
    std::uint64_t bytes;
    std::string tunables;
    bool fits;
  };
  const Case cases[] = {
      {"all of it", 1664, "", true},
      {"one block more", 1680, "", false},
      {"a tunable makes room", 1680, "glibc.rtld.optional_static_tls=528", true},
      {"or takes it", 1664, "glibc.rtld.optional_static_tls=0", false},
      {"a number out of its bounds", 1664, "glibc.rtld.nns=40", true},
      {"fewer namespaces", 1104, "glibc.rtld.nns=1", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system = with_program();
    if (!c.tunables.empty()) system.env("GLIBC_TUNABLES=" + c.tunables);
    system.elf("/D/liba.so", thread_variable(c.bytes));
    const Names want = c.fits ? Names{} : Names{"/D/liba.so: cannot allocate memory in static TLS block"};
    CHECK(failures(system, {"liba.so"}) == want);
  }
  MemorySystem two = with_program();
  two.elf("/D/liba.so", thread_variable(800)).elf("/D/libb.so", thread_variable(880));
  CHECK(failures(two, {"liba.so", "libb.so"}) == Names{"/D/libb.so: cannot allocate memory in static TLS block"});
  MemorySystem first = with_program();
  first.elf("/D/liba.so", thread_variable(1800)).elf("/D/libb.so", thread_variable(1600));
  CHECK_MESSAGE(failures(first, {"liba.so", "libb.so"}).size() == 1, "what fails gives its part back");
}

TEST_CASE("a dlopen that fails leaves no object behind, and those after it go on") {
  MemorySystem system = with_program();
  system.elf("/D/liba.so", library_needing({"libb.so", "libgone.so"}).runpath("/D"));
  system.elf("/D/libb.so", library());
  system.elf("/D/libc.so", library_needing({"libb.so"}).runpath("/D"));
  std::vector<OpenRequest> dlopen_calls = {{"liba.so"}, {"libc.so"}};
  dlopen_calls[0].is_taken_back = true;
  const Result<LinkMap> map = system.load(kProgram, {.dlopen_calls = dlopen_calls});
  REQUIRE(map.has_value());
  CHECK(map->first_fatal() == nullptr);
  REQUIRE(map->dlopen_calls.size() == 1);
  CHECK(map->dlopen_calls[0].number == 1);
  Names paths;
  for (const ObjectIndex index : map->list_order) {
    if (map->objects[index].role == ObjectRole::Library) paths.emplace_back(map->objects[index].path);
  }
  CHECK(paths == Names{"/D/libc.so", "/D/libb.so"});
}

TEST_CASE("what comes after a dlopen that failed searches by its own tags") {
  MemorySystem system = with_program();
  system.elf("/D/liba.so", library_needing({"libx.so", "libgone.so"}).runpath("/one"));
  system.elf("/D/libb.so", library_needing({"libx.so"}).runpath("/two"));
  system.elf("/one/libx.so", library()).elf("/two/libx.so", library());
  std::vector<OpenRequest> dlopen_calls = {{"liba.so"}, {"libb.so"}};
  dlopen_calls[0].is_taken_back = true;
  const Result<LinkMap> map = system.load(kProgram, {.dlopen_calls = dlopen_calls});
  REQUIRE(map.has_value());
  Names paths;
  for (const ObjectIndex index : map->list_order) {
    if (map->objects[index].role == ObjectRole::Library) paths.emplace_back(map->objects[index].path);
  }
  CHECK(paths == Names{"/D/libb.so", "/two/libx.so"});
}

TEST_CASE("what is opened later is bound on top of what was bound before") {
  struct Case {
    const char* why;
    ElfSpec opened;
    bool is_shared;  ///< what was bound before is not read again
  };
  Symbol only = defined("only");
  only.binding = Binding::Unique;
  Symbol shy = defined("f");
  shy.visibility = Visibility::Protected;
  ElfSpec missing = library();
  missing.hash = HashTables::None;
  const Case cases[] = {
      {"another definition of the same name", library().refer(defined("f")).refer(undefined("g")), true},
      {"a symbol that is unique", library().refer(only).refer(undefined("f")), true},
      {"one that is protected", library().refer(shy), true},
      {"a resolver", library().refer(with(defined("f"), SymbolType::Ifunc)), true},
      {"one that is unique and a resolver", library().define(with(only, SymbolType::Ifunc)), false},
      {"no hash table", missing, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system = with_program({"libhere.so"});
    const auto gnu = [](ElfSpec spec) {
      if (spec.hash != HashTables::None) spec.hash = HashTables::Gnu;
      return spec;
    };
    system.elf("/D/libhere.so", gnu(library().refer(defined("f")).refer(only).refer(undefined("gone"))));
    system.elf("/D/libnew.so", gnu(c.opened));
    const std::vector<OpenRequest> dlopen_calls = {{"libnew.so"}};
    const Result<LinkMap> before = system.load(kProgram, {});
    REQUIRE(before.has_value());
    const Result<LinkMap> map = load(before->system, before->process, before->file, {.dlopen_calls = dlopen_calls});
    REQUIRE(map.has_value());
    const Result<Bindings> bound = bind_symbols(*before, {.own = OwnReferences::Counted});
    const Result<Bindings> all = bind_symbols(*map);
    REQUIRE((bound.has_value() && all.has_value()));
    const Result<Bindings> both = bind_symbols(*map, {.own = OwnReferences::Counted, .before = &*bound});
    REQUIRE(both.has_value());
    CHECK(difference(*all, *both, 1).value_or("") == "");
    const auto name_of_gone = [](const Bindings& bindings) {
      const void* name = nullptr;
      bindings.for_each([&](const Bindings::Event& event) {
        if (event.binding != nullptr && event.binding->symbol == "gone") name = event.binding->symbol.data();
      });
      return name;
    };
    CHECK((name_of_gone(*both) == name_of_gone(*bound)) == c.is_shared);
  }
}

TEST_CASE("a dlopen that failed has taken its part of what TLSDESC may take, and a gap can stay") {
  const auto with_variable = [](std::uint64_t bytes, std::uint32_t type) {
    Symbol variable = with(defined("variable"), SymbolType::Tls);
    variable.visibility = Visibility::Hidden;
    variable.size_bytes = bytes;
    return library().refer(variable, type);
  };
  MemorySystem system = with_program();
  system.elf("/D/liba.so", with_variable(480, kRelocTlsDesc).refer(undefined("nowhere")));
  system.elf("/D/libb.so", with_variable(64, kRelocTlsDesc)).elf("/D/libc.so", with_variable(1664, kRelocTpOff64));
  CHECK_MESSAGE(failures(system, {"libb.so", "libc.so"}).size() == 1, "libb.so has its part of the reserve");
  CHECK_MESSAGE(failures(system, {"liba.so", "libb.so", "libc.so"}) == Names{"/D/liba.so: undefined symbol: nowhere"},
                "32 bytes are left for libb.so, which has none of the reserve then");
}
