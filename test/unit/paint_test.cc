// What a stranger's name looks like in a report.
#include "report/paint.h"

#include <doctest/doctest.h>

using namespace soresolve;

TEST_CASE("what could drive a terminal is shown byte by byte, all else as it is") {
  struct Case { const char* why; std::string_view name; std::string_view want; };
  const Case cases[] = {
      {"letters", "libz.so.1", "libz.so.1"},
      {"UTF-8", "lib\xe4\xb8\xad\xe2\x80\x93.so", "lib\xe4\xb8\xad\xe2\x80\x93.so"},
      {"an escape sequence", "a\x1b[2Jb", "a\\x1b[2Jb"},
      {"a line end", "a\nok", "a\\x0aok"},
      {"DEL", "a\x7f", "a\\x7f"},
      {"Latin-1", "caf\xe9.so", "caf\\xe9.so"},
      {"a C1 control", "a\xc2\x9b" "2J", "a\\xc2\\x9b2J"},
      {"cut off", "a\xe4\xb8", "a\\xe4\\xb8"},
      {"longer than it must be", "\xc0\xaf", "\\xc0\\xaf"},
      {"half of a surrogate pair", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"reversed direction of writing", "a\xe2\x80\xae" "b", "a\\xe2\\x80\\xaeb"},
      {"an isolate", "\xe2\x81\xa6" "b", "\\xe2\\x81\\xa6b"},
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
