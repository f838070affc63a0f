// Eight bytes at a time come to what the definition says byte by byte.
#include <doctest/doctest.h>

#include <string>

#include "support/random.h"
#include "symbols/gnu_hash.h"

using namespace soresolve;
using namespace soresolve::test;

namespace {

std::uint32_t by_definition(const std::string& name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

}  // namespace

TEST_CASE("the hash of known names") {
  struct Case {
    const char* why;
    std::string name;
    std::uint32_t want;
  };
  const Case cases[] = {
      {"no byte", "", 0x00001505},
      {"less than eight bytes", "printf", 0x156b2bb8},
      {"more, and a rest", "flapenguin.me", 0x8ae9f18e},
  };
  for (const auto& c : cases) {
    CAPTURE(c.why);
    CHECK(gnu_hash(c.name) == c.want);
  }
}

TEST_CASE("every length, and bytes of every value, the largest in all lanes") {
  Random random(1);
  for (std::size_t size = 0; size < 70; ++size) {
    CAPTURE(size);
    CHECK(gnu_hash(std::string(size, '\xff')) == by_definition(std::string(size, '\xff')));
    std::string name(size, ' ');
    for (char& c : name) c = static_cast<char>(random.below(256));
    CHECK(gnu_hash(name) == by_definition(name));
  }
}
