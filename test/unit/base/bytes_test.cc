// Integers of either byte order, bounds that do not wrap, and text that stays in place.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/load.h"
#include "soresolve/link_map.h"

using namespace soresolve;

TEST_CASE("integers are read in the byte order that is asked for, at any address") {
  const unsigned char bytes[] = {0xff, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88};
  const unsigned char* const odd = bytes + 1;
  CHECK(load_as<std::uint16_t>(odd, std::endian::little) == 0x0201);
  CHECK(load_as<std::uint16_t>(odd, std::endian::big) == 0x0102);
  CHECK(load_as<std::uint32_t>(odd, std::endian::little) == 0x04030201);
  CHECK(load_as<std::uint32_t>(odd, std::endian::big) == 0x01020304);
  CHECK(load_as<std::uint64_t>(odd, std::endian::little) == 0x8807060504030201);
  CHECK(load_as<std::uint64_t>(odd, std::endian::big) == 0x0102030405060788);
  CHECK(load_as<std::uint8_t>(odd, std::endian::big) == 1);
}

TEST_CASE("a range lies within a size without wrapping") {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  struct Case {
    std::uint64_t offset, length, size;
    bool want;
  };
  const Case cases[] = {
      {0, 0, 0, true},           {0, 1, 0, false},      {10, 0, 10, true},    {11, 0, 10, false},
      {4, 6, 10, true},          {4, 7, 10, false},     {0, kMax, 10, false}, {kMax, 1, 10, false},
      {kMax, kMax, kMax, false}, {0, kMax, kMax, true}, {5, kMax, 10, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.offset);
    CAPTURE(c.length);
    CHECK(is_within(c.offset, c.length, c.size) == c.want);
  }
  CHECK(checked_add(kMax - 1, 1) == kMax);
  CHECK(!checked_add(kMax, 1).has_value());
}

TEST_CASE("kept text stays where it is, also when the arena moves") {
  TextArena arena;
  std::vector<std::string> texts;
  std::vector<std::string_view> views;
  for (std::size_t i = 0; i < 3000; ++i) {
    texts.emplace_back(i % 97, static_cast<char>('a' + i % 26));
    views.push_back(arena.keep(texts.back()));
  }
  texts.emplace_back(100000, 'x');  // larger than a block
  views.push_back(arena.keep(texts.back()));
  views.push_back(arena.keep(""));
  texts.emplace_back();
  const TextArena moved = std::move(arena);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (views[i] != texts[i]) FAIL("text " << i << " has changed");
  }
}
