// Goes from block to block by the sizes in their headers: nothing is decompressed.
#include "place/zstd_frames.h"

#include <array>
#include <optional>
#include <span>

namespace soresolve {
namespace {

constexpr std::uint32_t kFrameMagic = 0xfd2fb528;
constexpr std::uint32_t kSkippableMagic = 0x184d2a50;  // the lowest four bits are free
constexpr std::uint64_t kMagicBytes = 4;
constexpr std::uint64_t kBlockHeaderBytes = 3;

/// A little-endian number of a few bytes; nullopt: the range ends before.
std::optional<std::uint32_t> number_at(const ByteRange& range, std::uint64_t at, std::size_t bytes) {
  std::array<std::byte, 4> read{};
  const std::span<std::byte> into = std::span(read).first(bytes);
  const Result<std::size_t, Errno> got = read_range(range, at, into);
  if (!got || *got != bytes) return std::nullopt;
  std::uint32_t number = 0;
  for (std::size_t i = bytes; i-- > 0;) number = number << 8 | std::to_integer<std::uint32_t>(read[i]);
  return number;
}

/// Of the frame header behind the magic number, by its first byte.
std::uint64_t header_bytes(std::uint32_t descriptor) {
  const bool is_single_segment = (descriptor & 0x20) != 0;
  const std::uint32_t content_size_code = descriptor >> 6;
  const std::uint64_t content_size = content_size_code == 0 ? (is_single_segment ? 1 : 0) : 1u << content_size_code;
  constexpr std::array<std::uint64_t, 4> kDictionaryIdBytes = {0, 1, 2, 4};
  return 1 + (is_single_segment ? 0 : 1) + kDictionaryIdBytes[descriptor & 3] + content_size;
}

/// Where the frame at `at` ends; nullopt: it is damaged.
std::optional<std::uint64_t> end_of_frame(const ByteRange& range, std::uint64_t at) {
  const std::optional<std::uint32_t> descriptor = number_at(range, at + kMagicBytes, 1);
  if (!descriptor) return std::nullopt;
  at += kMagicBytes + header_bytes(*descriptor);
  while (true) {
    const std::optional<std::uint32_t> block = number_at(range, at, kBlockHeaderBytes);
    if (!block) return std::nullopt;
    enum : std::uint32_t { kRunLength = 1, kReserved = 3 };
    const std::uint32_t type = *block >> 1 & 3;
    if (type == kReserved) return std::nullopt;
    at += kBlockHeaderBytes + (type == kRunLength ? 1 : *block >> 3);
    if ((*block & 1) != 0) break;
  }
  const bool has_checksum = (*descriptor & 4) != 0;
  return at + (has_checksum ? 4 : 0);
}

}  // namespace

std::uint64_t zstd_frames_bytes(const ByteRange& range) {
  std::uint64_t end = 0;
  while (const std::optional<std::uint32_t> magic = number_at(range, end, kMagicBytes)) {
    std::optional<std::uint64_t> next;
    if (*magic == kFrameMagic) {
      next = end_of_frame(range, end);
    } else if ((*magic & ~0xfu) == kSkippableMagic) {
      const std::optional<std::uint32_t> size = number_at(range, end + kMagicBytes, 4);
      if (size) next = end + kMagicBytes + 4 + *size;
    } else {
      break;
    }
    if (!next || *next > range.size_bytes) return range.size_bytes;
    end = *next;
  }
  return end;
}

}  // namespace soresolve
