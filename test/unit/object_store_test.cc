// What maps share of files changes no answer: random programs over one set of libraries, each bound alone and with a
// store that all the others have filled.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "soresolve/world.h"
#include "support/random.h"
#include "symbols/object_store.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr std::size_t kLibraries = 30;
constexpr std::size_t kPrograms = 60;

std::string library_name(std::size_t i) { return "lib" + std::to_string(i) + ".so"; }

/// Libraries that define, version and refer to the same few names; now and then one of them is a symbol that the
/// loader may have something to say of, so that who comes before whom decides what has to be read.
std::shared_ptr<MemoryFileSystem> machine(Random& random) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kInterp, write_loader());
  for (std::size_t i = 0; i < kLibraries; ++i) {
    ElfSpec spec = library().soname(library_name(i));
    spec.hash = random.below(40) == 0 ? HashTables::Sysv : HashTables::Gnu;
    spec.symbolic = random.below(9) == 0;
    spec.version_definitions = {{library_name(i)}, {"V1"}};
    if (i > 0 && random.below(3) == 0) spec.needed(library_name(random.below(i)));
    for (std::size_t k = 0; k < 8; ++k) {
      const std::string name = "f" + std::to_string(random.below(60));
      const std::string version = random.below(2) == 0 ? "" : "V1";
      Symbol symbol = random.below(3) != 0 ? defined(name, version) : undefined(name);
      if (random.below(4) == 0) symbol.binding = Binding::Weak;
      if (random.below(6) == 0) symbol.visibility = Visibility::Protected;
      if (random.below(400) == 0) symbol.binding = Binding::Unique;
      spec.refer(std::move(symbol), random.below(2) == 0 ? kRelocJumpSlot : kRelocGlobDat);
    }
    files->add_file("/lib64/" + library_name(i), write_elf(spec));
  }
  for (std::size_t i = 0; i < kPrograms; ++i) {
    ElfSpec spec = program();
    spec.hash = HashTables::Gnu;
    for (std::size_t k = 0; k < 1 + random.below(5); ++k) spec.needed(library_name(random.below(kLibraries)));
    for (std::size_t k = 0; k < 3; ++k) {
      Symbol symbol = undefined("f" + std::to_string(random.below(60)));
      if (random.below(2) == 0) symbol.binding = Binding::Weak;
      spec.call(std::move(symbol));
    }
    if (random.below(3) == 0) spec.define(defined("f" + std::to_string(random.below(60))));
    files->add_file("/app/p" + std::to_string(i), write_elf(spec), 0755);
  }
  return files;
}

WorldSettings settings_of(std::shared_ptr<const FileSystem> files, std::shared_ptr<ObjectStore> store) {
  WorldSettings settings;
  settings.files = std::move(files);
  settings.cpu = "x86-64";
  settings.store = std::move(store);
  return settings;
}

/// All that a check is made of.
std::string report(World& world, const std::string& file) {
  const Result<Resolution> run = world.resolve(file);
  if (!run) return run.error().to_string();
  if (!run->check()) return run->check().error().to_string();
  const Check& check = *run->check();
  std::string text;
  for (const std::string& line : check.now.lines) text += line + "\n";
  for (const std::string& line : check.as_asked.lines) text += line + "\n";
  text += std::to_string(check.counts.references) + " " + std::to_string(check.counts.versions) + " " +
          std::to_string(check.counts.lazy) + " " + std::to_string(check.counts.unbound_weak) + "\n";
  for (const LostSymbol& symbol : check.symbols) {
    text += symbol.reference.name + " " + std::to_string(symbol.reference.referrer) + "\n";
  }
  check.facts.bindings.for_each_notable([&](const Bindings::Event& event) {
    if (event.binding == nullptr) return;
    text += std::to_string(event.binding->referrer) + " " + std::string(event.binding->symbol) + " " +
            std::to_string(event.binding->provider) + " " + std::to_string(event.binding->provider_index) + "\n";
  });
  return text;
}

std::string program_name(std::size_t i) { return "/app/p" + std::to_string(i); }

}  // namespace

TEST_CASE("what maps share changes no answer") {
  std::size_t lines = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::shared_ptr<MemoryFileSystem> files = machine(random);
    World alone(settings_of(files, nullptr));
    World together(settings_of(files, make_object_store()));
    for (std::size_t i = 0; i < kPrograms; ++i) {
      CAPTURE(i);
      const std::string want = report(alone, program_name(i));
      CHECK(report(together, program_name(i)) == want);
      lines += static_cast<std::size_t>(std::count(want.begin(), want.end(), '\n'));
    }
  }
  CHECK(lines > 4 * 12 * kPrograms);
}

TEST_CASE("threads fill one store") {
  Random random(7);
  const std::shared_ptr<MemoryFileSystem> files = machine(random);
  const std::shared_ptr<ObjectStore> store = make_object_store();
  std::vector<std::string> found(kPrograms);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      World world(settings_of(files, store));
      for (std::size_t i = thread; i < kPrograms; i += 3) found[i] = report(world, program_name(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  World alone(settings_of(files, nullptr));
  for (std::size_t i = 0; i < kPrograms; ++i) CHECK(found[i] == report(alone, program_name(i)));
}

TEST_CASE("a store keeps no more than it may, and tells changed files apart") {
  FileStatus file;
  file.id = {1, 2};
  file.size_bytes = 100;
  HashedSymbols symbols;
  symbols.values = {2, 4, 6};
  ObjectStore store;
  CHECK(store.find_hashed(file) == nullptr);
  CHECK(store.keep(file, symbols)->values == symbols.values);
  REQUIRE(store.find_hashed(file) != nullptr);
  FileStatus changed = file;
  changed.modified_ns = 1;
  CHECK(store.find_hashed(changed) == nullptr);
  ObjectStore small(16);
  CHECK(small.keep(file, symbols)->values == symbols.values);
  CHECK(small.find_hashed(file) == nullptr);
}
