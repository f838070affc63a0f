// Bounds: what hits one is an error, or is left out and told. lib/docs/library.md has a table of them.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "diagnose/diagnose.h"
#include "dlopen/find_dlopens.h"
#include "doctor/inventory.h"
#include "loader/ldconfig.h"
#include "remedies/find_remedies.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "soresolve/remedies.h"
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
    system.elf("/D/lib" + std::to_string(i) + ".so", library_needing({"lib" + std::to_string(i + 1) + ".so"}));
  }
  system.elf("/D/lib1000.so", library());
  const Result<LinkMap> map = system.load();
  REQUIRE(map.has_value());
  CHECK(listing(*map).size() == 1001);
  CHECK(map->chain_to(static_cast<ObjectIndex>(map->objects.size() - 1)).size() == 1002);
}

namespace {

/// What is told of /etc/ld.so.conf when it is read from `files`.
std::vector<std::string> reports_configuration(const MemoryFileSystem& files) {
  MemorySystem system;
  std::vector<std::string> problems;
  configured_directories(files, system.rules, problems);
  return problems;
}

}  // namespace

TEST_CASE("a configuration of ldconfig that is too large is cut, and that is told once") {
  struct Case {
    const char* why;
    std::function<void(MemoryFileSystem&)> fill;
    const char* says;
  };
  const auto lines = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "/d" + std::to_string(i) + "\n";
    return text;
  };
  const Case cases[] = {
      {"just as many directories as are read",
       [&](MemoryFileSystem& files) { files.add_file("/etc/ld.so.conf", lines(65536)); }, nullptr},
      {"one more", [&](MemoryFileSystem& files) { files.add_file("/etc/ld.so.conf", lines(65540)); },
       "more than 65536 directories"},
      {"a long file",
       [](MemoryFileSystem& files) { files.add_file("/etc/ld.so.conf", std::string((4 << 20) + 1, '#')); },
       "/etc/ld.so.conf has more than 4194304 bytes"},
      {"a pattern for very many files",
       [](MemoryFileSystem& files) {
         files.add_file("/etc/ld.so.conf", "include /c/*\n");
         for (int i = 0; i < 4097; ++i) files.add_file("/c/" + std::to_string(i), "");
       },
       "more than 4096 files fit *"},
      {"a circle", [](MemoryFileSystem& files) { files.add_file("/etc/ld.so.conf", "include /etc/ld.so.conf\n"); },
       "/etc/ld.so.conf is included in a circle"},
      {"a circle of files that one pattern fits",
       [](MemoryFileSystem& files) {
         files.add_file("/etc/ld.so.conf", "include /c/*\n");
         files.add_file("/c/a", "include /c/b\n");
         files.add_file("/c/b", "include /c/*\n");
       },
       "/c/* is included in a circle"},
      {"one file again and again, which is no circle",
       [](MemoryFileSystem& files) {
         std::string text;
         for (int i = 0; i < 5000; ++i) text += "include /c/a\ninclude /c/*\n";
         files.add_file("/etc/ld.so.conf", text);
         for (const char name : {'a', 'b', 'c'}) files.add_file(std::string("/c/") + name, "/d\n");
       },
       nullptr},
      {"more files than are read, by many patterns",
       [](MemoryFileSystem& files) {
         std::string text;
         for (int i = 0; i < 17; ++i) {
           text += "include /c" + std::to_string(i) + "/*\n";
           for (int j = 0; j < 256; ++j) files.add_file("/c" + std::to_string(i) + "/" + std::to_string(j), "");
         }
         files.add_file("/etc/ld.so.conf", text);
       },
       "more than 4096 files are included"},
      {"many patterns for many names",
       [](MemoryFileSystem& files) {
         std::string text;
         for (int i = 0; i < 300; ++i) text += "include /c/*" + std::to_string(i) + ".conf\n";
         files.add_file("/etc/ld.so.conf", text);
         for (int i = 0; i < 4000; ++i) files.add_file("/c/" + std::to_string(i), "");
       },
       "more than 1048576 names are compared"},
      {"many long files",
       [](MemoryFileSystem& files) {
         files.add_file("/etc/ld.so.conf", "include /c/*\n");
         for (int i = 0; i < 5; ++i) files.add_file("/c/" + std::to_string(i), std::string(4 << 20, '#'));
       },
       "the included files have more than 16777216 bytes"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemoryFileSystem files;
    c.fill(files);
    const std::vector<std::string> reported = reports_configuration(files);
    REQUIRE(reported.size() == (c.says == nullptr ? 0 : 1));
    if (c.says != nullptr) CHECK(reported.front().find(c.says) != std::string::npos);
  }
}

