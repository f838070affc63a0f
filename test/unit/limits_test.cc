// Bounds of a walk: what hits one is an error, or is left out where that does no harm.
#include "soresolve/limits.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

ElfSpec program_of(std::size_t needs) {
  ElfSpec spec = program();
  for (std::size_t i = 0; i < needs; ++i) spec.needed("lib" + std::to_string(i) + ".so");
  return spec;
}

}  // namespace

TEST_CASE("more objects than kMaxObjects are an error of the whole walk") {
  // The program, ld.so and the vDSO are objects, too; each library that is missing is one.
  MemorySystem fits;
  fits.program(program_of(kMaxObjects - 3));
  const Result<LinkMap> map = fits.load();
  REQUIRE(map.has_value());
  CHECK(map->objects.size() == kMaxObjects);

  MemorySystem one_more;
  one_more.program(program_of(kMaxObjects - 2));
  const Result<LinkMap> refused = one_more.load();
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == ErrorCode::LimitReached);
  CHECK(refused.error().path == one_more.process.argv0);
}

TEST_CASE("only so many files stay open, but all are loaded") {
  constexpr std::size_t kLibraries = kMaxOpenFiles + 50;
  MemorySystem system;
  system.program(program_of(kLibraries));
  for (std::size_t i = 0; i < kLibraries; ++i) {
    system.elf("/lib64/lib" + std::to_string(i) + ".so", library());
  }
  const Result<LinkMap> map = system.load();
  REQUIRE(map.has_value());
  CHECK(listing(*map).size() == kLibraries);
  CHECK(map->failures.empty());
  const auto open = std::count_if(map->objects.begin(), map->objects.end(),
                                  [](const LoadedObject& object) { return object.file != nullptr; });
  CHECK(static_cast<std::size_t>(open) <= kMaxOpenFiles);
  CHECK(open > 0);
}

TEST_CASE("a dependency that hits a limit of reading ends the walk with that error") {
  ElfSpec greedy = library();
  greedy.strings.assign(kMaxNeedsPerObject + 1, {StringTag::Needed, ""});
  MemorySystem system;
  system.program(program_needing({"libgreedy.so"})).elf("/lib64/libgreedy.so", greedy);
  const Result<LinkMap> map = system.load();
  REQUIRE(!map.has_value());
  CHECK(map.error().code == ErrorCode::LimitReached);
  CHECK(map.error().path == "/lib64/libgreedy.so");
}

TEST_CASE("a chain of a thousand libraries is no recursion") {
  MemorySystem system;
  system.program(program_needing({"lib0.so"}).rpath("/D"));
  for (int i = 0; i < 1000; ++i) {
    system.elf("/D/lib" + std::to_string(i) + ".so",
               library_needing({"lib" + std::to_string(i + 1) + ".so"}));
  }
  system.elf("/D/lib1000.so", library());
  const Result<LinkMap> map = system.load();
  REQUIRE(map.has_value());
  CHECK(listing(*map).size() == 1001);
  CHECK(map->chain_to(static_cast<ObjectIndex>(map->objects.size() - 1)).size() == 1002);
}
