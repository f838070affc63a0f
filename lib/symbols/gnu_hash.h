// DT_GNU_HASH's function: h = h * 33 + c for each byte, from 5381.
//
// C++ names have a hundred bytes and more, and a closure like torch's has some 14 MB of them. Byte by
// byte each step waits for the one before it; here eight bytes are added up first, two, four and
// eight at a time in one register, and the hash waits once for all of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/load.h"

namespace soresolve {

inline std::uint32_t gnu_hash(std::string_view name) {
  constexpr std::uint32_t k33To2 = 33 * 33;
  constexpr std::uint32_t k33To4 = k33To2 * k33To2;
  constexpr std::uint32_t k33To8 = k33To4 * k33To4;  // modulo 2^32, as all of it
  constexpr std::uint64_t kBytes = 0x00ff00ff00ff00ff;
  constexpr std::uint64_t kPairs = 0x0000ffff0000ffff;
  std::uint32_t hash = 5381;
  std::size_t at = 0;
  for (; name.size() - at >= 8; at += 8) {
    const auto eight = load_as<std::uint64_t>(name.data() + at, std::endian::little);
    // No lane overflows: a pair is at most 255 * 34, a quad 255 * 34 * 1090.
    const std::uint64_t pairs = (eight & kBytes) * 33 + (eight >> 8 & kBytes);
    const std::uint64_t quads = (pairs & kPairs) * k33To2 + (pairs >> 16 & kPairs);
    hash = hash * k33To8 + static_cast<std::uint32_t>(quads) * k33To4 + static_cast<std::uint32_t>(quads >> 32);
  }
  for (; at < name.size(); ++at) hash = hash * 33 + static_cast<unsigned char>(name[at]);
  return hash;
}

}  // namespace soresolve