TEST_CASE("more libraries that are opened later than kMaxDlopens are told") {
  for (const std::size_t count : {kMaxDlopens - 1, kMaxDlopens + 1}) {
    CAPTURE(count);
    std::string notes;
    for (std::size_t i = 0; i < count; ++i) {
      notes += (i == 0 ? "[" : ",") + std::string(R"({"soname":["libx)") + std::to_string(i) + R"(.so"]})";
    }
    MemorySystem memory;
    memory.program(program().dlopens(notes + "]"));
    const Result<LinkMap> map = memory.load();
    REQUIRE(map.has_value());
    const Dlopens found = find_dlopens(*map, DlopenLevel::Notes);
    CHECK(found.list.size() == std::min(count, kMaxDlopens));
    REQUIRE(found.damaged.size() == (count > kMaxDlopens ? 1 : 0));
    if (count > kMaxDlopens) CHECK(found.damaged.front().code == ErrorCode::LimitReached);
  }
}

TEST_CASE("of many files that could stand for a library so many are read, and that is told") {
  MemorySystem memory;
  memory.program(program_needing({"libdep.so.1"})).elf(kInterp, library().soname("ld-linux-x86-64.so.2"));
  for (int i = 0; i < 30; ++i)
    memory.elf("/data/" + std::to_string(i) + "/libdep.so.1", library().soname("libdep.so.1"));
  LoadOptions options;
  options.attempts = Attempts::Record;
  options.on_fatal = OnFatal::Continue;
  const Result<LinkMap> map = memory.load(kProgram, options);
  REQUIRE(map.has_value());
  Diagnosis diagnosis = diagnose(*map, kProgram);
  RemedyOptions remedies;
  remedies.search = {"/data"};
  find_remedies(*map, diagnosis, remedies);
  REQUIRE(!diagnosis.problems.empty());
  CHECK(diagnosis.problems.front().candidates.size() == 24);
  CHECK(sentence(diagnosis.problems.front().candidates_note, Language::English)
            .starts_with("read 24 of 30 files with such a name"));
}

TEST_CASE("the doctor tells when there are more directories than it looks through") {
  for (const int count : {2000, 2001}) {
    CAPTURE(count);
    const auto files = std::make_shared<MemoryFileSystem>();
    std::string list;
    for (int i = 0; i < count; ++i) {
      files->add_directory("/d" + std::to_string(i));
      list += "/d" + std::to_string(i) + ":";
    }
    DoctorOptions options;
    options.environment.add("LD_LIBRARY_PATH=" + list);
    Machine machine{options, {}, files};
    Inventory inventory(machine);
    CHECK(inventory.libraries("libcudart").empty());
    CHECK(inventory.cut_short().empty() == (count == 2000));
  }
}

TEST_CASE("the doctor tells when there are more files of one name than it looks at") {
  const auto files = std::make_shared<MemoryFileSystem>();
  for (int i = 0; i < 2001; ++i) files->add_file("/d/libcudart.so.12." + std::to_string(i), "no library");
  DoctorOptions options;
  options.environment.add("LD_LIBRARY_PATH=/d");
  Machine machine{options, {}, files};
  Inventory inventory(machine);
  CHECK(inventory.libraries("libcudart").empty());
  CHECK(sentence(inventory.cut_short(), Language::English).starts_with("only the first 2000 files called libcudart"));
}
