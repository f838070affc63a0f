// Integers of either byte order out of raw memory. Knows no format; the caller checks bounds first.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace soresolve {

/// Reads one unsigned integer of sizeof(T) bytes at `from`, which need not be aligned.
template <class T>
T load_as(const void* from, std::endian order) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if (order == std::endian::native) return value;
  if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(value));
  if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(value));
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(value));
  return value;
}

/// a + b, unless it wraps.
inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

/// Does [offset, offset + length) lie within `size` bytes?
inline bool is_within(std::uint64_t offset, std::uint64_t length, std::uint64_t size) {
  return offset <= size && length <= size - offset;
}

}  // namespace soresolve
