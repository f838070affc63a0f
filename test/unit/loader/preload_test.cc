// LD_PRELOAD and /etc/ld.so.preload, glibc elf/rtld.c:handle_preload_list, dl_main.
#include "loader/preload.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "unit/print_list.h"

using namespace soresolve;
using namespace std::string_literals;

namespace {

using Names = std::vector<std::string>;

Names names(const std::vector<PreloadName>& list, std::string_view source) {
  Names names;
  for (const PreloadName& name : list) {
    CHECK(name.source == source);
    names.push_back(name.name);
  }
  return names;
}

}  // namespace

TEST_CASE("LD_PRELOAD is split at spaces and colons, nothing else") {
  struct Case {
    std::string why;
    std::string value;
    Names want;
  };
  const Case cases[] = {
      {"empty", "", {}},
      {"one", "liba.so", {"liba.so"}},
      {"a space", "liba.so libb.so", {"liba.so", "libb.so"}},
      {"a colon", "liba.so:libb.so", {"liba.so", "libb.so"}},
      {"empty elements are none", " :liba.so:: b ", {"liba.so", "b"}},
      {"a tab belongs to the name", "liba.so\tlibb.so", {"liba.so\tlibb.so"}},
      {"a newline, too", "a\nb", {"a\nb"}},
      {"a semicolon, too", "a;b", {"a;b"}},
      {"`#` begins no comment", "#a b", {"#a", "b"}},
      {"the same name twice is asked twice", "a a", {"a", "a"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(names(parse_preload_variable(c.value, false), "LD_PRELOAD") == c.want);
  }
}

TEST_CASE("names that are too long are dropped, under AT_SECURE those with a slash, too") {
  const std::string n254(254, 'n');
  const std::string n255(255, 'n');
  const std::string n4095(4095, 'n');
  const std::string n4096(4096, 'n');
  struct Case {
    std::string why;
    std::string value;
    Names plain;
    Names secure;
  };
  const Case cases[] = {
      {"254 bytes", n254, {n254}, {n254}},
      {"255 bytes", n255, {n255}, {}},
      {"4095 bytes", n4095, {n4095}, {}},
      {"4096 bytes", n4096, {}, {}},
      {"what follows is kept", n4096 + ":a", {"a"}, {"a"}},
      {"an absolute path", "/lib/a.so b", {"/lib/a.so", "b"}, {"b"}},
      {"a relative path", "./a.so", {"./a.so"}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(names(parse_preload_variable(c.value, false), kPreloadVariable) == c.plain);
    CHECK(names(parse_preload_variable(c.value, true), kPreloadVariable) == c.secure);
  }
}

TEST_CASE("ld.so.preload is split at white space and colons") {
  struct Case {
    std::string why;
    std::string content;
    Names want;
  };
  const Case cases[] = {
      {"empty", "", {}},
      {"one line", "/lib/a.so\n", {"/lib/a.so"}},
      {"without a final newline", "/lib/a.so", {"/lib/a.so"}},
      {"space, tab, newline, colon", "a b\tc\nd:e\n", {"a", "b", "c", "d", "e"}},
      {"the last one without a separator", "a b\tc", {"a", "b", "c"}},
      {"empty elements are none", "\n\n a ::\t\n", {"a"}},
      {"only separators", " \n\t:", {}},
      {"a carriage return belongs to it", "a\r\n", {"a\r"}},
      {"a long name is not dropped", std::string(5000, 'n') + "\n", {std::string(5000, 'n')}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(names(parse_preload_file(c.content), "/etc/ld.so.preload") == c.want);
  }
}

TEST_CASE("a NUL ends the names, except a last one without a separator behind it") {
  struct Case {
    std::string why;
    std::string content;
    Names want;
  };
  const Case cases[] = {
      {"inside the file", "a\0b c\n"s, {"a"}},
      {"the last one is apart", "a\0b c"s, {"a", "c"}},
      {"and ends at a NUL itself", "a c\0d"s, {"a", "c"}},
      {"nothing before it", "\0a\n"s, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(names(parse_preload_file(c.content), kPreloadFile) == c.want);
  }
}

TEST_CASE("a comment ends with its line; a second one is seen only if it stands early enough") {
  // After the first comment glibc looks for `#` from the start of the file, but only over as many
  // bytes as are left behind that comment.
  struct Case {
    std::string why;
    std::string content;
    Names want;
  };
  const Case cases[] = {
      {"a whole line", "# no\na\n", {"a"}},
      {"behind a name", "a # no\nb\n", {"a", "b"}},
      {"up to the end of the file", "a # no", {"a"}},
      {"nothing else", "#", {}},
      {"sticking to a name", "a#no\nb\n", {"a", "b"}},
      {"two in the first half", "#x\n#y\n/lib/long-name-1.so\n", {"/lib/long-name-1.so"}},
      {"the second one is late", "/lib/a.so\n# first\n# second\n", {"/lib/a.so", "#", "second"}},
      {"the third one is late", "#1\n#2\na\n#3 x\n", {"a", "#3", "x"}},
      {"one comment alone is always seen",
       "/lib/a.so\n/lib/b.so\n/lib/capi.so\n#x\n",
       {"/lib/a.so", "/lib/b.so", "/lib/capi.so"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(names(parse_preload_file(c.content), kPreloadFile) == c.want);
  }
}

TEST_CASE("each name of the file has its line") {
  struct Case {
    std::string why;
    std::string content;
    std::vector<std::uint32_t> want;
  };
  const Case cases[] = {
      {"one a line", "a\nb\n", {1, 2}},
      {"two in one", "a b\nc\n", {1, 1, 2}},
      {"empty lines and comments count", "# x\n\na\n#y\nb\n", {3, 5}},
      {"the last without a newline", "a\n\nb", {1, 3}},
      {"alone", "a", {1}},
      {"nothing but lines", "\n\n", {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    std::vector<std::uint32_t> lines;
    for (const PreloadName& name : parse_preload_file(c.content)) lines.push_back(name.line);
    CHECK(lines == c.want);
  }
}
