// Finds where in a text one of many literals may stand, in one pass.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "catalogue/pattern.h"

namespace soresolve {

/// Buckets of patterns by the first four bytes of their anchors, capital or small.
class AnchorIndex {
 public:
  explicit AnchorIndex(const std::vector<Pattern>& patterns) {
    for (std::uint32_t i = 0; i < patterns.size(); ++i) {
      buckets_[bucket_of(patterns[i].anchor().data())].push_back(i);
    }
  }

  /// Calls `visit(place, pattern index)` for each place below `end` where a pattern's anchor may
  /// begin, by place, then in the order of the patterns.
  template <class Visit>
  void for_each(std::string_view text, std::size_t begin, std::size_t end, Visit visit) const {
    for (std::size_t place = begin; place < end && place + kKeyBytes <= text.size(); ++place) {
      for (const std::uint32_t pattern : buckets_[bucket_of(text.data() + place)]) {
        visit(place, pattern);
      }
    }
  }

 private:
  static constexpr std::size_t kKeyBytes = 4;
  static std::size_t bucket_of(const char* bytes) {
    std::uint32_t key = 0;
    std::memcpy(&key, bytes, kKeyBytes);
    constexpr std::uint32_t kSmall = 0x20202020U;  // makes capital letters of ASCII small ones
    return ((key | kSmall) * 2654435761U) >> 20;   // Knuth's multiplicative hash
  }
  std::array<std::vector<std::uint32_t>, 1U << 12> buckets_;
};

}  // namespace soresolve
