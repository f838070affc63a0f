// The same bindings whatever the number of threads.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "loader/load.h"
#include "soresolve/report.h"
#include "support/random.h"
#include "support/same_bindings.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr std::size_t kLibraries = 60;

std::string name_of_library(std::size_t i) { return "lib" + std::to_string(i) + ".so"; }

/// Sixty libraries that define, version and refer to the same few names.
void fill(MemorySystem& system) {
  Random random(3);
  ElfSpec program = test::program();
  for (std::size_t i = 0; i < kLibraries; ++i) {
    program.needed(name_of_library(i));
    ElfSpec spec = library().soname(name_of_library(i));
    spec.hash = i % 2 == 0 ? HashTables::Gnu : HashTables::Sysv;
    spec.symbolic = i % 7 == 0;
    spec.version_definitions = {{name_of_library(i)}, {"V1"}, {"V2"}};
    for (std::size_t k = 0; k < 12; ++k) {
      const std::string name = "f" + std::to_string(random.below(200));
      const std::string version = k % 3 == 0 ? "" : k % 3 == 1 ? "V1" : "V2";
      Symbol symbol = k % 2 == 0 ? defined(name, version) : undefined(name);
      if (k % 5 == 0) symbol.binding = Binding::Weak;
      if (k == 8) symbol.binding = Binding::Unique;
      if (k == 10) symbol.visibility = Visibility::Protected;
      spec.refer(std::move(symbol), k % 4 == 1 ? kRelocJumpSlot : kRelocGlobDat);
    }
    // The loader knows no such type.
    if (i == 40) spec.relocations.push_back({99, key_of(spec.symbols.front())});
    system.elf("/lib64/" + name_of_library(i), spec);
  }
  system.program(program);
}

std::string report(const LinkMap& map, unsigned jobs) {
  const Result<Bindings> bindings = bind_symbols(map, {.jobs = jobs});
  REQUIRE_MESSAGE(bindings.has_value(), bindings.error().to_string());
  std::string text;
  write_bindings(map, *bindings, {}, [&](std::string_view part) { text += part; });
  // And what the list does not show.
  bindings->for_each([&](const Bindings::Event& event) {
    if (event.damage != nullptr) {
      text += "damage " + std::to_string(event.damage->object) + " " + event.damage->error.to_string() + "\n";
      return;
    }
    text += std::to_string(event.binding->referrer) + " " + std::to_string(event.binding->symbol_index) + " " +
            std::to_string(event.binding->provider) + " " + std::to_string(event.binding->provider_index) + "\n";
  });
  for (const BindingDamage& damage : bindings->damages()) {
    text += std::to_string(damage.object) + ": " + damage.error.to_string() + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the number of threads does not show") {
  MemorySystem system;
  fill(system);
  const Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  REQUIRE(map->search_list.size() > kLibraries);
  const std::string one = report(*map, 1);
  CHECK(one.find("lib3.so") != std::string::npos);
  CHECK(one.find("\ndamage ") != std::string::npos);
  for (const unsigned jobs : {2u, 5u}) {
    CAPTURE(jobs);
    for (int run = 0; run < 3; ++run) CHECK(report(*map, jobs) == one);
    const Result<Bindings> all = bind_symbols(*map);
    const Result<Bindings> lean = bind_symbols(*map, {.jobs = jobs, .own = OwnReferences::Counted});
    REQUIRE((all.has_value() && lean.has_value()));
    CHECK(difference(*all, *lean).value_or("") == "");
  }
}
