// A table of names is read in both directions, and what is no enumerator has no name.
#include "base/enum_names.h"

#include <doctest/doctest.h>

#include <cstdint>

#include "soresolve/diagnose.h"

using namespace soresolve;

namespace soresolve {
namespace {

enum class Metal : std::uint8_t { Iron, Tin, Zinc9 };

std::string_view name_of(Metal metal) {
  using enum Metal;
  static constexpr auto kNames = enum_names<Metal>({{Iron, "iron"}, {Tin, "tin"}, {Zinc9, "zinc"}});
  return kNames[metal];
}

// What makes a table with too few or too many rows a mistake of the compiler's.
static_assert(is_enumerator<Metal::Zinc9>());
static_assert(!is_enumerator<static_cast<Metal>(3)>());
static_assert(is_enumerator<RemedyVerdict::Untried>());
static_assert(!is_enumerator<static_cast<RemedyVerdict>(4)>());

}  // namespace
}  // namespace soresolve

TEST_CASE("an enumerator has the name of its row, anything else has none") {
  CHECK(name_of(Metal::Iron) == "iron");
  CHECK(name_of(Metal::Zinc9) == "zinc");
  CHECK(name_of(static_cast<Metal>(3)).empty());
}

TEST_CASE("a name leads back to its enumerator") {
  CHECK(find_named<Metal>("iron") == Metal::Iron);
  CHECK(find_named<Metal>("zinc") == Metal::Zinc9);
  CHECK(find_named<RemedyVerdict>("untried") == RemedyVerdict::Untried);
  CHECK_FALSE(find_named<Metal>("gold").has_value());
  CHECK_FALSE(find_named<Metal>("").has_value());
}
