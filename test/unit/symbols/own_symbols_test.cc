// Which references are counted only, and that it makes no difference to the others.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "loader/load.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/symbols.h"
#include "support/same_bindings.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Lines = std::vector<std::string>;

ElfSpec hashed(ElfSpec spec) {
  spec.hash = HashTables::Gnu;
  return spec;
}

/// The last symbol has its name outside the file.
ElfSpec with_missing_name(ElfSpec spec) {
  const std::string bytes = write_elf(spec);
  MemoryFileSystem files;
  files.add_file("/f", bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  const Result<ElfObject> object = ElfObject::read(**file, "/f");
  REQUIRE((object.has_value() && object->symbol_tags.symbol_table && object->symbol_tags.string_table));
  // Its first segment begins at address 0 and offset 0; strings follow the symbols.
  const auto symbols = static_cast<std::uint64_t>(*object->symbol_tags.symbol_table);
  const auto strings = static_cast<std::uint64_t>(*object->symbol_tags.string_table);
  constexpr std::uint64_t kSymbolBytes = 24;
  spec.patch(symbols + ((strings - symbols) / kSymbolBytes - 1) * kSymbolBytes, std::string("\0\0\0\x7f", 4));
  return spec;
}

Bindings bind(const LinkMap& map, const BindOptions& options) {
  Result<Bindings> bindings = bind_symbols(map, options);
  REQUIRE_MESSAGE(bindings.has_value(), bindings.error().to_string());
  return std::move(bindings).value();
}

/// "REFERRER SYMBOL" of each reference that is left out.
Lines left_out(MemorySystem& system) {
  const Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  const Bindings all = bind(*map, {});
  const Bindings lean = bind(*map, {.own = OwnReferences::Counted});
  const Bindings threads = bind(*map, {.jobs = 3, .own = OwnReferences::Counted});
  CHECK(difference(all, lean).value_or("") == "");
  CHECK(difference(all, threads).value_or("") == "");
  CHECK(threads.lookup_count() == lean.lookup_count());
  const auto quiet_of = [&](const Bindings& bindings) {
    Lines lines;
    bindings.for_each([&](const Bindings::Event& event) {
      if (event.binding == nullptr || !is_quiet(*event.binding)) return;
      const std::string path(map->objects[event.binding->referrer].path);
      lines.push_back(path.substr(path.rfind('/') + 1) + " " + std::string(event.binding->symbol));
    });
    return lines;
  };
  Lines missing = quiet_of(all);
  for (const std::string& line : quiet_of(lean)) missing.erase(std::find(missing.begin(), missing.end(), line));
  return missing;
}

}  // namespace

