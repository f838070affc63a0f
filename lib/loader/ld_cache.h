// /etc/ld.so.cache as the loader searches it.
//
// Formats: the old one ("ld.so-1.7.0"), the new one ("glibc-ld.so.cache1.1"), the new one hidden
// behind an old one, and the extension with glibc-hwcaps names (glibc sysdeps/generic/dl-cache.h).
// Lookup follows elf/dl-cache.c:_dl_load_cache_lookup of the release that the rules describe,
// binary search and its corners included.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loader/loader_rules.h"
#include "soresolve/elf.h"
#include "soresolve/result.h"

namespace soresolve {

struct LoaderRules;

/// What the process can run, as the cache asks for it.
struct CacheQuery {
  /// Active glibc-hwcaps names, best first: prepended ones, then the built-in ones.
  std::span<const std::string> hwcaps;
  std::uint32_t isa_level_bits = 1;   ///< x86: baseline 1, v2 2, v3 4, v4 8
  std::uint64_t legacy_hwcap = 0;     ///< usable legacy hwcap bits, masked
  std::uint64_t legacy_platform = 0;  ///< the platform's bit in 48…51, or 0
  std::uint32_t os_version = 0;       ///< kernel version, 0 when it is not tested
};

/// One entry, with its strings.
struct CacheEntry {
  std::string_view key;
  std::string_view value;
  std::int32_t flags = 0;
  std::uint32_t os_version = 0;
  std::uint64_t hwcap = 0;
  std::string_view hwcaps_name;   ///< glibc-hwcaps subdirectory; empty for a plain entry
  std::uint64_t file_offset = 0;  ///< of the entry
};

enum class CacheFormat : std::uint8_t { Old, New, Compat };

/// A parsed cache. It owns the bytes; entries borrow from it.
class LdCache {
 public:
  LdCache() = default;

  /// Interprets `bytes` as the loader described by `rules` and `target` does. An error says why
  /// that loader ignores the file (which is not fatal to it).
  static Result<LdCache> parse(std::string_view bytes, const LoaderRules& rules, const ElfTarget& target,
                               std::string_view path);
  /// The same without a copy: `bytes` has room for one more character behind `size`.
  static Result<LdCache> adopt(std::unique_ptr<char[]> bytes, std::size_t size, const LoaderRules& rules,
                               const ElfTarget& target, std::string_view path);

  /// The one path that the loader tries for `soname`, if there is one.
  [[nodiscard]] std::optional<std::string_view> lookup(std::string_view soname, const CacheQuery& query) const;

  /// Number of entries that the loader searches.
  [[nodiscard]] std::size_t size() const { return count_; }
  /// The entry at `index` < size(); nullopt when its strings lie outside the file.
  [[nodiscard]] std::optional<CacheEntry> entry(std::size_t index) const;
  [[nodiscard]] CacheFormat format() const { return format_; }
  /// "ldconfig (…) release version 2.36", where the extension has it.
  [[nodiscard]] std::string_view generator() const { return generator_; }

  /// Is an entry with these flags one for the loader's machine?
  [[nodiscard]] bool is_for_target(std::int32_t flags) const;

 private:
  struct RawEntry;
  /// Entries whose keys equal a name. Those behind `known` are still to be compared, up to `last`.
  struct Matches {
    std::int64_t first = 0;
    std::int64_t known = 0;
    std::int64_t last = 0;
  };
  void follow(const LoaderRules& rules, const ElfTarget& target);
  std::optional<Error> find_entries(const LoaderRules& rules, std::string_view path);
  [[nodiscard]] std::optional<Error> check_byte_order(std::string_view path) const;
  [[nodiscard]] std::uint32_t word(std::uint64_t offset) const;
  [[nodiscard]] bool has_magic(std::uint64_t offset, std::string_view magic) const;
  [[nodiscard]] std::optional<int> compare_at(std::string_view soname, std::int64_t index) const;
  [[nodiscard]] std::optional<Matches> find_key(std::string_view soname) const;
  [[nodiscard]] bool is_allowed(const RawEntry& entry, bool is_plain, const CacheQuery& query) const;
  [[nodiscard]] std::optional<std::size_t> hwcaps_priority(std::uint64_t hwcap, const CacheQuery& query) const;
  [[nodiscard]] RawEntry raw(std::size_t index) const;
  [[nodiscard]] std::optional<std::string_view> string_at(std::uint64_t offset) const;
  [[nodiscard]] std::optional<std::string_view> hwcaps_name(std::uint64_t hwcap) const;
  void read_extension();

  std::shared_ptr<const char[]> bytes_;  ///< size_ bytes and a NUL; copies share them
  std::size_t size_ = 0;
  CacheFormat format_ = CacheFormat::New;
  bool old_entries_ = false;
  bool old_merge_ = false;      ///< release up to 2.32: first match unless an exact one follows
  bool reject_legacy_ = false;  ///< release 2.40 and later
  bool test_os_version_ = false;
  bool named_entries_ = false;  ///< release 2.33 and later
  std::endian order_ = std::endian::little;
  std::uint16_t machine_ = 0;
  std::int32_t accepted_flags_[2] = {0, 0};
  std::int32_t default_flags_ = 0;
  std::uint64_t header_offset_ = 0;  ///< of the section that is searched
  std::uint64_t entries_offset_ = 0;
  std::uint64_t string_base_ = 0;
  std::size_t count_ = 0;
  std::vector<std::string_view> hwcaps_names_;
  bool hwcaps_readable_ = false;
  std::string_view generator_;
};

/// The order of cache keys: digit runs compare as numbers, a digit is greater than a non-digit
/// (glibc elf/dl-cache.c:_dl_cache_libcmp). Negative, zero or positive.
/// Bytes above 0x7f are negative where the machine's `char` is signed.
enum class CharSign : std::uint8_t { Signed, Unsigned };
int compare_cache_keys(std::string_view left, std::string_view right, CharSign sign = CharSign::Signed);

}  // namespace soresolve
