// Where does a word of four bytes stand? At the speed of memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace soresolve {

/// The first place at or behind `from` where the bytes of `magic` stand (as in memory, not aligned);
/// bytes.size() if there is none.
inline std::size_t find_magic(std::span<const std::byte> bytes, std::size_t from, std::uint32_t magic) {
  constexpr std::size_t kBlock = 4096;
  const auto word_at = [&](std::size_t at) {
    std::uint32_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
  };
  const std::size_t end = bytes.size() < 4 ? 0 : bytes.size() - 3;
  while (from < end) {
    const std::size_t block_end = from + kBlock < end ? from + kBlock : end;
    // No early exit inside a block: so the compiler compares many words at a time.
    std::uint32_t hits = 0;
    std::size_t at = from;
    for (; at + 4 <= block_end; at += 4) {
      hits |= static_cast<std::uint32_t>(word_at(at) == magic) | static_cast<std::uint32_t>(word_at(at + 1) == magic) |
              static_cast<std::uint32_t>(word_at(at + 2) == magic) |
              static_cast<std::uint32_t>(word_at(at + 3) == magic);
    }
    if (hits == 0 && at == block_end) {
      from = at;
      continue;
    }
    for (at = from; at < block_end; ++at) {
      if (word_at(at) == magic) return at;
    }
    from = block_end;
  }
  return bytes.size();
}

}  // namespace soresolve
