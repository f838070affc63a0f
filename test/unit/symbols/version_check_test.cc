// The version check of a whole link map (glibc elf/dl-version.c:_dl_check_map_versions), and the
// lines that ld.so prints for it.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "diagnose/diagnose.h"
#include "loader/load.h"
#include "soresolve/diagnose.h"
#include "soresolve/symbols.h"
#include "symbols/version_tables.h"
#include "unit/memory_system.h"
#include "unit/print_list.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Lines = std::vector<std::string>;

ElfSpec requires_versions(ElfSpec spec, const std::string& file, std::vector<VersionNeeds::Version> versions) {
  spec.version_needs.push_back({file, std::move(versions)});
  return spec;
}

ElfSpec defines(ElfSpec spec, std::vector<VersionDefinition> definitions) {
  spec.version_definitions = std::move(definitions);
  return spec;
}

Lines lines_of(MemorySystem& system) {
  const Result<LinkMap> map = system.load();
  REQUIRE_MESSAGE(map.has_value(), map.error().to_string());
  const Result<VersionCheck> check = check_versions(*map);
  REQUIRE(check.has_value());
  Lines lines;
  for (const VersionMessage& message : check->messages) {
    lines.push_back((message.is_error ? "error " : "warning ") + message.line(*map, "prog"));
  }
  for (const Error& error : check->unreadable) lines.push_back("unreadable " + error.path);
  return lines;
}

}  // namespace

TEST_CASE("each requirement that is not met makes a line, in list order") {
  const ElfSpec v1 = defines(library().soname("libv.so"), {{"libv.so"}, {"V1"}});
  struct Case {
    std::string why;
    std::function<void(MemorySystem&)> fill;
    Lines want;
  };
  const Case cases[] = {
      {"met",
       [&](MemorySystem& s) {
         s.program(requires_versions(program_needing({"libv.so"}), "libv.so", {{"V1"}}));
         s.elf("/lib64/libv.so", v1);
       },
       {}},
      {"not met",
       [&](MemorySystem& s) {
         s.program(requires_versions(program_needing({"libv.so"}), "libv.so", {{"V2"}}));
         s.elf("/lib64/libv.so", v1);
       },
       {"error prog: /lib64/libv.so: version `V2' not found (required by prog)"}},
      {"weak and not met",
       [&](MemorySystem& s) {
         s.program(requires_versions(program_needing({"libv.so"}), "libv.so", {{"V2", true}}));
         s.elf("/lib64/libv.so", v1);
       },
       {"warning prog: /lib64/libv.so: weak version `V2' not found (required by prog)"}},
      {"one line per version for a library without versions",
       [&](MemorySystem& s) {
         s.program(requires_versions(program_needing({"libv.so"}), "libv.so", {{"V1"}, {"V2"}}));
         s.elf("/lib64/libv.so", library().soname("libv.so"));
       },
       {"warning prog: /lib64/libv.so: no version information available (required by prog)",
        "warning prog: /lib64/libv.so: no version information available (required by prog)"}},
      {"two requirers, the program first",
       [&](MemorySystem& s) {
         s.program(requires_versions(program_needing({"liba.so", "libv.so"}), "libv.so", {{"V2"}}));
         s.elf("/lib64/liba.so", requires_versions(library_needing({"libv.so"}), "libv.so", {{"V3"}}));
         s.elf("/lib64/libv.so", v1);
       },
       {"error prog: /lib64/libv.so: version `V2' not found (required by prog)",
        "error prog: /lib64/libv.so: version `V3' not found (required by /lib64/liba.so)"}},
      {"the base name counts as a version",
       [&](MemorySystem& s) {
         s.program(requires_versions(program_needing({"libv.so"}), "libv.so", {{"libv.so"}}));
         s.elf("/lib64/libv.so", v1);
       },
       {}},
      {"a record of an unknown version",
       [&](MemorySystem& s) {
         s.program(requires_versions(program_needing({"libv.so"}), "libv.so", {{"V1"}}));
         s.elf("/lib64/libv.so", defines(library().soname("libv.so"), {{"libv.so"}, {"V0", 9}, {"V1"}}));
       },
       {"error prog: /lib64/libv.so: unsupported version 9 of Verdef record"}},
      {"a library that is missing satisfies everything",
       [&](MemorySystem& s) { s.program(requires_versions(program_needing({"libv.so"}), "libv.so", {{"V1"}})); },
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    MemorySystem system;
    c.fill(system);
    CHECK(lines_of(system) == c.want);
  }
}

TEST_CASE("a version that is missing ends the start in a diagnosis, a weak one does not") {
  for (const bool is_weak : {false, true}) {
    CAPTURE(is_weak);
    MemorySystem system;
    system.program(requires_versions(program_needing({"libv.so"}), "libv.so", {{"V2", is_weak}}));
    system.elf("/lib64/libv.so", defines(library().soname("libv.so"), {{"libv.so"}, {"V1"}}));
    LoadOptions options;
    options.attempts = Attempts::Record;
    const Result<LinkMap> map = system.load(kProgram, options);
    REQUIRE(map.has_value());
    const Diagnosis diagnosis = diagnose(*map, kProgram);
    CHECK(diagnosis.starts == is_weak);
    CHECK(diagnosis.loader_prints.empty() == is_weak);
    REQUIRE(!diagnosis.problems.empty());
    CHECK(code_of(diagnosis.problems.front().code) == (is_weak ? "version-unproven" : "version-missing"));
  }
}

TEST_CASE("version chains that lead out of the file are refused, wherever the damage is") {
  const ElfSpec spec = requires_versions(program_needing({"libv.so"}), "libv.so", {{"V1"}, {"V2"}});
  const std::string bytes = write_elf(spec);
  MemoryFileSystem files;
  std::size_t refused = 0;
  for (std::size_t offset = 0x40; offset + 4 <= bytes.size(); offset += 4) {
    std::string damaged = bytes;
    damaged.replace(offset, 4, "\xf0\xff\xff\x7f");
    files.add_file("/f", damaged);
    const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
    const Result<ElfObject> object = ElfObject::read(**file, "/f");
    if (!object) continue;
    const Result<VersionTables> tables = read_version_tables(**file, *object, "/f");
    if (tables) continue;
    ++refused;
    CHECK(!tables.error().message.empty());
    CHECK(tables.error().path == "/f");
  }
  CHECK(refused > 0);
}
