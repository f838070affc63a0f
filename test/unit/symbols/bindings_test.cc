// Which definition a reference binds to (glibc elf/dl-lookup.c). The differential tests put the same
// rules before the real loader; this table says what each of them is.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "loader/load.h"
#include "soresolve/symbols.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"
#include "unit/symbols/versioned.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Lines = std::vector<std::string>;

/// "REFERRER SYMBOL[@VERSION] -> PROVIDER[#INDEX]" for each reference, in the order of relocation.
Lines bindings_of(MemorySystem& system, unsigned jobs = 1) {
  const Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  const Result<Bindings> bindings = bind_symbols(*map, {.jobs = jobs});
  REQUIRE_MESSAGE(bindings.has_value(), bindings.error().to_string());
  const auto name = [&](ObjectIndex object) {
    const std::string_view path = map->objects[object].path;
    return object == 0 ? std::string("prog") : std::string(path.substr(path.rfind('/') + 1));
  };
  Lines lines;
  bindings->for_each([&](const Bindings::Event& event) {
    if (event.damage != nullptr) {
      lines.push_back("damage " + name(event.damage->object));
      return;
    }
    const SymbolBinding& binding = *event.binding;
    std::string line = name(binding.referrer) + " " + std::string(binding.symbol);
    if (!binding.version.empty()) line += "@" + std::string(binding.version);
    line += " -> ";
    line += binding.is_bound() ? name(binding.provider) + "#" + std::to_string(binding.provider_index)
                               : std::string(binding.is_weak ? "nowhere, weak" : "nowhere");
    lines.push_back(line);
  });
  return lines;
}

/// A program that needs liba.so (and libb.so) and refers to `f`.
ElfSpec asking(Symbol symbol = undefined("f"), std::vector<std::string> needs = {"liba.so"}) {
  ElfSpec spec = program_needing(std::move(needs));
  if (!symbol.version.empty()) spec.version_needs = {{"liba.so", {{symbol.version}}}};
  return spec.refer(std::move(symbol));
}

}  // namespace

TEST_CASE("one object: which of its symbols provides a reference") {
  struct Case {
    const char* why;
    int minor;
    ElfSpec program;
    ElfSpec library;
    std::string want;
  };
  ElfSpec two_nodes = versioned({"liba.so", "V1", "V2"});
  const Case cases[] = {
      {"defined", 36, asking(), library().define(defined("f")), "liba.so#1"},
      {"not defined", 36, asking(), library().define(defined("g")), "nowhere"},
      {"weak reference", 36, asking(weak(undefined("f"))), library(), "nowhere, weak"},
      {"hidden", 36, asking(), library().define(with(defined("f"), Visibility::Hidden)), "nowhere"},
      {"protected provides others", 36, asking(), library().define(with(defined("f"), Visibility::Protected)),
       "liba.so#1"},
      {"unversioned reference: the first version of all, though hidden", 36, asking(),
       versioned({"liba.so", "V1", "V2"}).define(defined_hidden("f", "V1")).define(defined("f", "V2")), "liba.so#1"},
      {"unversioned reference: of later versions the only visible one", 36, asking(),
       versioned({"liba.so", "V0", "V1", "V2"}).define(defined_hidden("f", "V1")).define(defined("f", "V2")),
       "liba.so#2"},
      {"unversioned reference: only a hidden later version", 36, asking(),
       versioned({"liba.so", "V0", "V1"}).define(defined_hidden("f", "V1")), "nowhere"},
      {"unversioned reference: two visible later versions", 36, asking(),
       versioned({"liba.so", "V0", "V1", "V2"}).define(defined("f", "V1")).define(defined("f", "V2")), "nowhere"},
      {"versioned reference: exactly that version", 36, asking(undefined("f", "V2")),
       versioned({"liba.so", "V1", "V2"}).define(defined("f", "V1")).define(defined_hidden("f", "V2")), "liba.so#2"},
      {"versioned reference: another version", 36, asking(undefined("f", "V2")),
       versioned({"liba.so", "V1", "V2"}).define(defined("f", "V1")), "nowhere"},
      {"versioned reference: a symbol without version", 36, asking(undefined("f", "V1")),
       versioned({"liba.so", "V1"}).define(defined("f")), "liba.so#1"},
      {"first that will do, up to 2.41.0", 36, asking(undefined("f", "V1")),
       versioned({"liba.so", "V1"}).define(defined("f")).define(defined_hidden("f", "V1")), "liba.so#1"},
      {"exact match first, since then", 43, asking(undefined("f", "V1")),
       versioned({"liba.so", "V1"}).define(defined("f")).define(defined_hidden("f", "V1")), "liba.so#2"},
  };
  for (const Case& c : cases) {
    for (const HashTables hash : {HashTables::Sysv, HashTables::Gnu}) {
      CAPTURE(c.why);
      CAPTURE(static_cast<int>(hash));
      ElfSpec library = c.library;
      library.hash = hash;
      // The GNU table puts symbols into an order of its own.
      if (hash == HashTables::Gnu && c.want.find('#') != std::string::npos && library.symbols.size() > 1) {
        continue;
      }
      MemorySystem system(c.minor);
      system.program(c.program);
      system.elf("/lib64/liba.so", library);
      std::string want = "prog f";
      if (!c.program.version_needs.empty()) {
        want += "@" + c.program.version_needs[0].versions[0].name;
      }
      CHECK(bindings_of(system) == Lines{want + " -> " + c.want});
    }
  }
}

