// Any text is a document or is refused with its line: small texts of TOML's own signs, all of them, and longer ones by
// chance.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "diagnose/toml_document.h"
#include "support/random.h"
#include "support/sanitizer.h"

namespace soresolve::test {
namespace {

constexpr std::array<std::string_view, 19> kSigns = {"[", "]", "a", ".", "=",  "\"", "'",    "1",        "#", "\n",
                                                     " ", "{", "}", ",", "\r", "\f", "\001", "\xc3\xa9", "-"};

/// Line of the refusal; 0: it is a document.
std::size_t refused_line(const std::string& text) {
  const Result<TomlTable> table = parse_toml(text, "/x.toml");
  if (table) return 0;
  constexpr std::string_view kBegin = "line ";
  const std::string& message = table.error().message;
  REQUIRE(message.starts_with(kBegin));
  const std::size_t line = std::stoul(message.substr(kBegin.size()));
  REQUIRE(line >= 1);
  REQUIRE(line <= static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) +
                      static_cast<std::size_t>(std::count(text.begin(), text.end(), '\f')) + 1);
  return line;
}

}  // namespace

TEST_CASE("what toml++ takes for granted is refused where it stands") {
  CHECK(refused_line("[[[a]]]\nb = '1'\n") == 1);
  CHECK(refused_line("a = '1'\n\n[") == 3);
  CHECK(refused_line("a = '1'\n[#]\nb = '2'\n") == 2);
  CHECK(refused_line("a = '1'\f[\001]\n") != 0);
  CHECK(refused_line("a = '''\n[\n[[[\n'''\n") == 0);
}

TEST_CASE("every text of four signs") {
  std::size_t documents = 0;
  constexpr std::size_t kTexts = kSigns.size() * kSigns.size() * kSigns.size() * kSigns.size();
  for (std::size_t number = 0; number < kTexts; number += kTexts / rounds(kTexts)) {
    std::string text;
    for (std::size_t left = number, sign = 0; sign < 4; ++sign, left /= kSigns.size())
      text += kSigns[left % kSigns.size()];
    documents += refused_line(text) == 0;
  }
  CHECK(documents > rounds(1000));  // comments, blank lines, keys
}

TEST_CASE("texts of many signs") {
  Random random(7);
  for (std::size_t round = 0; round < rounds(50000); ++round) {
    std::string text = random.chance(50) ? "[[a]]\nb = '1'\n" : "";
    for (std::size_t length = 4 + random.below(20); length != 0; --length) text += kSigns[random.below(kSigns.size())];
    CAPTURE(text);
    refused_line(text);
  }
}

}  // namespace soresolve::test
