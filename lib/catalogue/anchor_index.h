// Finds where in a text one of many literals may stand, in one pass.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalogue/pattern.h"

namespace soresolve {

/// Buckets of patterns by the first four bytes of their anchors, capital or small.
class AnchorIndex {
 public:
  explicit AnchorIndex(const std::vector<Pattern>& patterns) {
    std::unordered_map<std::string_view, std::uint32_t> anchors;
    for (std::uint32_t i = 0; i < patterns.size(); ++i) {
      const std::string_view anchor = patterns[i].anchor();
      const auto number = static_cast<std::uint32_t>(anchors.size());
      // One text is two anchors: with quotation marks, and with or without.
      const std::uint32_t text = anchors.try_emplace(anchor, number).first->second;
      buckets_[bucket_of(anchor.data())].push_back({&patterns[i], i, 2 * text + patterns[i].anchor_needs_quotes()});
    }
    anchors_ = 2 * anchors.size();
  }

  /// Calls `visit(place, pattern index, length of its anchor)` for each place below `end` where a pattern's anchor
  /// begins, by place, then in the order of the patterns.
  template <class Visit>
  void for_each(std::string_view text, std::size_t begin, std::size_t end, Visit visit) const {
    // Many patterns have one anchor, which is compared once.
    struct Known {
      std::size_t place = std::string_view::npos;
      std::optional<std::size_t> length;
    };
    std::vector<Known> lengths(anchors_);
    for (std::size_t place = begin; place < end && place + kKeyBytes <= text.size(); ++place) {
      for (const Entry& entry : buckets_[bucket_of(text.data() + place)]) {
        Known& known = lengths[entry.anchor];
        if (known.place != place) known = {place, entry.pattern->anchor_length(text.substr(place))};
        if (known.length) visit(place, entry.index, *known.length);
      }
    }
  }

 private:
  static constexpr std::size_t kKeyBytes = 4;
  struct Entry {
    const Pattern* pattern = nullptr;
    std::uint32_t index = 0;
    std::uint32_t anchor = 0;  ///< the same number: the same bytes fit
  };
  static std::size_t bucket_of(const char* bytes) {
    std::uint32_t key = 0;
    std::memcpy(&key, bytes, kKeyBytes);
    constexpr std::uint32_t kSmall = 0x20202020U;  // makes capital letters of ASCII small ones
    return ((key | kSmall) * 2654435761U) >> 20;   // Knuth's multiplicative hash
  }
  std::array<std::vector<Entry>, 1U << 12> buckets_;
  std::size_t anchors_ = 0;
};

}  // namespace soresolve
