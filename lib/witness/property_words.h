// The properties of a NT_GNU_PROPERTY_TYPE_0 note that are words of flags. LIEF 0.9 hands out such a
// note as bytes.
//
// Source: "Linux Extensions to gABI", .note.gnu.property: an array of {type, size, data}, padded to
// the size of an address.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "witness/lief_facts.h"

namespace soresolve::witness {

inline std::vector<Property> property_words(const std::vector<std::uint8_t>& bytes, bool is_64, bool is_big_endian) {
  const auto word_at = [&](std::size_t at) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) word |= std::uint32_t{bytes[at + i]} << 8 * (is_big_endian ? 3 - i : i);
    return word;
  };
  std::vector<Property> properties;
  const std::size_t alignment = is_64 ? 8 : 4;
  for (std::size_t at = 0; bytes.size() - at >= 8;) {
    const std::uint32_t type = word_at(at);
    const std::size_t size = word_at(at + 4);
    at += 8;
    if (size > bytes.size() - at) break;
    if (size == 4) properties.push_back({type, word_at(at)});
    at += size;
    const std::size_t padding = (alignment - at % alignment) % alignment;
    if (padding > bytes.size() - at) break;
    at += padding;
  }
  return properties;
}

}  // namespace soresolve::witness
