// Writes ld.so.cache byte by byte, with ldconfig's order written a second time, so that lib/ is not its own judge.
// Format: glibc sysdeps/generic/dl-cache.h; elf/cache.c:compare. The old format has no names of hwcaps.
#include "support/cache_writer.h"

#include <algorithm>
#include <bit>
#include <map>

#include "support/byte_writer.h"

namespace soresolve::test {
namespace {

constexpr std::string_view kOldMagic("ld.so-1.7.0\0", 12);
constexpr std::string_view kNewMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kNewHeaderBytes = 48;
constexpr std::size_t kNewEntryBytes = 24;
constexpr std::uint64_t kNamedEntry = std::uint64_t{1} << 62;
constexpr std::uint32_t kExtensionMagic = 0xeaa42174;  // (uint32_t) -358342284

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t align(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

/// elf/cache.c:compare; true when `left` comes first.
bool comes_first(const CacheLine& left, const CacheLine& right) {
  if (const int order = cache_key_order(right.key, left.key); order != 0) return order < 0;
  if (left.flags != right.flags) return left.flags > right.flags;
  if (left.hwcaps_name.empty() != right.hwcaps_name.empty()) return right.hwcaps_name.empty();
  if (left.hwcaps_name != right.hwcaps_name) return left.hwcaps_name < right.hwcaps_name;
  const int left_bits = std::popcount(left.legacy_hwcap);
  const int right_bits = std::popcount(right.legacy_hwcap);
  if (left_bits != right_bits) return left_bits > right_bits;
  return left.legacy_hwcap > right.legacy_hwcap;
}

/// The strings that follow the entries.
class Strings {
 public:
  std::uint32_t add(const std::string& text) {
    const auto [place, is_new] = places_.try_emplace(text, static_cast<std::uint32_t>(bytes_.size()));
    if (is_new) bytes_ += text + '\0';
    return place->second;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::map<std::string, std::uint32_t> places_;
  std::string bytes_;
};

std::string old_section(const CacheSpec& spec, const std::vector<CacheLine>& lines, std::uint32_t count,
                        Strings& strings, std::uint32_t string_base) {
  ByteWriter out(spec.endian, Bits::Elf64);
  out.text(kOldMagic);
  out.u32(count);
  for (const CacheLine& line : lines) {
    out.u32(static_cast<std::uint32_t>(line.flags));
    out.u32(string_base + strings.add(line.key));
    out.u32(string_base + strings.add(line.value));
  }
  return out.take();
}

}  // namespace

int cache_key_order(std::string_view left, std::string_view right) {
  std::size_t i = 0;
  std::size_t k = 0;
  const auto at = [](std::string_view text, std::size_t index) { return index < text.size() ? text[index] : '\0'; };
  const auto number = [&at](std::string_view text, std::size_t& index) {
    std::uint32_t value = 0;
    for (; is_digit(at(text, index)); ++index) value = value * 10 + static_cast<std::uint32_t>(text[index] - '0');
    return static_cast<std::int32_t>(value);
  };
  while (at(left, i) != '\0') {
    if (is_digit(at(left, i)) && is_digit(at(right, k))) {
      const std::int32_t left_number = number(left, i);
      const std::int32_t right_number = number(right, k);
      if (left_number != right_number) return left_number < right_number ? -1 : 1;
      continue;
    }
    if (is_digit(at(left, i))) return 1;
    if (is_digit(at(right, k))) return -1;
    if (at(left, i) != at(right, k))
      return static_cast<signed char>(at(left, i)) < static_cast<signed char>(at(right, k)) ? -1 : 1;
    ++i;
    ++k;
  }
  return at(right, k) == '\0' ? 0 : -1;
}

std::string_view name_of(CacheLayout layout) {
  switch (layout) {
    case CacheLayout::Old: return "old";
    case CacheLayout::New: return "new";
    case CacheLayout::Compat: return "compat";
  }
  return "?";
}

std::string write_cache(const CacheSpec& spec) {
  std::vector<CacheLine> lines = spec.lines;
  if (spec.order == CacheOrder::Sorted) std::stable_sort(lines.begin(), lines.end(), comes_first);
  const std::uint32_t count = spec.count.value_or(static_cast<std::uint32_t>(lines.size()));
  Strings strings;

  std::string file;
  if (spec.layout == CacheLayout::Old) {
    file = old_section(spec, lines, count, strings, 0) + strings.bytes();
  } else {
    const std::size_t section_bytes = kNewHeaderBytes + lines.size() * kNewEntryBytes;
    if (spec.layout == CacheLayout::Compat) {
      file = old_section(spec, lines, count, strings, static_cast<std::uint32_t>(section_bytes));
      file.resize(align(file.size(), spec.header_alignment));
    }
    // Strings are counted from the start of this section.
    const auto base = static_cast<std::uint32_t>(section_bytes);
    std::vector<std::string> names;
    for (const CacheLine& line : lines)
      if (!line.hwcaps_name.empty()) names.push_back(line.hwcaps_name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());

    ByteWriter entries(spec.endian, Bits::Elf64);
    for (const CacheLine& line : lines) {
      std::uint64_t hwcap = line.legacy_hwcap;
      if (!line.hwcaps_name.empty()) {
        const auto index =
            static_cast<std::uint64_t>(std::lower_bound(names.begin(), names.end(), line.hwcaps_name) - names.begin());
        hwcap = kNamedEntry | (std::uint64_t{line.isa_level} << 32) | index;
      }
      entries.u32(static_cast<std::uint32_t>(line.flags));
      entries.u32(base + strings.add(line.key));
      entries.u32(base + strings.add(line.value));
      entries.u32(line.os_version);
      entries.u64(hwcap);
    }
    // ldconfig counts the names from this section, ld.so from the start of the file: in the compat
    // layout they never meet.
    std::vector<std::uint32_t> name_offsets;
    for (const std::string& name : names) name_offsets.push_back(base + strings.add(name));

    const std::size_t strings_end = file.size() + section_bytes + strings.bytes().size();
    const std::size_t extension = spec.has_extension ? align(strings_end, 4) : 0;
    ByteWriter header(spec.endian, Bits::Elf64);
    header.text(kNewMagic);
    header.u32(count);
    header.u32(strings.bytes().size());
    header.u8(spec.endian_flag);
    header.align_to(4);
    header.u32(extension);
    header.text(std::string(12, '\0'));
    file += header.take() + entries.take() + strings.bytes();

    if (spec.has_extension) {
      const std::string generator = "ldconfig (test) stable release version 2.36";
      const bool has_names = !names.empty();
      const std::size_t data = extension + 8 + (has_names ? 2 : 1) * 16;
      file.resize(extension);
      ByteWriter tail(spec.endian, Bits::Elf64);
      tail.u32(kExtensionMagic);
      tail.u32(has_names ? 2 : 1);
      tail.u32(0);
      tail.u32(0);
      tail.u32(data + 4 * names.size());
      tail.u32(generator.size());
      if (has_names) {
        tail.u32(1);
        tail.u32(0);
        tail.u32(data);
        tail.u32(4 * names.size());
        for (const std::uint32_t offset : name_offsets) tail.u32(offset);
      }
      tail.text(generator);
      file += tail.take();
    }
  }
  for (const BytePatch& patch : spec.patches) {
    if (patch.offset + patch.bytes.size() > file.size()) continue;
    file.replace(patch.offset, patch.bytes.size(), patch.bytes);
  }
  if (spec.truncate_to_bytes && *spec.truncate_to_bytes < file.size()) file.resize(*spec.truncate_to_bytes);
  return file;
}

}  // namespace soresolve::test
