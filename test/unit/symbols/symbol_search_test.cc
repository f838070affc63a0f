// The search for one symbol as it is told: the objects in their order, and why each did not serve.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "loader/load.h"
#include "soresolve/symbols.h"
#include "symbols/symbol_answer.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"
#include "unit/symbols/versioned.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Lines = std::vector<std::string>;

/// A system that has been bound.
struct Bound {
  explicit Bound(MemorySystem& memory) : memory(memory) {
    Result<LinkMap> walked = memory.load();
    REQUIRE_MESSAGE(walked.has_value(), walked.error().to_string());
    map = std::move(*walked);
    Result<Bindings> made = bind_symbols(map);
    REQUIRE_MESSAGE(made.has_value(), made.error().to_string());
    bindings = std::move(*made);
  }
  SymbolAnswer answer(std::string_view asked) {
    Result<SymbolAnswer> result = answer_symbol(map, bindings, asked);
    REQUIRE_MESSAGE(result.has_value(), result.error().to_string());
    return std::move(*result);
  }
  std::string name(ObjectIndex object) {
    const std::string_view path = map.objects[object].path;
    return object == 0 ? "prog" : std::string(path.substr(path.rfind('/') + 1));
  }
  /// "OBJECT: VERDICT [VERSIONS]" of each object that was asked; ld.so, which has no file here, is
  /// left out.
  Lines lines(const SymbolSearch& search) {
    Lines all;
    for (const AskedObject& asked : search.asked) {
      if (map.objects[asked.object].role == ObjectRole::Loader) continue;
      std::string line = name(asked.object) + ": " + std::string(name_of(asked.verdict));
      if (asked.is_itself_first) line += " itself-first";
      for (const OtherVersion& other_version : asked.other_versions) {
        line += (other_version.is_hidden ? " @" : " @@") + other_version.version;
      }
      all.push_back(line);
    }
    return all;
  }

  MemorySystem& memory;
  LinkMap map;
  Bindings bindings;
};

ElfSpec searching(const std::string& version = {}, std::vector<std::string> needs = {"liba.so", "libb.so"}) {
  ElfSpec spec = program_needing(std::move(needs));
  if (!version.empty()) spec.version_needs = {{"liba.so", {{version}}}};
  return spec.refer(undefined("f", version));
}

}  // namespace

