// PEP 440. The table is what Python's packaging says, with prereleases=True.
#include "packages/wheel_version.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

using namespace soresolve;

TEST_CASE("a version meets a clause as packaging has it") {
  constexpr std::array<std::string_view, 15> kClauses = {"==1.0",   "!=1.0",   "<=1.0",   ">=1.0",   "<1.0",
                                                         ">1.0",    "~=1.0",   "==1.0.*", "!=1.0.*", "==1.0+cu124",
                                                         ">1.0rc1", "<1.0rc1", "~=1.0.1", "<2.0",    "==1!0.5"};
  struct Case {
    std::string version;
    std::string_view meets;  ///< one digit for each clause
  };
  const Case cases[] = {
      {"1.0", "101100110010010"},       {"1.0.0", "101100110010010"},     {"1.0.1", "010101110010110"},
      {"1.0rc1", "011000010000010"},    {"1.0.dev3", "011000010001010"},  {"1.0a2.dev1", "011000010001010"},
      {"1.0.post1", "010100110000010"}, {"1.0+cu124", "101100110100010"}, {"1.0-1", "010100110000010"},
      {"1!0.5", "010101001010001"},     {"1.1", "010101101010010"},       {"v1.0.0", "101100110010010"},
      {"2.0rc1", "010101001010000"},    {"2.0.dev0", "010101001010000"},  {"0.9", "011010001001010"},
  };
  for (const Case& c : cases) {
    REQUIRE(c.meets.size() == kClauses.size());
    for (std::size_t i = 0; i < kClauses.size(); ++i) {
      CAPTURE(c.version);
      CAPTURE(kClauses[i]);
      CHECK(meets_clause(c.version, kClauses[i]) == (c.meets[i] == '1'));
    }
  }
}

TEST_CASE("what is no version of PEP 440 is not judged") {
  struct Case {
    std::string version;
    std::string clause;
  };
  const Case cases[] = {{"rc", "<9"},     {"1.0-foo", "<9"},
                        {"1.0", "==x"},   {"1.0", "===1.0"},
                        {"1.0", "~=1"},   {"1.0", "1.0"},
                        {"1.0", ""},      {"", "==1.0"},
                        {"1.0", ">=1.*"}, {"1.0", "==1.0rc1.*"},
                        {"1..0", "<9"},   {"1.0.", "<9"},
                        {"1.0 1", "<9"},  {"99999999999999999999999", ">1"}};
  for (const Case& c : cases) {
    CAPTURE(c.version);
    CAPTURE(c.clause);
    CHECK_FALSE(meets_clause(c.version, c.clause).has_value());
  }
}
