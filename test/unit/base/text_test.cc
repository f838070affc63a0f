// Text: what is ours stays, what is foreign is escaped, and joining them forgets neither. (That other strings do not
// become a Text is for a compiler to say: test/form/check_escaped_text.)
#include <doctest/doctest.h>

#include <string>
#include <type_traits>

#include "base/text.h"

using namespace soresolve;

TEST_CASE("a text keeps our own bytes and escapes foreign ones") {
  struct Case {
    const char* why;
    Text text;
    const char* want;
  };
  const Case cases[] = {
      {"our own line end", Text("a\n"), "a\n"},
      {"a foreign line end", Text::escaped("a\nb"), "a\\x0ab"},
      {"foreign lines", Text::escaped_lines("a\n\tb\x1b"), "a\n\tb\\x1b"},
      {"a foreign control of a terminal", Text::escaped("\x1b[2J"), "\\x1b[2J"},
      {"a foreign control of C1, as UTF-8", Text::escaped("\xc2\x9b"), "\\xc2\\x9b"},
      {"foreign bytes that are no UTF-8", Text::escaped("\xff"), "\\xff"},
      {"foreign letters", Text::escaped("é中"), "é中"},
      {"a number", Text::number(-5), "-5"},
      {"joined, literal first", "name: " + Text::escaped("\a") + "\n", "name: \\x07\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(c.text.str() == c.want);
  }
}

TEST_CASE("what is joined to a text is a text") {
  Text text;
  CHECK(text.empty());
  text += "own ";
  text += Text::escaped("\r");
  CHECK(text.str() == "own \\x0d");
  CHECK_FALSE(std::is_constructible_v<Text, std::string>);
  CHECK_FALSE(std::is_constructible_v<Text, std::string_view>);
  CHECK_FALSE(std::is_constructible_v<Text, const char*>);
  CHECK_FALSE(std::is_constructible_v<Text, char(&)[8]>);
}
