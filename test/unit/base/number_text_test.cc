// A number is all of its text, and fits its type.
#include "base/number_text.h"

#include <doctest/doctest.h>

#include <cstdint>

using namespace soresolve;

TEST_CASE("a number is all of its text") {
  CHECK(parse_number<int>("12") == 12);
  CHECK(parse_number<int>("-12") == -12);
  CHECK(parse_number<int>("007") == 7);
  CHECK(parse_number<double>("0.5") == 0.5);
  for (const char* const other : {"", " 1", "1 ", "+1", "1a", "a", "0x1", "1.5"}) {
    CAPTURE(other);
    CHECK_FALSE(parse_number<int>(other).has_value());
  }
}

TEST_CASE("a number fits its type") {
  CHECK(parse_number<std::uint8_t>("255") == 255);
  CHECK_FALSE(parse_number<std::uint8_t>("256").has_value());
  CHECK_FALSE(parse_number<std::uint32_t>("-1").has_value());
  CHECK(parse_number<std::uint64_t>("18446744073709551615") == UINT64_MAX);
  CHECK_FALSE(parse_number<std::uint64_t>("18446744073709551616").has_value());
}
