// Errors as text, and a result's two alternatives.
#include "soresolve/result.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace soresolve;

TEST_CASE("an error reads PATH: MESSAGE (at offset 0x…), as far as it has these") {
  struct Case {
    Error error;
    std::string want;
  };
  const Case cases[] = {
      {{ErrorCode::Truncated, "/f", 0x1f4, "ends early"}, "/f: ends early (at offset 0x1f4)"},
      {{ErrorCode::Truncated, "/f", 0, "is empty"}, "/f: is empty (at offset 0x0)"},
      {{ErrorCode::Malformed, "/f", ~std::uint64_t{0}, "x"}, "/f: x (at offset 0xffffffffffffffff)"},
      {{ErrorCode::NotFound, "/f", {}, "is not there"}, "/f: is not there"},
      {{ErrorCode::Usage, "", {}, "name a file"}, "name a file"},
  };
  for (const Case& c : cases) CHECK(c.error.to_string() == c.want);
}

TEST_CASE("a result is a value or an error, never both") {
  const Result<int> good = 7;
  CHECK(good.has_value());
  CHECK(static_cast<bool>(good));
  CHECK(*good == 7);
  const Result<int> bad = Unexpected{Error{ErrorCode::Usage, {}, {}, "no"}};
  CHECK(!bad.has_value());
  CHECK(bad.error().code == ErrorCode::Usage);
  // The two types may be the same.
  const Result<std::string, std::string> same = Unexpected{std::string("error")};
  CHECK(!same.has_value());
  CHECK(same.error() == "error");
}

TEST_CASE("values that can only be moved come out whole") {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> value = std::move(result).value();
  CHECK(*value == 7);
  Result<std::unique_ptr<int>> other = std::make_unique<int>(8);
  CHECK(**other == 8);
}
