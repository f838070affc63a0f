// What a stranger's name looks like in a report.
#include "base/printable.h"

#include <doctest/doctest.h>

using namespace soresolve;

TEST_CASE("what could drive a terminal is shown byte by byte, all else as it is") {
  struct Case {
    const char* why;
    std::string_view name;
    std::string_view want;
  };
  const Case cases[] = {
      {"letters", "libz.so.1", "libz.so.1"},
      {"UTF-8", "lib\xe4\xb8\xad\xe2\x80\x93.so", "lib\xe4\xb8\xad\xe2\x80\x93.so"},
      {"an escape sequence", "a\x1b[2Jb", "a\\x1b[2Jb"},
      {"a line end", "a\nok", "a\\x0aok"},
      {"DEL", "a\x7f", "a\\x7f"},
      {"Latin-1", "caf\xe9.so", "caf\\xe9.so"},
      {"a C1 control",
       "a\xc2\x9b"
       "2J",
       "a\\xc2\\x9b2J"},
      {"cut off", "a\xe4\xb8", "a\\xe4\\xb8"},
      {"longer than it must be", "\xc0\xaf", "\\xc0\\xaf"},
      {"half of a surrogate pair", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"reversed direction of writing",
       "a\xe2\x80\xae"
       "b",
       "a\\xe2\\x80\\xaeb"},
      {"an isolate",
       "\xe2\x81\xa6"
       "b",
       "\\xe2\\x81\\xa6b"},
      {"no width", "lib\xe2\x80\x8bz.so", "lib\\xe2\\x80\\x8bz.so"},
      {"a joiner",
       "a\xe2\x80\x8d"
       "b",
       "a\\xe2\\x80\\x8db"},
      {"a mark of direction", "\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\xe2\\x80\\x8e\\xe2\\x80\\x8f\\xd8\\x9c"},
      {"a word joiner", "\xe2\x81\xa0", "\\xe2\\x81\\xa0"},
      {"a byte order mark", "\xef\xbb\xbflibz.so", "\\xef\\xbb\\xbflibz.so"},
      {"a soft hyphen", "a\xc2\xad", "a\\xc2\\xad"},
      {"a Hangul filler", "\xe3\x85\xa4", "\\xe3\\x85\\xa4"},
      {"a tag", "\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"},
      {"neighbours of what is hidden", "\xc2\xa0\xe2\x80\x90\xef\xbf\xbd\xf0\x9f\x98\x80",
       "\xc2\xa0\xe2\x80\x90\xef\xbf\xbd\xf0\x9f\x98\x80"},
      {"beyond Unicode", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
      {"a line separator", "\xe2\x80\xa8", "\\xe2\\x80\\xa8"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(printable(c.name) == c.want);
  }
}

TEST_CASE("a text of several lines keeps their ends") {
  CHECK(printable_lines("a\x1b\n\tb\x07\n") == "a\\x1b\n\tb\\x07\n");
  CHECK(printable_lines("").empty());
}

TEST_CASE("JSON keeps what it says, and drives no terminal") {
  struct Case {
    const char* why;
    std::string_view json;
    std::string_view want;
  };
  const Case cases[] = {
      {"ASCII", "{\n  \"a\": \"b\"\n}\n", "{\n  \"a\": \"b\"\n}\n"},
      {"UTF-8", "\"\xe4\xb8\xad\xf0\x9f\x98\x80\"", "\"\xe4\xb8\xad\xf0\x9f\x98\x80\""},
      {"DEL", "\"a\x7f\"", "\"a\\u007f\""},
      {"a C1 control",
       "\"\xc2\x9b"
       "2J\"",
       "\"\\u009b2J\""},
      {"a direction, and no width", "\"\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf\"", "\"\\u202e\\u200b\\ufeff\""},
      {"beyond the first plane", "\"\xf3\xa0\x81\x81\"", "\"\\udb40\\udc41\""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(printable_json(std::string(c.json)) == c.want);
  }
}
