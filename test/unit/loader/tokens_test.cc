// Dynamic string tokens, glibc elf/dl-load.c:is_dst, _dl_dst_substitute of 2.28 and later.
#include "loader/tokens.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace soresolve;

namespace {

const std::vector<std::string> kSystemDirs = {"/lib/", "/usr/lib/"};

TokenValues all_values() {
  TokenValues values;
  values.origin = "/app/bin";
  values.platform = "haswell";
  values.lib = "lib64";
  values.system_dirs = kSystemDirs;
  return values;
}

/// The expansion, or "(none)".
std::string expand(std::string_view text, const TokenValues& values) {
  return expand_tokens(text, values).value_or("(none)");
}

}  // namespace

TEST_CASE("a token is $NAME or ${NAME}; everything else is literal") {
  struct Case {
    std::string why;
    const char* text;
    std::size_t count;
    std::string want;
  };
  const Case cases[] = {
      {"no token", "/a/b", 0, "/a/b"},
      {"nothing", "", 0, ""},
      {"$ORIGIN", "$ORIGIN", 1, "/app/bin"},
      {"${ORIGIN}", "${ORIGIN}/x", 1, "/app/bin/x"},
      {"$LIB", "/usr/$LIB", 1, "/usr/lib64"},
      {"$PLATFORM", "/p/${PLATFORM}/", 1, "/p/haswell/"},
      {"not only at the start", "x$ORIGIN/y", 1, "x/app/bin/y"},
      {"several in one text", "$ORIGIN/$LIB/$PLATFORM", 3, "/app/bin/lib64/haswell"},
      {"side by side", "$LIB$LIB", 2, "lib64lib64"},
      {"a letter goes on with the name", "$ORIGINX/l", 0, "$ORIGINX/l"},
      {"so does a digit", "$LIB64/l", 0, "$LIB64/l"},
      {"so does an underscore", "$LIB_x", 0, "$LIB_x"},
      {"a small letter, too", "$LIBa", 0, "$LIBa"},
      {"a dot ends the name", "lib$LIB.so", 1, "liblib64.so"},
      {"a dash ends the name", "$PLATFORM-x", 1, "haswell-x"},
      {"a brace ends the name", "$LIB}", 1, "lib64}"},
      {"behind braces anything may follow", "${LIB}64", 1, "lib6464"},
      {"the closing brace is missing", "${ORIGIN/l", 0, "${ORIGIN/l"},
      {"a space in the braces", "${ORIGIN }", 0, "${ORIGIN }"},
      {"empty braces", "${}", 0, "${}"},
      {"an unknown name", "lib$FOO.so", 0, "lib$FOO.so"},
      {"names are capital letters", "$origin", 0, "$origin"},
      {"part of a name", "$ORIG/x", 0, "$ORIG/x"},
      {"a lone dollar", "a$", 0, "a$"},
      {"two dollars", "$$LIB", 1, "$lib64"},
      {"a dollar before a brace only", "${", 0, "${"},
      {"a literal one does not stop the next", "$FOO/$LIB", 1, "$FOO/lib64"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(count_tokens(c.text) == c.count);
    CHECK(expand(c.text, all_values()) == c.want);
  }
}

TEST_CASE("a value is not expanded again") {
  TokenValues values = all_values();
  values.origin = "/a/$LIB";
  CHECK(expand("$ORIGIN/x", values) == "/a/$LIB/x");
}

TEST_CASE("a known token without a value takes the whole text away") {
  TokenValues values = all_values();
  values.origin.reset();
  values.platform.reset();
  struct Case {
    std::string why;
    const char* text;
    std::string want;
  };
  const Case cases[] = {
      {"$ORIGIN is unknown", "$ORIGIN/lib", "(none)"},
      {"in the middle", "/a/$PLATFORM/b", "(none)"},
      {"beside one that has a value", "$LIB/$PLATFORM", "(none)"},
      {"$LIB always has one", "/a/$LIB", "/a/lib64"},
      {"literal text has no need", "/a/$ORIGINX", "/a/$ORIGINX"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(expand(c.text, values) == c.want);
  }
}

TEST_CASE("under AT_SECURE $ORIGIN has to stand alone at the start, and lead to a trusted place") {
  enum class Owner { Program, Library };
  struct Case {
    std::string why;
    Owner owner;
    const char* origin;
    const char* text;
    std::string want;
  };
  const Case cases[] = {
      {"outside the system directories", Owner::Program, "/app/bin", "$ORIGIN/../lib", "(none)"},
      {"inside them", Owner::Program, "/usr/bin", "$ORIGIN/../lib", "/usr/bin/../lib"},
      {"a directory below one", Owner::Program, "/usr/bin", "$ORIGIN/../lib/sub", "/usr/bin/../lib/sub"},
      {"$ORIGIN itself is one", Owner::Program, "/lib", "$ORIGIN", "/lib"},
      {"a name that only begins like one", Owner::Program, "/library", "$ORIGIN", "(none)"},
      {"out of one again by `..`", Owner::Program, "/lib", "$ORIGIN/../etc", "(none)"},
      {"`.` and doubled slashes do not count", Owner::Program, "/usr", "$ORIGIN/.//./lib///x", "/usr/.//./lib///x"},
      {"a doubled slash before `..` is the step that it undoes", Owner::Program, "/usr/bin", "$ORIGIN//../lib",
       "(none)"},
      {"`..` beyond the root", Owner::Program, "/usr/bin", "$ORIGIN/../../../../lib", "/usr/bin/../../../../lib"},
      {"a library's need not be trusted", Owner::Library, "/app/lib", "$ORIGIN/x", "/app/lib/x"},
      {"not at the start", Owner::Library, "/lib", "x$ORIGIN", "(none)"},
      {"not at the start, after a slash", Owner::Library, "/lib", "/$ORIGIN", "(none)"},
      {"something sticks to it", Owner::Library, "/lib", "$ORIGIN.d", "(none)"},
      {"the same with braces", Owner::Library, "/lib", "${ORIGIN}x/y", "(none)"},
      {"with braces, and a slash", Owner::Library, "/lib", "${ORIGIN}/y", "/lib/y"},
      {"a second one", Owner::Library, "/lib", "$ORIGIN/$ORIGIN", "(none)"},
      {"the other tokens are free", Owner::Program, "/app", "/x$LIB/$PLATFORM", "/xlib64/haswell"},
      {"so is plain text", Owner::Program, "/app", "/app/lib", "/app/lib"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    TokenValues values = all_values();
    values.origin = c.origin;
    values.is_secure = true;
    values.is_executable = c.owner == Owner::Program;
    CHECK(expand(c.text, values) == c.want);
  }
}