TEST_CASE("each object that is asked says why its definition does not match") {
  struct Case {
    std::string why;
    ElfSpec program;
    ElfSpec first;
    Lines want;
  };
  const ElfSpec later = versioned({"liba.so", "V0", "V1", "V2"});
  ElfSpec no_hash = library().define(defined("f"));
  no_hash.hash = HashTables::None;
  const std::string serves = "libb.so: serves @@";
  const Case cases[] = {
      {"nothing of that name",
       searching(),
       library().define(defined("g")),
       {"prog: not-defined", "liba.so: not-defined", serves}},
      {"the search ends with the first that serves",
       searching(),
       library().define(defined("f")),
       {"prog: not-defined", "liba.so: serves @@"}},
      {"no hash table", searching(), no_hash, {"prog: not-defined", "liba.so: no-hash-table", serves}},
      {"hidden",
       searching(),
       library().define(with(defined("f"), Visibility::Hidden)),
       {"prog: not-defined", "liba.so: not-visible @@", serves}},
      {"local",
       searching(),
       library().define(with(defined("f"), Binding::Local)),
       {"prog: not-defined", "liba.so: local-binding @@", serves}},
      {"only another version",
       searching("V2"),
       ElfSpec(later).define(defined("f", "V1")),
       {"prog: not-defined", "liba.so: other-version @@V1", serves}},
      {"no version is asked for, and none is a default",
       searching(),
       ElfSpec(later).define(defined_hidden("f", "V1")),
       {"prog: not-defined", "liba.so: other-version @V1", serves}},
      {"no version is asked for, and two are defaults",
       searching(),
       ElfSpec(later).define(defined("f", "V1")).define(defined("f", "V2")),
       {"prog: not-defined", "liba.so: ambiguous @@V1 @@V2", serves}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.program(c.program);
    system.elf("/lib64/liba.so", c.first);
    system.elf("/lib64/libb.so", library().define(defined("f")));
    Bound bound(system);
    const SymbolAnswer answer = bound.answer("f");
    REQUIRE(answer.references.size() == 1);
    Lines lines = bound.lines(answer.references[0].search);
    // Chains have their names in an order of their own.
    if (lines[1] == "liba.so: ambiguous @@V2 @@V1") lines[1] = "liba.so: ambiguous @@V1 @@V2";
    CHECK(lines == c.want);
    CHECK(answer.is_good());
  }
}

TEST_CASE("what the referrer is decides whom it asks") {
  struct Case {
    std::string why;
    std::function<void(MemorySystem&)> fill;
    Lines want;
  };
  const Case cases[] = {
      {"DT_SYMBOLIC asks itself first",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}));
         ElfSpec symbolic = library();
         symbolic.symbolic = true;
         s.elf("/lib64/liba.so", symbolic.refer(undefined("f")));
         s.elf("/lib64/libb.so", library());
       },
       {"liba.so: not-defined itself-first", "prog: not-defined", "liba.so: not-defined"}},
      {"a copy relocation does not ask the program",
       [](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).refer(data(defined("f")), kRelocCopy));
         s.elf("/lib64/liba.so", library().define(data(defined("f"))));
       },
       {"prog: skipped-program", "liba.so: serves @@"}},
      {"LD_DYNAMIC_WEAK passes over weak ones",
       [](MemorySystem& s) {
         s.env("LD_DYNAMIC_WEAK=1");
         s.program(searching());
         s.elf("/lib64/liba.so", library().define(weak(defined("f"))));
         s.elf("/lib64/libb.so", library().define(defined("f")));
       },
       {"prog: not-defined", "liba.so: weak-passed-over @@", "libb.so: serves @@"}},
      {"and comes back to the first of them",
       [](MemorySystem& s) {
         s.env("LD_DYNAMIC_WEAK=1");
         s.program(searching());
         s.elf("/lib64/liba.so", library().define(weak(defined("f"))));
         s.elf("/lib64/libb.so", library().define(weak(defined("f"))));
       },
       {"prog: not-defined", "liba.so: serves @@", "libb.so: weak-passed-over @@"}},
      {"a call is not served by an address of the program's",
       [](MemorySystem& s) {
         Symbol canonical = undefined("f");
         canonical.value = 0x40;
         s.program(program_needing({"liba.so"}).define(canonical));
         s.elf("/lib64/liba.so", library().call(undefined("f")));
       },
       {"prog: only-reference", "liba.so: not-defined"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    c.fill(system);
    Bound bound(system);
    const SymbolAnswer answer = bound.answer("f");
    REQUIRE(answer.references.size() == 1);
    CHECK(bound.lines(answer.references[0].search) == c.want);
  }
}

TEST_CASE("the definition is told with its place in the file") {
  MemorySystem system;
  system.program(searching("V2", {"liba.so"}));
  Symbol odd = defined("f", "V2");
  odd.size_bytes = 0x1234;
  const ElfSpec spec = versioned({"liba.so", "V1", "V2"}).define(defined_hidden("f", "V1")).define(odd);
  system.elf("/lib64/liba.so", spec);
  Bound bound(system);
  const SymbolAnswer answer = bound.answer("f@V2");
  REQUIRE(answer.references.size() == 1);
  const OtherVersion* found = answer.references[0].search.definition();
  REQUIRE(found != nullptr);
  CHECK(found->version == "V2");
  CHECK(found->symbol_index == 2);
  CHECK(found->version_index == 3);
  CHECK(write_elf(spec).substr(found->file_offset + 16, 3) == std::string("\x34\x12\0", 3));  // st_size
  CHECK(bound.answer("f@V1").references.empty());
}

