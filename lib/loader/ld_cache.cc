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
  const auto fail = [&](std::optional<std::uint64_t> offset, std::string message) {
    return Unexpected{Error{ErrorCode::Malformed, std::string(path), offset, std::move(message)}};
  };
  LdCache cache;
  bytes[size] = '\0';  // every string in it ends
  cache.bytes_ = std::move(bytes);
  cache.size_ = size;
  cache.order_ = target.byte_order;
  cache.machine_ = target.machine;
  const AcceptedFlags accepted = cache_flags_for(target);
  cache.accepted_flags_[0] = accepted.first;
  cache.accepted_flags_[1] = accepted.second;
  cache.default_flags_ = accepted.exact;
  cache.old_merge_ = !rules.cache_has_extension;
  cache.reject_legacy_ = rules.cache_rejects_legacy;
  cache.test_os_version_ = rules.tests_abi_note;
  cache.named_entries_ = rules.cache_has_extension;

  const char* data = cache.bytes_.get();
  const auto word = [&](std::uint64_t offset) { return load_as<std::uint32_t>(data + offset, target.byte_order); };
  const auto has_magic = [&](std::uint64_t offset, std::string_view magic) {
    return is_within(offset, magic.size(), size) && std::memcmp(data + offset, magic.data(), magic.size()) == 0;
  };
  const bool is_new = size > kNewHeaderBytes && has_magic(0, kNewMagic);
  const bool is_old = size > kOldHeaderBytes && has_magic(0, kOldMagic);
  if (is_new) {
    const std::uint32_t count = word(20);
    if (count > (size - kNewHeaderBytes) / kNewEntryBytes && rules.cache_checks_new_count) {
      return fail(20, "announces " + std::to_string(count) + " entries, more than its " + std::to_string(size) +
                          " bytes can hold; the loader ignores it");
    }
    cache.format_ = CacheFormat::New;
    cache.count_ = count;
  } else if (is_old) {
    const std::uint32_t count = word(12);
    if (count > (size - kOldHeaderBytes) / kOldEntryBytes) {
      return fail(12, "announces " + std::to_string(count) + " entries, more than its " + std::to_string(size) +
                          " bytes can hold; the loader ignores it");
    }
    const std::uint64_t entries_end = kOldHeaderBytes + std::uint64_t{count} * kOldEntryBytes;
    const std::uint64_t alignment = target.machine == EM_386 ? 4 : 8;
    const std::uint64_t inner = (entries_end + alignment - 1) / alignment * alignment;
    if (is_within(inner, kNewHeaderBytes, size) && has_magic(inner, kNewMagic)) {
      cache.format_ = CacheFormat::Compat;
      cache.header_offset_ = inner;
      cache.count_ = word(inner + 20);
    } else {
      cache.format_ = CacheFormat::Old;
      cache.old_entries_ = true;
      cache.entries_offset_ = kOldHeaderBytes;
      cache.string_base_ = entries_end;
      cache.count_ = count;
    }
  } else {
    return fail(0,
                "is not an ld.so.cache: neither \"ld.so-1.7.0\" nor \"glibc-ld.so.cache1.1\" stands "
                "at its beginning; the loader ignores it");
  }
  if (!cache.old_entries_) {
    const std::uint64_t header = cache.header_offset_;
    cache.entries_offset_ = header + kNewHeaderBytes;
    cache.string_base_ = header;
    const unsigned endianness = static_cast<unsigned char>(data[header + 28]) & 3;
    const unsigned own = target.byte_order == std::endian::little ? 2 : 3;
    // Since 2.33; Debian's 2.31 has it as well. Before that ldconfig left the byte 0.
    if (endianness != 0 && endianness != own) {
      return fail(header + 28, "is marked as written for the other byte order (endianness field " +
                                   std::to_string(endianness) + "); the loader ignores it");
    }
    cache.count_ = std::min<std::size_t>(cache.count_, 0x7fffffff);
    if (rules.cache_has_extension) cache.read_extension();
  }
  return cache;
}

