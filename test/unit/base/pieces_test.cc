// A separator ends a piece and begins none; words are never empty; a list that is put together is cut again.
#include "base/pieces.h"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "print_list.h"

using namespace soresolve;

namespace {

using List = std::vector<std::string_view>;

List list_of(const Pieces& pieces) {
  List list;
  for (const std::string_view piece : pieces) list.push_back(piece);
  return list;
}

}  // namespace

TEST_CASE("a separator ends a piece, and the last one begins none") {
  struct Case {
    const char* why;
    std::string_view text;
    List want;
  };
  const Case cases[] = {
      {"no text has no piece", "", {}},
      {"without a separator all is one", "a", {"a"}},
      {"one at the end begins none", "a:", {"a"}},
      {"one alone ends an empty piece", ":", {""}},
      {"two in a row have an empty piece between them", "a::b", {"a", "", "b"}},
      {"one at the start ends an empty piece", ":a", {"", "a"}},
      {"two at the end", "a::", {"a", ""}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(list_of(pieces_in(c.text, ':')) == c.want);
  }
  CHECK(list_of(lines_in("a\r\n\nb")) == List{"a\r", "", "b"});
  CHECK(list_of(pieces_in(std::string_view("A=1\0B=2\0", 8), '\0')) == List{"A=1", "B=2"});
}

TEST_CASE("a text is cut at the first separator, or all of it is before") {
  CHECK(cut_at("a:b:c", ':').before == "a");
  CHECK(cut_at("a:b:c", ':').behind == "b:c");
  CHECK(cut_at("a", ':').before == "a");
  CHECK(cut_at("a", ':').behind.empty());
  CHECK(cut_at("a:", ':').behind.empty());
  CHECK(cut_at(":a", ':').before.empty());
}

TEST_CASE("blanks go at both ends only") {
  CHECK(trimmed(" \ta b\t ") == "a b");
  CHECK(trimmed(" \t ").empty());
  CHECK(trimmed("").empty());
  CHECK(trimmed("\na\n") == "\na\n");
  CHECK(trimmed("\na\n", "\n") == "a");
}

TEST_CASE("a word is never empty") {
  CHECK(words_in("  one\ttwo  ") == List{"one", "two"});
  CHECK(words_in(" \t").empty());
  CHECK(words_in("a::b:", ":") == List{"a", "b"});
  CHECK(words_in("a\tb", " ") == List{"a\tb"});
  CHECK(words_in<std::vector<std::string>>("a b").back() == "b");
}

TEST_CASE("a list is put together with the separator between its texts") {
  CHECK(joined(std::vector<std::string>{}, ", ").empty());
  CHECK(joined(std::vector<std::string>{"a"}, ", ") == "a");
  CHECK(joined(std::vector<std::string>{"a", "b"}, ", ") == "a, b");
  CHECK(joined(std::vector<std::string>{"", "b"}, ":") == ":b");  // an empty text is one
  CHECK(joined(std::set<int>{1, 2}, " ", [](int number) { return std::to_string(number); }) == "1 2");
}