TEST_CASE("a reference to an own symbol is counted where nobody before has a notable one") {
  struct Case {
    const char* why;
    std::function<void(MemorySystem&)> fill;
    Lines want;
  };
  const ElfSpec program = hashed(program_needing({"liba.so", "libb.so"}));
  const ElfSpec empty = hashed(library());
  const auto a = [](ElfSpec spec) { return hashed(std::move(spec)).refer(defined("f")).define(defined("g")); };
  const auto of = [&](Symbol symbol, std::uint32_t type = kRelocGlobDat) {
    return [&, symbol, type](MemorySystem& s) {
      s.program(program);
      s.elf("/lib64/liba.so", hashed(library()).refer(symbol, type));
      s.elf("/lib64/libb.so", empty);
    };
  };
  const auto between = [&](ElfSpec first, ElfSpec last) {
    return [&, first, last](MemorySystem& s) {
      s.program(hashed(program_needing({"libfirst.so", "liba.so", "liblast.so"})));
      s.elf("/lib64/libfirst.so", first);
      s.elf("/lib64/liba.so", a(library()));
      s.elf("/lib64/liblast.so", last);
    };
  };
  ElfSpec sysv = library().define(defined("unrelated"));
  ElfSpec symbolic = a(library());
  symbolic.symbolic = true;
  ElfSpec versions = hashed(library());
  versions.version_definitions = {{"liba.so"}, {"V1"}, {"V2"}};
  ElfSpec one_version = versions;
  one_version.refer(defined("f", "V2"));
  ElfSpec two_versions = versions;
  two_versions.refer(defined("f", "V2")).define(defined_hidden("f", "V1"));
  ElfSpec with_ifunc = versions;
  with_ifunc.refer(defined("f", "V2")).define(with(defined_hidden("f", "V1"), SymbolType::Ifunc));
  // 33 * 'A' + 'b' is 33 * 'B' + 'A'.
  const ElfSpec with_twin = hashed(library()).refer(defined("Ab")).define(defined("BA"));
  const ElfSpec with_hidden_twin =
      hashed(library()).refer(defined("Ab")).define(with(defined("BA"), Visibility::Hidden));
  const auto alone = [&](ElfSpec spec) {
    return [&, spec](MemorySystem& s) {
      s.program(program);
      s.elf("/lib64/liba.so", spec);
      s.elf("/lib64/libb.so", empty);
    };
  };
  ElfSpec of_a_file = hashed(library());
  of_a_file.version_needs = {{"libb.so", {{"V1"}}}};
  of_a_file.refer(defined("f", "V1"));
  const auto one = [&](Symbol symbol) { return hashed(library()).define(std::move(symbol)); };
  const Case cases[] = {
      {"alone", of(defined("f")), {"liba.so f"}},
      {"a slot of the PLT", of(defined("f"), kRelocJumpSlot), {"liba.so f"}},
      {"a weak one", of(weak(defined("f"))), {"liba.so f"}},
      {"its own data", of(data(defined("f"))), {"liba.so f"}},
      {"others have other names", between(hashed(library()).define(defined("h")), empty), {"liba.so f"}},
      {"one before has the name", between(one(defined("f")), empty), {"liba.so f"}},
      {"one behind has the name", between(empty, one(defined("f"))), {"liba.so f"}},
      {"one before hides its own", between(one(with(defined("f"), Visibility::Hidden)), empty), {"liba.so f"}},
      {"one before has an IFUNC", between(one(with(defined("f"), SymbolType::Ifunc)), empty), {}},
      {"one behind has an IFUNC", between(empty, one(with(defined("f"), SymbolType::Ifunc))), {"liba.so f"}},
      {"one before has an IFUNC of another name",
       between(one(with(defined("h"), SymbolType::Ifunc)), empty),
       {"liba.so f"}},
      {"one before has a protected one", between(one(with(defined("f"), Visibility::Protected)), empty), {}},
      {"one before has a name outside the file", between(with_missing_name(one(defined("h"))), empty), {}},
      {"one behind has a name outside the file", between(empty, with_missing_name(one(defined("h")))), {}},
      {"a unique IFUNC may come in anywhere",
       between(empty, one(with(with(defined("h"), SymbolType::Ifunc), Binding::Unique))),
       {}},
      {"of DT_HASH nobody knows these values", between(sysv, empty), {}},
      {"DT_HASH behind", between(empty, sysv), {"liba.so f"}},
      {"not defined", of(undefined("f")), {}},
      {"unique", of(with(defined("f"), Binding::Unique)), {"liba.so f"}},
      {"an IFUNC", of(with(defined("f"), SymbolType::Ifunc)), {}},
      {"protected", of(with(defined("f"), Visibility::Protected)), {}},
      {"DT_SYMBOLIC", alone(symbolic), {}},
      {"in a version", alone(one_version), {"liba.so f"}},
      {"in two versions", alone(two_versions), {"liba.so f"}},
      {"in two versions, one of them an IFUNC", alone(with_ifunc), {}},
      {"of two names with one hash value", alone(with_twin), {"liba.so Ab"}},
      {"of two such names one is hidden", alone(with_hidden_twin), {}},
      {"in a version that a certain file has to have", alone(of_a_file), {}},
      {"the program's copy",
       [&](MemorySystem& s) {
         s.program(hashed(program_needing({"liba.so"})).refer(data(defined("f")), kRelocCopy));
         s.elf("/lib64/liba.so", hashed(library()).define(data(defined("f"))));
       },
       {}},
      {"LD_DYNAMIC_WEAK lets those win that come later",
       [&](MemorySystem& s) {
         s.env("LD_DYNAMIC_WEAK=1");
         of(weak(defined("f")))(s);
       },
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    c.fill(system);
    CHECK(left_out(system) == c.want);
  }
}

TEST_CASE("a name that was changed behind the hash table's back shows only where it is read") {
  ElfSpec spec = hashed(library()).soname("liba.so").refer(defined("before"));
  spec.patch(write_elf(spec).find("before"), "behind");
  MemorySystem system;
  system.program(hashed(program_needing({"liba.so"})));
  system.elf("/lib64/liba.so", spec);
  const Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  const auto undefined_of = [&](OwnReferences own) {
    Lines names;
    bind(*map, {.own = own}).for_each([&](const Bindings::Event& event) {
      if (event.binding->is_undefined()) names.emplace_back(event.binding->symbol);
    });
    return names;
  };
  CHECK(undefined_of(OwnReferences::Reported) == Lines{"behind"});
  CHECK(undefined_of(OwnReferences::Counted) == Lines{});
}
