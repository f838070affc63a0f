// Puts reads into an order in which they go through a file forwards, window by window.
//
// Each entry has an offset in its upper half and an index in the lower one. Exact order does not
// matter within a window; a full sort would cost more than the reads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace soresolve {

/// Groups `entries` by the 32 KiB in which their offsets lie, ascending, and calls
/// visit(group, first offset, last offset) for each group. `spare` is memory to work with.
template <class Visit>
void for_each_place_group(std::vector<std::uint64_t>& entries, std::vector<std::uint64_t>& spare, Visit visit) {
  constexpr unsigned kGroupBits = 32 + 15;
  constexpr std::uint64_t kMostGroups = 4096;
  if (entries.empty()) return;
  const auto [first, last] = std::minmax_element(entries.begin(), entries.end());
  const std::uint64_t base = *first >> kGroupBits;
  const std::uint64_t groups = (*last >> kGroupBits) - base + 1;
  if (groups == 1) {
    visit(std::span<const std::uint64_t>(entries), *first >> 32, *last >> 32);
    return;
  }
  if (groups > kMostGroups) {
    std::sort(entries.begin(), entries.end());
  } else {
    std::uint32_t starts[kMostGroups + 1] = {};
    for (const std::uint64_t entry : entries) ++starts[(entry >> kGroupBits) - base + 1];
    for (std::uint64_t i = 1; i < groups; ++i) starts[i] += starts[i - 1];
    spare.resize(entries.size());
    for (const std::uint64_t entry : entries) {
      spare[starts[(entry >> kGroupBits) - base]++] = entry;
    }
    entries.swap(spare);
  }
  for (std::size_t start = 0; start < entries.size();) {
    const std::uint64_t group = entries[start] >> kGroupBits;
    std::uint64_t low = entries[start] >> 32;
    std::uint64_t high = low;
    std::size_t end = start;
    for (; end < entries.size() && entries[end] >> kGroupBits == group; ++end) {
      low = std::min(low, entries[end] >> 32);
      high = std::max(high, entries[end] >> 32);
    }
    visit(std::span<const std::uint64_t>(entries).subspan(start, end - start), low, high);
    start = end;
  }
}

}  // namespace soresolve
