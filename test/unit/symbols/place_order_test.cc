// Reads that go through a file forwards, group by group.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/random.h"
#include "symbols/place_order.h"

using namespace soresolve;

namespace {

struct Group {
  std::vector<std::uint32_t> indices;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

std::vector<Group> groups_of(const std::vector<std::uint64_t>& offsets) {
  std::vector<std::uint64_t> entries;
  for (std::size_t i = 0; i < offsets.size(); ++i) entries.push_back(offsets[i] << 32 | i);
  std::vector<std::uint64_t> spare;
  std::vector<Group> groups;
  for_each_place_group(entries, spare,
                       [&](std::span<const std::uint64_t> group, std::uint64_t first, std::uint64_t last) {
                         Group seen{{}, first, last};
                         for (const std::uint64_t entry : group) {
                           CHECK(offsets[entry & 0xffffffff] == entry >> 32);
                           seen.indices.push_back(static_cast<std::uint32_t>(entry));
                         }
                         groups.push_back(seen);
                       });
  return groups;
}

}  // namespace

TEST_CASE("each place is visited once, in groups that ascend") {
  struct Case {
    const char* why;
    std::vector<std::uint64_t> offsets;
    std::size_t groups;
  };
  const Case cases[] = {
      {"nothing", {}, 0},
      {"one", {77}, 1},
      {"within 32 KiB any order will do", {300, 5, 200}, 1},
      {"two groups", {40000, 5, 50000, 6}, 2},
      {"far apart", {0, 0xffffffff}, 2},
      {"the same place twice", {9, 9}, 1},
      {"more groups than are counted", {0xffff0000, 1, 0x80000000, 0x10000000}, 4},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    const std::vector<Group> groups = groups_of(c.offsets);
    CHECK(groups.size() == c.groups);
    std::size_t count = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      count += groups[i].indices.size();
      CHECK(groups[i].last - groups[i].first < 32768);
      if (i > 0) CHECK(groups[i - 1].last < groups[i].first);
    }
    CHECK(count == c.offsets.size());
  }
}