/// The extension directory. Damage in it leaves the plain entries usable.
void LdCache::read_extension() {
  const std::uint64_t size = size_;
  const char* data = bytes_.get();
  const auto word = [&](std::uint64_t offset) { return load_as<std::uint32_t>(data + offset, order_); };
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

std::optional<std::string_view> LdCache::lookup(std::string_view soname, const CacheQuery& query) const {
  // The keys descend. Indices are signed as in the loader: `right` can become -1.
  std::int64_t left = 0;
  std::int64_t right = static_cast<std::int64_t>(count_) - 1;
  const auto compare = [&](std::int64_t index) -> std::optional<int> {
    const RawEntry entry = raw(static_cast<std::size_t>(index));
    if (!entry.is_inside) return std::nullopt;
    const std::optional<std::string_view> key = string_at(entry.key);
    if (!key) return std::nullopt;
    return compare_cache_keys(soname, *key, char_sign(machine_));
  };
  std::int64_t middle = 0;
  while (true) {
    if (left > right) return std::nullopt;
    middle = (left + right) / 2;
    const std::optional<int> order = compare(middle);
    if (!order) return std::nullopt;  // a key outside the file ends the search
    if (*order == 0) break;
    if (*order < 0) {
      left = middle + 1;
    } else {
      right = middle - 1;
    }
  }
  const std::int64_t known = middle;
  while (middle > 0) {
    const std::optional<int> order = compare(middle - 1);
    if (!order || *order != 0) break;
    --middle;
  }

  std::uint64_t allowed_hwcap = query.legacy_hwcap | kHwcapPlatformMask | kHwcapTls;
  if (reject_legacy_) allowed_hwcap = 0;
  std::optional<std::string_view> best;
  std::size_t best_priority = 0;
  for (; middle <= right; ++middle) {
    if (middle > known) {
      const std::optional<int> order = compare(middle);
      if (!order || *order != 0) break;
    }
    const RawEntry entry = raw(static_cast<std::size_t>(middle));
    if (!is_for_target(entry.flags)) continue;
    const std::optional<std::string_view> value = string_at(entry.value);
    if (!value) continue;
    const bool is_exact = entry.flags == default_flags_;
    if (old_merge_) {
      // Up to 2.32: keep the first, unless an exact one comes.
      if (best && !is_exact) continue;
      if (!old_entries_) {
        if ((entry.hwcap & ~allowed_hwcap) != 0) continue;
        if (query.os_version != 0 && entry.os_version > query.os_version) continue;
        const std::uint64_t platform = entry.hwcap & kHwcapPlatformMask;
        if (platform != 0 && platform != query.legacy_platform) continue;
      }
      best = *value;
      if (is_exact) break;
      continue;
    }
    bool named = false;
    if (!old_entries_) {
      named = is_named(entry.hwcap);
      if (named && (query.isa_level_bits >> std::min(isa_level(entry.hwcap), 31u) & 1) == 0) {
        continue;
      }
      if (!named && best) break;  // named entries come first and are exhausted
      if (!named && (entry.hwcap & ~allowed_hwcap) != 0) continue;
      if (test_os_version_ && query.os_version != 0 && entry.os_version > query.os_version) {
        continue;
      }
      const std::uint64_t platform = entry.hwcap & kHwcapPlatformMask;
      if (platform != 0 && platform != query.legacy_platform) continue;
      if (named) {
        const std::optional<std::string_view> name = hwcaps_name(entry.hwcap);
        if (!name) continue;
        const auto at = std::find(query.hwcaps.begin(), query.hwcaps.end(), *name);
        if (at == query.hwcaps.end()) continue;
        const std::size_t priority = static_cast<std::size_t>(at - query.hwcaps.begin());
        if (best && priority >= best_priority) continue;
        best_priority = priority;
      }
    }
    best = *value;
    if (!named && is_exact) break;
  }
  return best;
}

}  // namespace soresolve
