// Splitting search lists, glibc elf/dl-load.c:fillin_rpath, decompose_rpath.
#include "loader/search_path.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "unit/print_list.h"

using namespace soresolve;

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kSubdirectories = 3;

TokenValues values() {
  TokenValues values;
  values.origin = "/app/bin";
  values.lib = "lib64";
  return values;  // no platform
}

/// What the elements of a list expand to.
Names names(const DirectoryTable& table, const SearchList& list) {
  Names names;
  for (const ListElement& element : list) names.push_back(table.at(element.directory).name);
  return names;
}

/// What they were before.
Names written(const SearchList& list) {
  Names texts;
  for (const ListElement& element : list) texts.emplace_back(element.written);
  return texts;
}

}  // namespace

TEST_CASE("a tag is split at colons, LD_LIBRARY_PATH at semicolons, too") {
  struct Case {
    std::string why;
    const char* text;
    Names tag;
    Names environment;
  };
  const Case cases[] = {
      {"one directory", "/a", {"/a/"}, {"/a/"}},
      {"two", "/a:/b", {"/a/", "/b/"}, {"/a/", "/b/"}},
      {"a semicolon", "/a;/b", {"/a;/b/"}, {"/a/", "/b/"}},
      {"both", "/a;/b:/c", {"/a;/b/", "/c/"}, {"/a/", "/b/", "/c/"}},
      {"spaces are literal", " /a : b", {" /a /", " b/"}, {" /a /", " b/"}},
      {"so are quotes and tildes", "~/'a'", {"~/'a'/"}, {"~/'a'/"}},
      {"and backslashes", "/a\\:/b", {"/a\\/", "/b/"}, {"/a\\/", "/b/"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    DirectoryTable table(kSubdirectories, false);
    CHECK(names(table, table.make_list(c.text, ListSyntax::Tag, values())) == c.tag);
    CHECK(names(table, table.make_list(c.text, ListSyntax::Environment, values())) == c.environment);
  }
}

TEST_CASE("an empty element is the current directory, an empty text no list at all") {
  struct Case {
    std::string why;
    const char* text;
    Names since_2_27;
    Names until_2_26;
  };
  const Case cases[] = {
      {"no text", "", {}, {}},
      {"a separator alone counts once", ":", {""}, {"./"}},
      {"leading", ":/a", {"", "/a/"}, {"./", "/a/"}},
      {"trailing", "/a:", {"/a/", ""}, {"/a/", "./"}},
      {"doubled", "/a::/b", {"/a/", "", "/b/"}, {"/a/", "./", "/b/"}},
      {"several count once", "::/a::", {"", "/a/"}, {"./", "/a/"}},
      {"`.` is spelled out", ".:/a", {"./", "/a/"}, {"./", "/a/"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    DirectoryTable table(kSubdirectories, false);
    CHECK(names(table, table.make_list(c.text, ListSyntax::Tag, values())) == c.since_2_27);
    DirectoryTable old_table(kSubdirectories, true);
    CHECK(names(old_table, old_table.make_list(c.text, ListSyntax::Tag, values())) == c.until_2_26);
  }
}

TEST_CASE("trailing slashes become one, and nothing else is normalised") {
  struct Case {
    std::string why;
    const char* text;
    Names want;
  };
  const Case cases[] = {
      {"one is there already", "/a/", {"/a/"}},
      {"three", "./D///", {"./D/"}},
      {"the root stays the root", "/", {"/"}},
      {"however it is written", "///", {"/"}},
      {"doubled slashes inside", "/a//b", {"/a//b/"}},
      {"dots", "/a/./b/../c", {"/a/./b/../c/"}},
      {"relative", "../x", {"../x/"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    DirectoryTable table(kSubdirectories, false);
    CHECK(names(table, table.make_list(c.text, ListSyntax::Tag, values())) == c.want);
  }
}

TEST_CASE("the second occurrence of the same string in one list is dropped") {
  struct Case {
    std::string why;
    const char* text;
    Names want;
    Names written;
  };
  const Case cases[] = {
      {"the same text", "/a:/b:/a", {"/a/", "/b/"}, {"/a", "/b"}},
      {"the same after its slashes", "/a/:/a", {"/a/"}, {"/a/"}},
      {"the same after expansion", "$ORIGIN:/app/bin", {"/app/bin/"}, {"$ORIGIN"}},
      {"another spelling of the same", "/a:/./a", {"/a/", "/./a/"}, {"/a", "/./a"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    DirectoryTable table(kSubdirectories, false);
    const SearchList list = table.make_list(c.text, ListSyntax::Tag, values());
    CHECK(names(table, list) == c.want);
    CHECK(written(list) == c.written);
  }
}

TEST_CASE("an element whose tokens have no value is dropped; it is not the current directory") {
  struct Case {
    std::string why;
    const char* text;
    Names want;
  };
  const Case cases[] = {
      {"it alone", "$PLATFORM", {}},
      {"among others", "/a:/$PLATFORM/x:/b", {"/a/", "/b/"}},
      {"an unknown token is a name", "/$FOO", {"/$FOO/"}},
      {"one with a value", "$ORIGIN/../$LIB", {"/app/bin/../lib64/"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    DirectoryTable table(kSubdirectories, false);
    CHECK(names(table, table.make_list(c.text, ListSyntax::Tag, values())) == c.want);
  }
}

TEST_CASE("the same directory in two lists is one, with one memory of what is there") {
  DirectoryTable table(kSubdirectories, false);
  const SearchList first = table.make_list("/a:/b", ListSyntax::Tag, values());
  table.at(first[1].directory).status[0] = DirectoryStatus::Nonexisting;
  const SearchList second = table.make_list("/c:/b/", ListSyntax::Environment, values());
  const SearchList system = table.make_system_list({"/b/", "/lib/"});
  CHECK(second[1].directory == first[1].directory);
  CHECK(system[0].directory == first[1].directory);
  CHECK(table.at(second[1].directory).status[0] == DirectoryStatus::Nonexisting);
  CHECK(table.at(second[0].directory).status[0] == DirectoryStatus::Unknown);
}

TEST_CASE("a relative directory is never taken for absent, an absolute one is not known yet") {
  struct Case {
    std::string why;
    const char* text;
    DirectoryStatus want;
  };
  const Case cases[] = {
      {"absolute", "/a", DirectoryStatus::Unknown},
      {"relative", "a", DirectoryStatus::Existing},
      {"the current directory", ":", DirectoryStatus::Existing},
      {"`..`", "..", DirectoryStatus::Existing},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    DirectoryTable table(kSubdirectories, false);
    const SearchList list = table.make_list(c.text, ListSyntax::Tag, values());
    REQUIRE(list.size() == 1);
    CHECK(table.at(list[0].directory).status == std::vector<DirectoryStatus>(kSubdirectories, c.want));
  }
}