TEST_CASE("several objects: the first of the scope that serves") {
  struct Case {
    const char* why;
    std::function<void(MemorySystem&)> fill;
    Lines want;
  };
  const std::vector<std::string> both = {"liba.so", "libb.so"};
  const Case cases[] = {
      {"in the order of the scope",
       [&](MemorySystem& s) {
         s.program(asking(undefined("f"), both));
         s.elf("/lib64/liba.so", library().define(defined("f")));
         s.elf("/lib64/libb.so", library().define(defined("f")));
       },
       {"prog f -> liba.so#1"}},
      {"a weak definition is as good as a strong one",
       [&](MemorySystem& s) {
         s.program(asking(undefined("f"), both));
         s.elf("/lib64/liba.so", library().define(weak(defined("f"))));
         s.elf("/lib64/libb.so", library().define(defined("f")));
       },
       {"prog f -> liba.so#1"}},
      {"unless LD_DYNAMIC_WEAK is set",
       [&](MemorySystem& s) {
         s.env("LD_DYNAMIC_WEAK=");
         s.program(asking(undefined("f"), both));
         s.elf("/lib64/liba.so", library().define(weak(defined("f"))));
         s.elf("/lib64/libb.so", library().define(defined("f")));
       },
       {"prog f -> libb.so#1"}},
      {"a preload stands before the libraries",
       [&](MemorySystem& s) {
         s.env("LD_PRELOAD=libb.so");
         s.program(asking());
         s.elf("/lib64/liba.so", library().define(defined("f")));
         s.elf("/lib64/libb.so", library().define(defined("f")));
       },
       {"prog f -> libb.so#1"}},
      {"the program interposes",
       [&](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).define(defined("f")));
         s.elf("/lib64/liba.so", library().define(defined("f")).refer(defined("f")));
       },
       {"liba.so f -> prog#1"}},
      {"DT_SYMBOLIC looks in itself first",
       [&](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).define(defined("f")));
         ElfSpec symbolic = library();
         symbolic.symbolic = true;
         s.elf("/lib64/liba.so", symbolic.refer(defined("f")));
       },
       {"liba.so f -> liba.so#1"}},
      {"a copy relocation passes over the program",
       [&](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).refer(data(defined("f")), kRelocCopy));
         s.elf("/lib64/liba.so", library().define(data(defined("f"))).refer(data(defined("f"))));
       },
       {"liba.so f -> prog#1", "prog f -> liba.so#1"}},
      {"a protected symbol of its own",
       [&](MemorySystem& s) {
         s.program(program_needing({"liba.so"}).define(defined("f")));
         s.elf("/lib64/liba.so", library().refer(with(defined("f"), Visibility::Protected)));
       },
       {"liba.so f -> liba.so#1"}},
      {"the first unique definition that is bound stands for all",
       [&](MemorySystem& s) {
         s.program(asking(undefined("f"), both));
         s.elf("/lib64/liba.so", library().define(with(defined("f"), Binding::Unique)));
         ElfSpec symbolic = library();
         symbolic.symbolic = true;
         s.elf("/lib64/libb.so", symbolic.refer(with(defined("f"), Binding::Unique)));
       },
       {"libb.so f -> libb.so#1", "prog f -> libb.so#1"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    c.fill(system);
    CHECK(bindings_of(system) == c.want);
    CHECK(bindings_of(system, 3) == c.want);
  }
}

TEST_CASE("what the relocations say decides what is looked up") {
  struct Case {
    const char* why;
    ElfSpec program;
    Lines want;
  };
  ElfSpec relative = program_needing({"liba.so"});
  relative.relocations.push_back({kRelocRelative, ""});
  relative.relocations.push_back({kRelocNone, ""});
  ElfSpec twice = asking();
  twice.relocations.push_back({kRelocGlobDat, "f"});
  ElfSpec slot_too = asking();
  slot_too.relocations.push_back({kRelocJumpSlot, "f"});
  ElfSpec unknown = asking();
  unknown.relocations.push_back({99, "f"});
  const Case cases[] = {
      {"relative ones ask nobody", relative, {}},
      {"a symbol and class comes once", twice, {"prog f -> liba.so#1"}},
      {"a slot of the PLT is another class", slot_too, {"prog f -> liba.so#1", "prog f -> liba.so#1"}},
      {"a local symbol is the object's own",
       program_needing({"liba.so"}).refer(with(defined("f"), Binding::Local)),
       {}},
      {"a hidden one as well", program_needing({"liba.so"}).refer(with(defined("f"), Visibility::Hidden)), {}},
      {"a type that the loader refuses", unknown, {"prog f -> liba.so#1", "prog f -> liba.so#1", "damage prog"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    system.program(c.program);
    system.elf("/lib64/liba.so", library().define(defined("f")));
    CHECK(bindings_of(system) == c.want);
  }
}
