// The environment as rtld.c:process_envvars reads it, and paths against a current directory.
#include "loader/process.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace soresolve;

TEST_CASE("the last entry of a variable wins, and an entry without `=` is none") {
  struct Case {
    std::string why;
    std::vector<std::string> entries;
    std::string want;
  };
  const Case cases[] = {
      {"no environment", {}, "(unset)"},      {"one entry", {"A=1"}, "1"},
      {"twice", {"A=1", "B=2", "A=3"}, "3"},  {"an empty value is a value", {"A=1", "A="}, ""},
      {"no `=`", {"A"}, "(unset)"},           {"no `=` after a good one", {"A=1", "A"}, "1"},
      {"a longer name", {"AB=1"}, "(unset)"}, {"a shorter name", {"=1"}, "(unset)"},
      {"`=` in the value", {"A=x=y"}, "x=y"}, {"names are case sensitive", {"a=1"}, "(unset)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const Environment environment(c.entries);
    CHECK(std::string(environment.value("A").value_or("(unset)")) == c.want);
  }
}

TEST_CASE("an added entry comes last") {
  Environment environment({"A=1"});
  environment.add("A=2");
  CHECK(environment.value("A") == "2");
  CHECK(environment.entries().size() == 2);
}

TEST_CASE("a relative path is put behind the current directory, and nothing is tidied") {
  struct Case {
    std::string path;
    std::string cwd;
    std::string want;
  };
  const Case cases[] = {
      {"/a/b", "/cwd", "/a/b"},      {"a", "/cwd", "/cwd/a"}, {"a", "/", "/a"}, {"./a/../b", "/cwd", "/cwd/./a/../b"},
      {"a//b", "/cwd", "/cwd/a//b"}, {"", "/cwd", "/cwd/"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    CHECK(absolute_path(c.path, c.cwd) == c.want);
  }
}
