// No code of a problem without its row, no row without words in English and in Chinese; no kind of fix without a name.
#include "soresolve/catalogue.h"
#include "unit/catalogue/has_chinese.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "catalogue/problem_rows.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {}  // namespace

TEST_CASE("every code of a problem has one row, with words in both languages") {
  std::set<std::string_view> names;
  std::set<ProblemCode> codes;
  for (const ProblemRow& row : problem_rows()) {
    const std::string_view name = code_of(row.code);
    CAPTURE(std::string(name));
    CHECK(names.insert(name).second);
    CHECK(codes.insert(row.code).second);
    CHECK(find_problem_row(name) == &row);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
    for (const Phrase& phrase : {row.meaning, row.help}) {
      CHECK_FALSE(phrase.en.empty());
      CHECK_FALSE(has_chinese(phrase.en));
      CHECK(has_chinese(phrase.zh));
    }
    CHECK(name.size() < 18);  // the column of `help codes`
    CHECK(row.meaning.en.size() < 90);
    CHECK(row.help.en.size() > row.meaning.en.size());
  }
  for (std::size_t i = 0; i <= static_cast<std::size_t>(ProblemCode::Note); ++i) {
    CAPTURE(i);
    CHECK(codes.contains(static_cast<ProblemCode>(i)));
  }
  CHECK(find_problem_row("missing") == nullptr);
}

TEST_CASE("every kind of remedy has a name") {
  for (int i = 0; i <= static_cast<int>(RemedyKind::Install); ++i) {
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