TEST_CASE("a name that nobody refers to is looked for as dlsym does") {
  struct Case {
    std::string why;
    std::string asked;
    ElfSpec library;
    Lines want;
  };
  const ElfSpec nodes = versioned({"liba.so", "V1", "V2"});
  const Case cases[] = {
      {"the default version, not the oldest one",
       "g",
       ElfSpec(nodes).define(defined_hidden("g", "V1")).define(defined("g", "V2")),
       {"V2"}},
      {"dlvsym: exactly that one",
       "g@V1",
       ElfSpec(nodes).define(defined_hidden("g", "V1")).define(defined("g", "V2")),
       {"V1"}},
      {"dlvsym takes nothing without version", "g@V1", ElfSpec(nodes).define(defined("g")), {}},
      {"no default", "g", ElfSpec(nodes).define(defined_hidden("g", "V1")), {}},
      {"nowhere", "g", library(), {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.program(program_needing({"liba.so"}));
    system.elf("/lib64/liba.so", c.library);
    Bound bound(system);
    const SymbolAnswer answer = bound.answer(c.asked);
    CHECK(answer.references.empty());
    REQUIRE(answer.dlsym.has_value());
    const OtherVersion* found = answer.dlsym->definition();
    CHECK((found == nullptr ? Lines{} : Lines{found->version}) == c.want);
    CHECK(answer.is_good() == !c.want.empty());
  }
}

TEST_CASE("the search ends where the reference is bound") {
  for (const int minor : {31, 36, 43}) {
    for (const char* weak_mode : {"", "LD_DYNAMIC_WEAK="}) {
      for (const HashTables hash : {HashTables::Sysv, HashTables::Gnu, HashTables::Both}) {
        CAPTURE(minor);
        CAPTURE(weak_mode);
        MemorySystem system(minor);
        if (*weak_mode != '\0') system.env(weak_mode);
        ElfSpec program = program_needing({"liba.so", "libb.so", "libc.so"}).define(defined("own"));
        program.version_needs = {{"liba.so", {{"V1"}, {"V2"}, {"GONE", true}}}};
        for (const char* version : {"", "V1", "V2", "GONE"}) {
          for (const char* name : {"a", "b", "c", "d"}) program.refer(undefined(name, version));
          program.call(undefined("called", version));
        }
        program.refer(data(defined("copied")), kRelocCopy);
        ElfSpec a = versioned({"liba.so", "V1", "V2"});
        a.define(defined_hidden("a", "V1")).define(defined("a", "V2")).define(defined("b"));
        a.define(defined("c", "V1")).define(defined("c", "V2")).define(weak(defined("d", "V2")));
        a.call(undefined("called")).refer(undefined("own"));
        ElfSpec b = library().define(data(defined("copied"))).define(defined("called"));
        b.symbolic = true;
        b.define(defined("d")).define(weak(defined("a"))).refer(undefined("copied")).refer(undefined("c"));
        b.relocations.push_back({kRelocGlobDat, "d"});
        ElfSpec c = library().define(defined("c")).define(defined("b")).refer(undefined("a"));
        for (ElfSpec* spec : {&program, &a, &b, &c}) spec->hash = hash;
        system.program(program);
        system.elf("/lib64/liba.so", a).elf("/lib64/libb.so", b).elf("/lib64/libc.so", c);
        Bound bound(system);
        std::size_t compared = 0;
        bound.bindings.for_each([&](const Bindings::Event& event) {
          REQUIRE(event.binding != nullptr);
          const SymbolBinding& binding = *event.binding;
          if (binding.is_loaders_own) return;
          CAPTURE(std::string(binding.symbol));
          const auto search = search_symbol(bound.map, bound.bindings,
                                            {binding.symbol, binding.version, binding.referrer, binding.lookup_class,
                                             binding.symbol_index, SearchedBy::Relocation});
          REQUIRE(search.has_value());
          CHECK(search->provider() == binding.provider);
          if (binding.is_bound()) CHECK(search->definition()->symbol_index == binding.provider_index);
          ++compared;
        });
        CHECK(compared > 20);
      }
    }
  }
}
