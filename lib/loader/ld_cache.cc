// Parses each format of the cache and finds a name by binary search over descending keys. Source: glibc
// elf/dl-cache.c:_dl_load_cache_lookup, search_cache, _dl_cache_libcmp; up to 2.32 its older choice among equal keys.
// Damage has the effect that it has in the loader's mapped copy. Writing: cache_writer.cc.
#include "loader/ld_cache.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/load.h"
#include "loader/cache_flags.h"
#include "loader/loader_rules.h"

namespace soresolve {
namespace {

constexpr std::string_view kOldMagic = "ld.so-1.7.0";
constexpr std::string_view kNewMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kOldHeaderBytes = 16;
constexpr std::size_t kOldEntryBytes = 12;
constexpr std::size_t kNewHeaderBytes = 48;
constexpr std::size_t kNewEntryBytes = 24;
constexpr std::uint32_t kTagGenerator = 0;
constexpr std::uint32_t kTagHwcaps = 1;

constexpr std::uint64_t kHwcapNamed = std::uint64_t{1} << 62;
constexpr std::uint64_t kHwcapIsaMask = std::uint64_t{0x3ff} << 32;
constexpr std::uint64_t kHwcapPlatformMask = std::uint64_t{0xf} << 48;
constexpr std::uint64_t kHwcapTls = std::uint64_t{1} << 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Characters of a view, with the NUL behind the last one that the loader's strings have.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}
  [[nodiscard]] char peek() const { return at_ == end_ ? '\0' : *at_; }
  void step() { ++at_; }
  /// The value of a digit run as the loader computes it: an int that may wrap.
  int take_number() {
    std::uint32_t value = 0;
    while (is_digit(peek())) {
      value = value * 10 + static_cast<std::uint32_t>(peek() - '0');
      step();
    }
    return static_cast<int>(value);
  }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace

int compare_cache_keys(std::string_view left_text, std::string_view right_text, CharSign sign) {
  Cursor left(left_text);
  Cursor right(right_text);
  while (left.peek() != '\0') {
    const char l = left.peek();
    const char r = right.peek();
    if (is_digit(l) && is_digit(r)) {
      const int left_number = left.take_number();
      const int right_number = right.take_number();
      if (left_number != right_number) return left_number < right_number ? -1 : 1;
    } else if (is_digit(l)) {
      return 1;
    } else if (is_digit(r)) {
      return -1;
    } else if (l != r) {
      const auto value = [sign](char c) {
        return sign == CharSign::Signed ? int{static_cast<signed char>(c)} : int{static_cast<unsigned char>(c)};
      };
      return value(l) - value(r);
    } else {
      left.step();
      right.step();
    }
  }
  return right.peek() == '\0' ? 0 : sign == CharSign::Unsigned || static_cast<signed char>(right.peek()) > 0 ? -1 : 1;
}

namespace {

/// By the psABIs.
CharSign char_sign(std::uint16_t machine) {
  switch (machine) {
    case EM_AARCH64:
    case EM_ARM:
    case EM_PPC64:
    case EM_PPC:
    case EM_S390:
    case EM_RISCV: return CharSign::Unsigned;
    default: return CharSign::Signed;
  }
}

Error malformed_cache(std::string_view path, std::uint64_t offset, std::string message) {
  return {ErrorCode::Malformed, std::string(path), offset, std::move(message)};
}

}  // namespace

struct LdCache::RawEntry {
  std::int32_t flags = 0;
  std::uint32_t key = 0;
  std::uint32_t value = 0;
  std::uint32_t os_version = 0;
  std::uint64_t hwcap = 0;
  bool is_inside = false;  ///< the entry itself lies in the file
};

Result<LdCache> LdCache::parse(std::string_view bytes, const LoaderRules& rules, const ElfTarget& target,
                               std::string_view path) {
  auto copy = std::make_unique_for_overwrite<char[]>(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return adopt(std::move(copy), bytes.size(), rules, target, path);
}

Result<LdCache> LdCache::adopt(std::unique_ptr<char[]> bytes, std::size_t size, const LoaderRules& rules,
                               const ElfTarget& target, std::string_view path) {
  LdCache cache;
  bytes[size] = '\0';  // every string in it ends
  cache.bytes_ = std::move(bytes);
  cache.size_ = size;
  cache.follow(rules, target);
  std::optional<Error> error = cache.find_entries(rules, path);
  if (!error && !cache.old_entries_) error = cache.check_byte_order(path);
  if (error) return Unexpected{std::move(*error)};
  if (cache.old_entries_) return cache;
  cache.count_ = std::min<std::size_t>(cache.count_, 0x7fffffff);
  if (rules.cache_has_extension) cache.read_extension();
  return cache;
}

/// What a search depends on beside the bytes.
void LdCache::follow(const LoaderRules& rules, const ElfTarget& target) {
  order_ = target.byte_order;
  machine_ = target.machine;
  const AcceptedFlags accepted = cache_flags_for(target);
  accepted_flags_[0] = accepted.first;
  accepted_flags_[1] = accepted.second;
  default_flags_ = accepted.exact;
  old_merge_ = !rules.cache_has_extension;
  reject_legacy_ = rules.cache_rejects_legacy;
  test_os_version_ = rules.tests_abi_note;
  named_entries_ = rules.cache_has_extension;
}

std::uint32_t LdCache::word(std::uint64_t offset) const {
  return load_as<std::uint32_t>(bytes_.get() + offset, order_);
}

bool LdCache::has_magic(std::uint64_t offset, std::string_view magic) const {
  return is_within(offset, magic.size(), size_) && std::memcmp(bytes_.get() + offset, magic.data(), magic.size()) == 0;
}

/// Finds the format, and where its entries and strings begin. An error where the loader ignores the file.
std::optional<Error> LdCache::find_entries(const LoaderRules& rules, std::string_view path) {
  const auto too_many = [&](std::uint64_t offset, std::uint32_t count) {
    return malformed_cache(path, offset,
                           "announces " + std::to_string(count) + " entries, more than its " + std::to_string(size_) +
                               " bytes can hold; the loader ignores it");
  };
  if (size_ > kNewHeaderBytes && has_magic(0, kNewMagic)) {
    const std::uint32_t count = word(20);
    if (count > (size_ - kNewHeaderBytes) / kNewEntryBytes && rules.cache_checks_new_count) return too_many(20, count);
    format_ = CacheFormat::New;
    count_ = count;
  } else if (size_ > kOldHeaderBytes && has_magic(0, kOldMagic)) {
    const std::uint32_t count = word(12);
    if (count > (size_ - kOldHeaderBytes) / kOldEntryBytes) return too_many(12, count);
    const std::uint64_t entries_end = kOldHeaderBytes + std::uint64_t{count} * kOldEntryBytes;
    const std::uint64_t alignment = machine_ == EM_386 ? 4 : 8;
    const std::uint64_t inner = (entries_end + alignment - 1) / alignment * alignment;
    if (is_within(inner, kNewHeaderBytes, size_) && has_magic(inner, kNewMagic)) {
      format_ = CacheFormat::Compat;
      header_offset_ = inner;
      count_ = word(inner + 20);
    } else {
      format_ = CacheFormat::Old;
      old_entries_ = true;
      entries_offset_ = kOldHeaderBytes;
      string_base_ = entries_end;
      count_ = count;
      return std::nullopt;
    }
  } else {
    return malformed_cache(path, 0,
                           "is not an ld.so.cache: neither \"ld.so-1.7.0\" nor \"glibc-ld.so.cache1.1\" stands "
                           "at its beginning; the loader ignores it");
  }
  entries_offset_ = header_offset_ + kNewHeaderBytes;
  string_base_ = header_offset_;
  return std::nullopt;
}

/// Since 2.33 the header names the byte order; Debian's 2.31 has it as well. Before that ldconfig left the byte 0.
std::optional<Error> LdCache::check_byte_order(std::string_view path) const {
  const std::uint64_t offset = header_offset_ + 28;
  const unsigned endianness = static_cast<unsigned char>(bytes_[static_cast<std::ptrdiff_t>(offset)]) & 3;
  const unsigned own = order_ == std::endian::little ? 2 : 3;
  if (endianness == 0 || endianness == own) return std::nullopt;
  return malformed_cache(path, offset,
                         "is marked as written for the other byte order (endianness field " +
                             std::to_string(endianness) + "); the loader ignores it");
}

/// The extension directory. Damage in it leaves the plain entries usable.
void LdCache::read_extension() {
  const std::uint64_t size = size_;
  const char* data = bytes_.get();
  const std::uint64_t start = word(header_offset_ + 32);
  if (start == 0 || start % 4 != 0 || !is_within(start, 8, size)) return;
  if (word(start) != kExtensionMagic) return;
  const std::uint64_t count = word(start + 4);
  if (!is_within(start + 8, count * 16, size)) return;
  std::vector<std::string_view> names;
  std::string_view generator;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t section = start + 8 + i * 16;
    const std::uint32_t tag = word(section);
    const std::uint64_t offset = word(section + 8);
    const std::uint64_t bytes = word(section + 12);
    if (!is_within(offset, bytes, size)) return;
    if (tag == kTagGenerator) generator = std::string_view(data + offset, bytes);
    if (tag != kTagHwcaps) continue;
    names.clear();
    for (std::uint64_t at = offset; at + 4 <= offset + bytes; at += 4) {
      const std::uint64_t name = word(at);
      names.push_back(name < size ? std::string_view(data + name) : std::string_view());
    }
  }
  hwcaps_names_ = std::move(names);
  hwcaps_readable_ = true;
  generator_ = generator;
}

LdCache::RawEntry LdCache::raw(std::size_t index) const {
  const std::uint64_t entry_bytes = old_entries_ ? kOldEntryBytes : kNewEntryBytes;
  const std::uint64_t offset = entries_offset_ + index * entry_bytes;
  RawEntry entry;
  // The loader maps the file: behind its end the last page reads as zero.
  constexpr std::uint64_t page = 4096;
  if (!is_within(offset, entry_bytes, (size_ + page - 1) / page * page)) return entry;
  const char* at = bytes_.get() + offset;
  std::array<char, kNewEntryBytes> cut{};
  if (!is_within(offset, entry_bytes, size_)) {
    if (offset < size_) std::copy_n(at, size_ - offset, cut.data());
    at = cut.data();
  }
  entry.is_inside = true;
  entry.flags = static_cast<std::int32_t>(load_as<std::uint32_t>(at, order_));
  entry.key = load_as<std::uint32_t>(at + 4, order_);
  entry.value = load_as<std::uint32_t>(at + 8, order_);
  if (!old_entries_) {
    entry.os_version = load_as<std::uint32_t>(at + 12, order_);
    entry.hwcap = load_as<std::uint64_t>(at + 16, order_);
  }
  return entry;
}

std::optional<std::string_view> LdCache::string_at(std::uint64_t offset) const {
  const std::uint64_t at = string_base_ + offset;
  // Since 2.33 the offset is held against the size of the whole file, also where the strings do not
  // count from its start; what lies behind the end then reads as an empty string.
  if (named_entries_ && !old_entries_ && offset < size_ && at >= size_) return std::string_view();
  if (at >= size_) return std::nullopt;
  return std::string_view(bytes_.get() + at);
}

bool LdCache::is_for_target(std::int32_t flags) const {
  return flags == accepted_flags_[0] || flags == accepted_flags_[1];
}

namespace {

bool is_named(std::uint64_t hwcap) { return (hwcap & ~(kHwcapIsaMask | 0xffffffffu)) == kHwcapNamed; }
unsigned isa_level(std::uint64_t hwcap) { return static_cast<unsigned>(hwcap >> 32 & 0x3ff); }

}  // namespace

std::optional<std::string_view> LdCache::hwcaps_name(std::uint64_t hwcap) const {
  const std::size_t index = hwcap & 0xffffffffu;
  if (index >= hwcaps_names_.size()) return std::nullopt;
  return hwcaps_names_[index];
}

std::optional<CacheEntry> LdCache::entry(std::size_t index) const {
  const RawEntry from = raw(index);
  if (!from.is_inside) return std::nullopt;
  const std::optional<std::string_view> key = string_at(from.key);
  const std::optional<std::string_view> value = string_at(from.value);
  if (!key || !value) return std::nullopt;
  CacheEntry entry{*key, *value, from.flags, from.os_version, from.hwcap, {}, 0};
  entry.file_offset = entries_offset_ + index * (old_entries_ ? kOldEntryBytes : kNewEntryBytes);
  if (is_named(from.hwcap)) entry.hwcaps_name = hwcaps_name(from.hwcap).value_or("?");
  return entry;
}

/// The order of the name and the key at `index`; nullopt where the entry or its key lies outside the file.
std::optional<int> LdCache::compare_at(std::string_view soname, std::int64_t index) const {
  const RawEntry entry = raw(static_cast<std::size_t>(index));
  if (!entry.is_inside) return std::nullopt;
  const std::optional<std::string_view> key = string_at(entry.key);
  if (!key) return std::nullopt;
  return compare_cache_keys(soname, *key, char_sign(machine_));
}

/// The binary search of search_cache, for keys that descend. Indices are signed as in the loader: `right` can become
/// -1.
std::optional<LdCache::Matches> LdCache::find_key(std::string_view soname) const {
  std::int64_t left = 0;
  std::int64_t right = static_cast<std::int64_t>(count_) - 1;
  while (left <= right) {
    const std::int64_t middle = (left + right) / 2;
    const std::optional<int> order = compare_at(soname, middle);
    if (!order) return std::nullopt;  // a key outside the file ends the search
    if (*order == 0) {
      std::int64_t first = middle;
      while (first > 0 && compare_at(soname, first - 1) == 0) --first;
      return Matches{first, middle, right};
    }
    if (*order < 0) {
      left = middle + 1;
    } else {
      right = middle - 1;
    }
  }
  return std::nullopt;
}

/// Do kernel, CPU and platform allow the entry? One of the old format has no conditions: its fields are zero.
bool LdCache::is_allowed(const RawEntry& entry, bool is_plain, const CacheQuery& query) const {
  if (is_plain) {
    const std::uint64_t allowed = reject_legacy_ ? 0 : query.legacy_hwcap | kHwcapPlatformMask | kHwcapTls;
    if ((entry.hwcap & ~allowed) != 0) return false;
  } else if ((query.isa_level_bits >> std::min(isa_level(entry.hwcap), 31u) & 1) == 0) {
    return false;
  }
  const bool tests_os_version = (old_merge_ || test_os_version_) && query.os_version != 0;
  if (tests_os_version && entry.os_version > query.os_version) return false;
  const std::uint64_t platform = entry.hwcap & kHwcapPlatformMask;
  return platform == 0 || platform == query.legacy_platform;
}

/// The place of a glibc-hwcaps entry among the active names, 0 for the best; nullopt: its name is not active.
std::optional<std::size_t> LdCache::hwcaps_priority(std::uint64_t hwcap, const CacheQuery& query) const {
  const std::optional<std::string_view> name = hwcaps_name(hwcap);
  if (!name) return std::nullopt;
  const auto at = std::find(query.hwcaps.begin(), query.hwcaps.end(), *name);
  if (at == query.hwcaps.end()) return std::nullopt;
  return static_cast<std::size_t>(at - query.hwcaps.begin());
}

std::optional<std::string_view> LdCache::lookup(std::string_view soname, const CacheQuery& query) const {
  const std::optional<Matches> matches = find_key(soname);
  if (!matches) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_priority = 0;
  for (std::int64_t index = matches->first; index <= matches->last; ++index) {
    if (index > matches->known && compare_at(soname, index) != 0) break;
    const RawEntry entry = raw(static_cast<std::size_t>(index));
    if (!is_for_target(entry.flags)) continue;
    const std::optional<std::string_view> value = string_at(entry.value);
    if (!value) continue;
    const bool is_exact = entry.flags == default_flags_;
    const bool is_plain = old_merge_ || old_entries_ || !is_named(entry.hwcap);
    if (best && old_merge_ && !is_exact) continue;  // up to 2.32 the first stays, unless an exact one comes
    if (best && is_plain && !old_merge_ && !old_entries_) break;  // named entries come first and are exhausted
    if (!is_allowed(entry, is_plain, query)) continue;
    if (!is_plain) {
      const std::optional<std::size_t> priority = hwcaps_priority(entry.hwcap, query);
      if (!priority || (best && *priority >= best_priority)) continue;
      best_priority = *priority;
    }
    best = *value;
    if (is_plain && is_exact) break;
  }
  return best;
}

}  // namespace soresolve
