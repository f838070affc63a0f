// The names of states are in the catalogue, in both languages; places and plurals of a sentence are filled.
#include "soresolve/catalogue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"

using namespace soresolve;

namespace {

/// The name itself in English, and something in Chinese that does not say that it is unknown.
void check_term(std::string_view name) {
  CAPTURE(std::string(name));
  CHECK(sentence(term(name), Language::English) == name);
  const std::string chinese = sentence(term(name), Language::Chinese);
  CHECK_FALSE(chinese.empty());
  CHECK(chinese.find('{') == std::string::npos);
}

template <class State>
void check_terms(State last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) check_term(name_of(static_cast<State>(i)));
}

}  // namespace

TEST_CASE("every name of a state that a report shows has words in both languages") {
  check_terms(SearchStep::DefaultDirs);
  check_terms(Outcome::WouldBlock);
  check_terms(HowFound::EmptyToken);
  check_terms(Importance::Suggested);
  check_terms(Confidence::Guess);
  CHECK(sentence(term("no such file"), Language::Chinese) == "没有这个文件");
}

TEST_CASE("a number chooses between one and many, in the language that has both") {
  const auto opens = [](std::size_t count) {
    return say("group-opens", {{"opener", "a.so"}, {"count", count}, {"found", Statement{}}, {"known", Statement{}}});
  };
  CHECK(sentence(opens(1), Language::English) == "a.so opens 1 library");
  CHECK(sentence(opens(2), Language::English) == "a.so opens 2 libraries");
  CHECK(sentence(opens(2), Language::Chinese) == "a.so 打开 2 个库");
}
