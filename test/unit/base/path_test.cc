// Paths are cut as dirname(1) and basename(1) do it, also in the root directory and without a slash.
#include "base/path.h"

#include <doctest/doctest.h>

using namespace soresolve;

TEST_CASE("a directory is never empty, a prefix and a file name make the path again") {
  struct Case {
    const char* path;
    const char* directory;
    const char* prefix;
    const char* name;
  };
  const Case cases[] = {
      {"/a/b/libx.so", "/a/b", "/a/b/", "libx.so"},
      {"/libx.so", "/", "/", "libx.so"},
      {"libx.so", ".", "", "libx.so"},
      {"a/libx.so", "a", "a/", "libx.so"},
      {"//libx.so", "/", "//", "libx.so"},
      {"", ".", "", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    CHECK(directory_of(c.path) == c.directory);
    CHECK(directory_prefix_of(c.path) == c.prefix);
    CHECK(file_name_of(c.path) == c.name);
  }
}

TEST_CASE("a dot in a path says nothing, two dots do") {
  struct Case {
    const char* path;
    const char* want;
  };
  const Case cases[] = {
      {"/tmp/x/./a", "/tmp/x/a"}, {"/tmp/x/.", "/tmp/x/"},      {"./a", "a"}, {"/", "/"},   {"//a///b", "/a/b"},
      {"/a/../b", "/a/../b"},     {"/.hidden/b", "/.hidden/b"}, {".", "."},   {"/./", "/"}, {"a/./b/", "a/b/"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    CHECK(without_dots(c.path) == c.want);
  }
}

TEST_CASE("one slash stands between a directory and a name") {
  CHECK(path_in("/", "b") == "/b");
  CHECK(path_in("/a", "b") == "/a/b");
  CHECK(path_in("/a/", "b") == "/a/b");
}
