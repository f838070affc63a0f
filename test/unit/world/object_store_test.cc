// What maps share of files changes no answer: random programs over one set of libraries, each bound alone and with a
// store that all the others have filled.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "soresolve/diagnose.h"
#include "soresolve/world.h"
#include "support/random.h"
#include "support/sanitizer.h"
#include "symbols/object_store.h"
#include "unit/memory_system.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

constexpr std::size_t kStored = 30;
constexpr std::size_t kPrograms = 60;

std::string library_name(std::size_t i) { return "lib" + std::to_string(i) + ".so"; }

/// Libraries that define, version and refer to the same few names; now and then one of them is a symbol that the
/// loader may have something to say of, so that who comes before whom decides what has to be read.
std::shared_ptr<MemoryFileSystem> machine(Random& random) {
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kInterp, write_loader());
  for (std::size_t i = 0; i < kStored; ++i) {
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
    for (std::size_t k = 0; k < 1 + random.below(5); ++k) spec.needed(library_name(random.below(kStored)));
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

/// Most of it as link editors leave it: a library defines names of its own, some of them indirect functions, and refers
/// to those of libraries that it needs. Programs and preloads put theirs before them now and then.
std::shared_ptr<MemoryFileSystem> tidy_machine(Random& random) {
  constexpr std::size_t kNames = 4;  // of each library
  auto files = std::make_shared<MemoryFileSystem>();
  files->add_file(kInterp, write_loader());
  const auto name_of = [](std::size_t owner, std::size_t k) {
    return "f" + std::to_string(owner) + "_" + std::to_string(k);
  };
  const auto one_in = [&](std::size_t n) { return random.below(n) == 0; };
  const auto odd = [&](Symbol symbol) {
    if (one_in(12)) symbol.type = SymbolType::Ifunc;
    if (one_in(60)) symbol.visibility = Visibility::Protected;
    if (one_in(20)) symbol.binding = Binding::Weak;
    if (one_in(600)) symbol.binding = Binding::Unique;
    return symbol;
  };
  for (std::size_t i = 0; i < kStored; ++i) {
    ElfSpec spec = library().soname(library_name(i));
    spec.hash = one_in(60) ? HashTables::Sysv : HashTables::Gnu;
    const bool has_versions = !one_in(4);
    if (has_versions) spec.version_definitions = {{library_name(i)}, {"V1"}};
    for (std::size_t k = 0; k < kNames; ++k) spec.define(odd(defined(name_of(i, k), has_versions ? "V1" : "")));
    for (std::size_t n = 0; i > 0 && n < 1 + random.below(2); ++n) {
      const std::size_t other = random.below(i);
      spec.needed(library_name(other));
      for (std::size_t k = 0; k < 2; ++k) {
        Symbol symbol = undefined(name_of(one_in(15) ? random.below(i) : other, random.below(kNames)));
        if (one_in(8)) symbol.binding = Binding::Weak;
        spec.refer(std::move(symbol), one_in(2) ? kRelocJumpSlot : kRelocGlobDat);
      }
    }
    if (one_in(3)) spec.refer(with(undefined("nobody_has_it"), Binding::Weak));
    files->add_file("/lib64/" + library_name(i), write_elf(spec));
  }
  for (std::size_t i = 0; i < kPrograms; ++i) {
    ElfSpec spec = program();
    spec.hash = one_in(10) ? HashTables::Sysv : HashTables::Gnu;
    for (std::size_t k = 0; k < 1 + random.below(3); ++k) {
      const std::size_t other = random.below(kStored);
      spec.needed(library_name(other)).call(undefined(name_of(other, random.below(kNames))));
    }
    for (std::size_t k = 0; k < random.below(3); ++k) {
      Symbol symbol = odd(defined(name_of(random.below(kStored), random.below(kNames))));
      if (one_in(3)) symbol.type = SymbolType::Ifunc;
      spec.define(std::move(symbol));
    }
    if (one_in(6)) spec.define(odd(defined("nobody_has_it")));
    files->add_file("/app/p" + std::to_string(i), write_elf(spec), 0755);
  }
  return files;
}

WorldSettings settings_of(std::shared_ptr<const FileSystem> files, std::shared_ptr<ObjectStore> store) {
  WorldSettings settings;
  settings.where.files = std::move(files);
  settings.machine.cpu = "x86-64";
  settings.store = std::move(store);
  return settings;
}

/// What a check says of the start.
std::string start_in(const Check& check) {
  std::string text = std::to_string(check.is_ok()) + "\n";
  for (const std::string& line : check.now.lines) text += line + "\n";
  for (const std::string& line : check.as_asked.lines) text += line + "\n";
  text += check.now.death + "\n";
  for (const UnresolvedSymbol& symbol : check.symbols) {
    text += symbol.reference.name + " " + std::to_string(symbol.reference.referrer) + "\n";
  }
  return text;
}

/// All that a check is made of.
std::string page_of(World& world, const std::string& file) {
  const Result<Resolution> run = world.resolve(file);
  if (!run) return run.error().to_string();
  if (!run->check()) return run->check().error().to_string();
  const Check& check = *run->check();
  std::string text = start_in(check);
  text += std::to_string(check.counts.references) + " " + std::to_string(check.counts.versions) + " " +
          std::to_string(check.counts.lazy) + " " + std::to_string(check.counts.unbound_weak) + "\n";
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
  for (unsigned seed = 1; seed <= rounds(12); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::shared_ptr<MemoryFileSystem> files = machine(random);
    World alone(settings_of(files, nullptr));
    World together(settings_of(files, make_object_store()));
    for (std::size_t i = 0; i < kPrograms; ++i) {
      CAPTURE(i);
      const std::string want = page_of(alone, program_name(i));
      CHECK(page_of(together, program_name(i)) == want);
      lines += static_cast<std::size_t>(std::count(want.begin(), want.end(), '\n'));
    }
  }
  CHECK(lines > 4 * rounds(12) * kPrograms);
}

TEST_CASE("what is known to be found need not be bound again") {
  std::size_t left_out = 0;
  std::size_t failing = 0;
  for (unsigned seed = 1; seed <= rounds(60); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::shared_ptr<MemoryFileSystem> files = seed % 4 == 0 ? machine(random) : tidy_machine(random);
    World alone(settings_of(files, nullptr));
    World together(settings_of(files, make_object_store()));
    for (std::size_t i = 0; i < kPrograms; ++i) {
      CAPTURE(i);
      const Result<Resolution> want = alone.resolve(program_name(i));
      const Result<Resolution> got = together.resolve(program_name(i), {.references = OwnReferences::Settled});
      REQUIRE(want.has_value() == got.has_value());
      if (!want || !want->check()) continue;
      REQUIRE(got->check().has_value());
      CHECK(start_in(*got->check()) == start_in(*want->check()));
      failing += !want->check()->is_ok();
      left_out += want->check()->counts.references - got->check()->counts.references;
    }
  }
  MESSAGE(left_out << " references left out, " << failing << " programs fail");
  CHECK(left_out > rounds(1000));
  CHECK(failing > rounds(100));
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
      for (std::size_t i = thread; i < kPrograms; i += 3) found[i] = page_of(world, program_name(i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  World alone(settings_of(files, nullptr));
  for (std::size_t i = 0; i < kPrograms; ++i) CHECK(found[i] == page_of(alone, program_name(i)));
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
