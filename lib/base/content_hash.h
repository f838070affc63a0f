// Are two files equal? A hash of all bytes, for files that would have to be unpacked again to be compared.
//
// Four lanes as those of xxHash64 (Yann Collet), of which all are kept, not folded into one. It is fast, and no
// protection against somebody who wants two files to have one hash: Digest is.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "soresolve/file_system.h"

namespace soresolve {

class ContentHash {
 public:
  using Value = std::array<std::uint64_t, 5>;  ///< the lanes, and the length

  void add(std::span<const std::byte> bytes) {
    bytes_ += bytes.size();
    while (!bytes.empty()) {
      if (in_block_ == 0 && bytes.size() >= kBlockBytes) {
        take(bytes.data());
        bytes = bytes.subspan(kBlockBytes);
        continue;
      }
      const std::size_t count = std::min(kBlockBytes - in_block_, bytes.size());
      std::memcpy(block_.data() + in_block_, bytes.data(), count);
      bytes = bytes.subspan(count);
      in_block_ += count;
      if (in_block_ != kBlockBytes) continue;
      take(block_.data());
      in_block_ = 0;
    }
  }
  /// Nothing can be added afterwards.
  [[nodiscard]] Value finish() {
    if (in_block_ != 0) {
      std::fill(block_.begin() + static_cast<std::ptrdiff_t>(in_block_), block_.end(), std::byte{0});
      take(block_.data());
    }
    return {lanes_[0], lanes_[1], lanes_[2], lanes_[3], bytes_};
  }

 private:
  static constexpr std::size_t kBlockBytes = 32;
  static constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87u;
  static constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fu;

  void take(const std::byte* block) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, block + i * sizeof word, sizeof word);
      lanes_[i] = std::rotl(lanes_[i] + word * kPrime2, 31) * kPrime1;
    }
  }

  std::array<std::uint64_t, 4> lanes_ = {kPrime1 + kPrime2, kPrime2, 1, 0 - kPrime1};
  std::array<std::byte, kBlockBytes> block_{};
  std::size_t in_block_ = 0;
  std::uint64_t bytes_ = 0;
};

/// A file whose hash was made as it was unpacked; nullopt: it was not.
class HashedFile : public File {
 public:
  [[nodiscard]] virtual std::optional<ContentHash::Value> hash() const = 0;

 protected:
  using File::File;
};

}  // namespace soresolve
