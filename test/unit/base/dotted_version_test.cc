// Versions with dots: which texts are ones, how they compare, what is within what.
#include <doctest/doctest.h>

#include <string>

#include "soresolve/dotted_version.h"

using namespace soresolve;

namespace {
DottedVersion v(std::string_view text) { return parse_dotted(text).value_or(DottedVersion{}); }
}  // namespace

TEST_CASE("versions are numbers with dots between") {
  for (const std::string_view good : {"1", "12.4", "450.80.02", "8.5.0.96"}) {
    CAPTURE(good);
    CHECK(parse_dotted(good)->text == good);
  }
  for (const std::string_view bad : {"", ".", "1.", ".1", "1..2", "v1", "1.x", "-1", "1.2.3.4.5.6.7", "99999999999"}) {
    CAPTURE(bad);
    CHECK(!parse_dotted(bad));
  }
  CHECK(leading_version("2.15.0+cu132")->text == "2.15.0");
  CHECK(leading_version("12.4.")->text == "12.4");
  CHECK(!leading_version("torch"));
}

TEST_CASE("versions are compared number by number") {
  CHECK(v("12.4") < v("12.10"));
  CHECK(v("535.54.03") == v("535.54.3"));
  CHECK(v("580") < v("580.65.06"));
  CHECK(v("13.0") > v("12.9.1"));
}

TEST_CASE("a version is within a shorter one, number by number") {
  CHECK(v("8.9.2").is_within(v("8.9")));
  CHECK(v("8.9").is_within(v("8.9")));
  CHECK(!v("8.9").is_within(v("8.9.2")));
  CHECK(!v("8.90").is_within(v("8.9")));
  CHECK(v("450.80.02").first(2).text == "450.80");
  CHECK(v("12").first(2).text == "12");
  CHECK(v("12.4").first(0).text.empty());
}

TEST_CASE("CUDA counts its releases in one number") {
  CHECK(cuda_release_of(12040).text == "12.4");
  CHECK(cuda_release_of(9010) == v("9.1"));
}
