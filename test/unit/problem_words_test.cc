// No code of a problem and no kind of fix without words in English and in Chinese.
#include "soresolve/catalogue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace soresolve;

namespace {

bool has_chinese(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0xe4 && static_cast<unsigned char>(c) <= 0xe9;
  });
}

}  // namespace

TEST_CASE("every kind of finding has words in both languages") {
  for (int i = 0; i <= static_cast<int>(ProblemCode::Note); ++i) {
    const ProblemCode kind = static_cast<ProblemCode>(i);
    CAPTURE(std::string(code_of(kind)));
    const ProblemWords* words = find_problem_words(code_of(kind));
    REQUIRE(words != nullptr);
    CHECK(words->code == kind);
    for (const Phrase& phrase : {words->meaning, words->about}) {
      CHECK_FALSE(phrase.en.empty());
      CHECK_FALSE(has_chinese(phrase.en));
      CHECK(has_chinese(phrase.zh));
    }
    CHECK(words->meaning.en.size() < 90);
    CHECK(words->about.en.size() > words->meaning.en.size());
  }
  CHECK(all_problem_words().size() == static_cast<std::size_t>(ProblemCode::Note) + 1);
  CHECK(find_problem_words("missing") == nullptr);
}

TEST_CASE("every kind of remedy has a name") {
  for (int i = 0; i <= static_cast<int>(RemedyKind::Preload); ++i) {
    const RemedyKind kind = static_cast<RemedyKind>(i);
    CAPTURE(std::string(name_of(kind)));
    CHECK_FALSE(name_of(kind).empty());
  }
}

TEST_CASE("the language is that of the locale's name") {
  CHECK(language_of_locale("zh_CN.UTF-8") == Language::Chinese);
  CHECK(language_of_locale("zh") == Language::Chinese);
  CHECK(language_of_locale("zh@pinyin") == Language::Chinese);
  CHECK(language_of_locale("zha_CN") == Language::English);
  CHECK(language_of_locale("de_DE.UTF-8") == Language::English);
  CHECK(language_of_locale("C") == Language::English);
  CHECK(find_language("zh") == Language::Chinese);
  CHECK_FALSE(find_language("fr").has_value());
}
