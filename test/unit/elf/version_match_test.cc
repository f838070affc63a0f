// Does a provider's verdef meet a vernaux entry? (glibc elf/dl-version.c:match_symbol)
#include <doctest/doctest.h>

#include "soresolve/elf.h"
#include "symbols/version_tables.h"

using namespace soresolve;
using enum VersionVerdict;

namespace {

VersionNeed need(std::string_view name, std::uint32_t hash, bool weak = false) {
  VersionNeed need;
  need.name = name;
  need.hash = hash;
  need.weak = weak;
  return need;
}

VersionDef def(std::string_view name, std::uint32_t hash, std::uint16_t record_version = 1) {
  VersionDef def;
  def.name = name;
  def.hash = hash;
  def.record_version = record_version;
  return def;
}

VersionTables provider(std::vector<VersionDef> defs) {
  VersionTables tables;
  tables.has_defs = !defs.empty();
  tables.defs = std::move(defs);
  return tables;
}

}  // namespace

TEST_CASE("a version need is met only by an equal hash and an equal name") {
  struct Case {
    const char* why;
    VersionNeed need;
    std::vector<VersionDef> defs;
    VersionVerdict want;
  };
  const Case cases[] = {
      {"hash and name equal", need("V1", 0x591), {def("V1", 0x591)}, Defined},
      {"same name, other hash", need("V1", 0x591), {def("V1", 0x592)}, Missing},
      {"same hash, other name", need("V1", 0x591), {def("UA", 0x591)}, Missing},
      {"weak need is tolerated", need("V2", 0x592, true), {def("V1", 0x591)}, MissingWeak},
      {"no DT_VERDEF at all", need("V1", 0x591), {}, ProviderUnversioned},
      {"a later record counts", need("V2", 0x592), {def("V1", 0x591), def("V2", 0x592)}, Defined},
      {"an unknown record before the match", need("V2", 0x592), {def("V1", 0x591, 9), def("V2", 0x592)}, UnknownRecord},
      {"an unknown record behind the match is not reached",
       need("V1", 0x591),
       {def("V1", 0x591), def("V2", 0x592, 9)},
       Defined},
      {"an unknown record comes before weakness", need("V2", 0x592, true), {def("V1", 0x591, 9)}, UnknownRecord},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(match_version(c.need, provider(c.defs)).verdict == c.want);
  }
}

TEST_CASE("the hash of a version name is the SysV hash") {
  CHECK(version_hash("") == 0);
  CHECK(version_hash("V1") == 0x591);
  CHECK(version_hash("GLIBC_2.2.5") == 0x09691a75);
  CHECK(version_hash("GLIBC_2.34") == 0x069691b4);
}

TEST_CASE("what ld.so says names the version and who requires it") {
  const VersionNeed v1 = need("V1", 0x591);
  CHECK(version_text(Missing, v1, nullptr, "./prog") == "version `V1' not found (required by ./prog)");
  CHECK(version_text(MissingWeak, v1, nullptr, "/l.so") == "weak version `V1' not found (required by /l.so)");
  CHECK(version_text(ProviderUnversioned, v1, nullptr, "/l.so") ==
        "no version information available (required by /l.so)");
  const VersionDef odd = def("V1", 0x591, 9);
  CHECK(version_text(UnknownRecord, v1, &odd, "/l.so") == "unsupported version 9 of Verdef record");
  CHECK(version_text(Defined, v1, nullptr, "/l.so").empty());
}
