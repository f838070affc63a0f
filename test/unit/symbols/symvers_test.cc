// What a library serves, on files that the compiler and the linker made (test/fixtures/version_nodes).
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "symbols/offer.h"
#include "symbols/version_tables.h"
#include "unit/print_list.h"
#include "unit/read_library.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

using Names = std::vector<std::string>;

VersionedLibrary read(const std::string& name) { return read_library("version_nodes/" + name); }

std::string text_of(ForVerdict verdict) {
  switch (verdict) {
    case ForVerdict::Met: return "met";
    case ForVerdict::MetUnversioned: return "met unversioned";
    case ForVerdict::OtherVersion: return "other version";
    case ForVerdict::Missing: return "missing";
  }
  return "";
}

Names symbols_of(const ForAnswer& answer) {
  Names names;
  for (const ForSymbol& symbol : answer.symbols) {
    std::string line = symbol.name + "@" + symbol.version + " " + text_of(symbol.verdict);
    for (const std::string& node : symbol.instead) line += " " + node;
    names.push_back(line);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("a need is served by a node, by the end of one, or by a symbol with its node") {
  const VersionedLibrary first = read("libp_first.so");
  const VersionedLibrary second = read("libp_second.so");
  CHECK(second.soname == "libp.so.1");
  struct Case {
    const char* why;
    const VersionedLibrary* library;
    std::string need;
    bool is_served;
  };
  const Case cases[] = {
      {"a node", &second, "LIBP_2.0", true},
      {"a node that only the other release has", &first, "LIBP_2.0", false},
      {"a bare version", &second, "2.0", true},
      {"a bare version has to be whole", &second, "0", true},
      {"the end of a number is no version", &second, ".0", false},
      {"the base is the library's name, not a node", &second, "libp.so.1", false},
      {"the default version of a symbol", &second, "f@LIBP_2.0", true},
      {"the same, written as defined", &second, "f@@LIBP_2.0", true},
      {"a hidden version of a symbol", &second, "f@LIBP_1.0", true},
      {"a symbol under another node", &second, "h@LIBP_1.0", false},
      {"a symbol that is not there", &second, "nothing@LIBP_1.0", false},
      {"a node as the start of a name", &second, "LIBP_2", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(answer_need(*c.library, c.need).is_served == c.is_served);
  }
  CHECK(answer_need(first, "2.0").instead == std::vector{words_of_others("LIBP_1.0")});
  CHECK(answer_need(second, "h@LIBP_1.0").instead == std::vector{words_of_others("h@LIBP_2.0")});
}

TEST_CASE("a refused node is answered with its family, nearest first, and never hidden behind another") {
  VersionedLibrary library;
  library.versions.has_defs = true;
  const auto add = [&](std::string_view name, bool base = false) {
    VersionDef def;
    def.name = name;
    def.base = base;
    def.hash = version_hash(name);
    library.versions.defs.push_back(def);
    library.symbol_counts.push_back(1);
  };
  add("libstdc++.so.6", true);
  for (const char* node : {"GLIBCXX_3.4", "GLIBCXX_3.4.9", "GLIBCXX_3.4.10", "GLIBCXX_3.4.30", "GLIBCXX_DEBUG_1",
                           "GLIBCXX_LDBL_3.4", "CXXABI_1.3", "CXXABI_1.3.9", "CXXABI_1.3.13", "CXXABI_TM_1"}) {
    add(node);
  }
  struct Case {
    const char* why;
    std::string need;
    Names family;
    std::string first_of_all;
  };
  const Case cases[] = {
      {"newer than all", "GLIBCXX_3.4.32", {"GLIBCXX_3.4.30", "GLIBCXX_3.4.10", "GLIBCXX_3.4.9", "GLIBCXX_3.4"}, ""},
      {"in the middle, the older first",
       "GLIBCXX_3.4.11",
       {"GLIBCXX_3.4.10", "GLIBCXX_3.4.30", "GLIBCXX_3.4.9", "GLIBCXX_3.4"},
       ""},
      {"another family of the same file", "CXXABI_1.3.15", {"CXXABI_1.3.13", "CXXABI_1.3.9", "CXXABI_1.3"}, ""},
      {"letters are the family, not their beginning", "CXXABI_TM_2", {"CXXABI_TM_1"}, ""},
      {"no family: all, as they stand", "NOBODY_1", {}, "GLIBCXX_3.4"},
      {"a bare version has no family", "12.0", {}, "GLIBCXX_3.4"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const NeedAnswer answer = answer_need(library, c.need);
    CHECK(!answer.is_served);
    Names family;
    for (const std::size_t record : answer.family) family.emplace_back(library.versions.defs[record].name);
    CHECK(family == c.family);
    REQUIRE(answer.instead.size() == 10);
    CHECK(answer.instead.front() == words_of_others(c.family.empty() ? c.first_of_all : c.family.front()));
  }
}

TEST_CASE("symbols are counted under the node that they carry") {
  const VersionedLibrary second = read("libp_second.so");
  REQUIRE(second.versions.defs.size() == 3);
  CHECK(second.versions.defs[0].base);
  CHECK(second.versions.defs[1].name == "LIBP_1.0");
  // The nodes themselves, which stand in the table as absolute symbols, are not counted.
  CHECK(second.symbol_counts[1] == 1);  // f
  CHECK(second.symbol_counts[2] == 3);  // f, g, h
  CHECK(second.defined_count == 4);
  CHECK(second.versions.defs[2].parents.size() == 1);
  CHECK(second.versions.defs[2].parents.front() == "LIBP_1.0");
}

TEST_CASE("a consumer is served by the release that it was linked against") {
  const ForAnswer answer = answer_for(read("libp_second.so"), read("consumer.so"));
  CHECK(answer.is_served());
  CHECK(symbols_of(answer) == Names{"f@LIBP_2.0 met", "g@LIBP_2.0 met", "h@LIBP_2.0 met"});
}

TEST_CASE("an older release is refuted by its nodes and by each symbol that it lacks") {
  const ForAnswer answer = answer_for(read("libp_first.so"), read("consumer.so"));
  CHECK(!answer.is_served());
  REQUIRE(answer.versions.size() == 1);
  CHECK(answer.versions[0].match.verdict == VersionVerdict::Missing);
  CHECK(symbols_of(answer) ==
        Names{"f@LIBP_2.0 other version LIBP_1.0", "g@LIBP_2.0 missing", "h@LIBP_2.0 other version LIBP_1.0"});
}

TEST_CASE("the only node of a library does not tell its releases apart") {
  const VersionedLibrary first = read("libp_first.so");
  REQUIRE(sole_node(first).has_value());
  CHECK(first.versions.defs[*sole_node(first)].name == "LIBP_1.0");
  CHECK(!sole_node(read("libp_second.so")).has_value());
  CHECK(!sole_node(read("consumer.so")).has_value());
}

TEST_CASE("a library without any version table does not provide versioned references everywhere") {
  VersionedLibrary bare = read("libp_second.so");
  bare.versions = {};
  const ForAnswer answer = answer_for(bare, read("consumer.so"));
  CHECK(answer.ends_in_assertion);
  CHECK(!answer.is_served());
  CHECK(symbols_of(answer) ==
        Names{"f@LIBP_2.0 met unversioned", "g@LIBP_2.0 met unversioned", "h@LIBP_2.0 met unversioned"});
}

TEST_CASE("references of a file that defines nothing are found without a hash table") {
  // Link editors write an empty DT_GNU_HASH for it, whose first symbol is 1.
  const VersionedLibrary needer = read("hidden_consumer.so");
  CHECK(needer.defined_count == 0);
  CHECK(symbols_of(answer_for(read("libp_second.so"), needer)) ==
        Names{"f@LIBP_2.0 met", "g@LIBP_2.0 met", "h@LIBP_2.0 met"});
  CHECK(!answer_for(read("libp_first.so"), needer).is_served());
}

TEST_CASE("a library is looked at in another's place when the consumer names only that one") {
  VersionedLibrary second = read("libp_second.so");
  const VersionedLibrary needer = read("consumer.so");
  struct Case {
    const char* why;
    std::string path;
    std::string soname;
    bool is_other;
    std::size_t versions;
  };
  const Case cases[] = {
      {"its SONAME", "/a/x.so", "libp.so.1", false, 1},
      {"its file name", "/a/libp.so.1", "libp.so.2", false, 1},
      {"the same name with another version", "/a/libp.so.2", "libp.so.2", true, 1},
      {"no SONAME, the file's name with another version", "/a/libp.so.2", "", true, 1},
      {"another library", "/a/libq.so.1", "libq.so.1", true, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    second.path = c.path;
    second.soname = c.soname;
    const ForAnswer answer = answer_for(second, needer);
    CHECK(answer.is_other_name == c.is_other);
    CHECK(answer.versions.size() == c.versions);
  }
}
