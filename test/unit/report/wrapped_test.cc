// Breaking prose into lines: words, East Asian characters, bytes that are not UTF-8.
#include "report/wrapped.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace soresolve;

namespace {

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  for (const std::string_view line : lines_of(text, indent, width)) {
    result += result.empty() ? std::string(line) : "\n" + std::string(indent, ' ') + std::string(line);
  }
  return result;
}

}  // namespace

TEST_CASE("prose is broken at spaces, and between East Asian characters") {
  struct Case {
    const char* why;
    const char* text;
    std::size_t indent;
    std::size_t width;
    const char* want;
  };
  const Case cases[] = {
      {"short", "one two", 0, 10, "one two"},
      {"at a space", "one two three", 0, 8, "one two\nthree"},
      {"indented", "one two three", 2, 10, "one two\n  three"},
      {"a long word stays whole", "a bbbbbbbbbbbb c", 0, 6, "a\nbbbbbbbbbbbb\nc"},
      {"spaces within a line stay", "a   b   c", 0, 5, "a   b\nc"},
      {"two columns a character", "动态链接", 0, 4, "动态\n链接"},
      {"no comma at the start of a line", "动态，链接", 0, 4, "动\n态，\n链接"},
      {"no bracket at the end of a line", "动（态）", 0, 4, "动\n（态）"},
      {"Latin words stay whole", "用ld.so看", 0, 6, "用\nld.so\n看"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(wrapped(c.text, c.indent, c.width) == c.want);
  }
}

TEST_CASE("width counts columns, and damage counts by bytes") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é") == 1);
  CHECK(display_width("共享库") == 6);
  CHECK(display_width("\xff\xe4") == 2);
}
