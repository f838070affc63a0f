// Writes /etc/ld.so.cache in each of its formats, in ldconfig's order, or damaged on request.
//
// Format: glibc sysdeps/generic/dl-cache.h; order: glibc elf/cache.c:compare. The comparison of keys
// is written down here a second time on purpose: lib/ must not be its own judge.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/elf_writer.h"

namespace soresolve::test {

inline constexpr std::int32_t kCacheFlagsX86_64 = 0x303;

struct CacheLine {
  std::string key;    ///< SONAME
  std::string value;  ///< path
  std::int32_t flags = kCacheFlagsX86_64;
  std::uint32_t os_version = 0;
  std::uint64_t legacy_hwcap = 0;
  std::string hwcaps_name;      ///< glibc-hwcaps subdirectory; empty for a plain entry
  std::uint32_t isa_level = 0;  ///< of a named entry, in bits 32…41
  bool operator==(const CacheLine&) const = default;
};

enum class CacheLayout : std::uint8_t { Old, New, Compat };
enum class CacheOrder : std::uint8_t { Sorted, AsGiven };

struct CacheSpec {
  CacheLayout layout = CacheLayout::New;
  CacheOrder order = CacheOrder::Sorted;
  Endian endian = Endian::Little;
  std::size_t header_alignment = 8;  ///< of the new header behind an old part: that of a 64-bit number
  std::vector<CacheLine> lines;
  std::uint8_t endian_flag = 2;        ///< 0 unset, 1 invalid, 2 little, 3 big
  std::optional<std::uint32_t> count;  ///< nlibs, if it is to be wrong
  bool has_extension = true;           ///< with the generator and the hwcaps names
  std::vector<BytePatch> patches;
  std::optional<std::uint64_t> truncate_to_bytes;
  bool operator==(const CacheSpec&) const = default;
};

std::string_view name_of(CacheLayout layout);

/// The bytes of the file.
std::string write_cache(const CacheSpec& spec);

/// Order of keys: digit runs are numbers, a digit is greater than anything else (elf/dl-cache.c:
/// _dl_cache_libcmp).
int cache_key_order(std::string_view left, std::string_view right);

}  // namespace soresolve::test
