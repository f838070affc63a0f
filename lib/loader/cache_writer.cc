// The new format of ld.so.cache: header, entries, strings, extension directory
// (glibc sysdeps/generic/dl-cache.h, elf/cache.c:save_cache).
#include <algorithm>
#include <map>

#include "loader/cache_flags.h"
#include "loader/ldconfig.h"

namespace soresolve {
namespace {

constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
constexpr std::string_view kGenerator = "ldconfig, as soresolve plays it";
constexpr std::size_t kHeaderBytes = 48;
constexpr std::size_t kEntryBytes = 24;
constexpr std::uint64_t kNamed = std::uint64_t{1} << 62;

class Bytes {
 public:
  explicit Bytes(std::endian order) : order_(order) {}
  void text(std::string_view text) { bytes_ += text; }
  void zeros(std::size_t count) { bytes_.append(count, '\0'); }
  void byte(unsigned value) { bytes_ += static_cast<char>(value); }
  void u32(std::uint64_t value) { number(value, 4); }
  void u64(std::uint64_t value) { number(value, 8); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  std::string take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned place = order_ == std::endian::little ? i : count - 1 - i;
      byte(static_cast<unsigned>(value >> (8 * place)) & 0xff);
    }
  }

  std::endian order_;
  std::string bytes_;
};

/// Each text once; places count from the start of the file.
class Strings {
 public:
  explicit Strings(std::size_t base) : base_(base) {}
  std::size_t add(const std::string& text) {
    const auto [place, is_new] = places_.try_emplace(text, base_ + bytes_.size());
    if (is_new) bytes_ += text + '\0';
    return place->second;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::size_t base_;
  std::map<std::string, std::size_t> places_;
  std::string bytes_;
};

}  // namespace

std::string write_ld_cache(const std::vector<LdConfigEntry>& entries, std::endian order) {
  std::map<std::string, std::uint64_t> names;  // hwcaps subdirectories, sorted; their index
  for (const LdConfigEntry& entry : entries) {
    if (!entry.hwcaps_name.empty()) names.emplace(entry.hwcaps_name, 0);
  }
  std::uint64_t index = 0;
  for (auto& [name, place] : names) place = index++;

  Strings strings(kHeaderBytes + entries.size() * kEntryBytes);
  Bytes table(order);
  for (const LdConfigEntry& entry : entries) {
    table.u32(static_cast<std::uint32_t>(entry.flags));
    table.u32(strings.add(entry.key));
    table.u32(strings.add(entry.value));
    table.u32(0);
    table.u64(entry.hwcaps_name.empty() ? entry.legacy_hwcap
                                        : kNamed | std::uint64_t{entry.isa_level} << 32 | names[entry.hwcaps_name]);
  }
  Bytes name_places(order);
  for (const auto& [name, place] : names) name_places.u32(strings.add(name));

  const std::size_t end = kHeaderBytes + table.size() + strings.bytes().size();
  const std::size_t extension = (end + 3) / 4 * 4;
  Bytes file(order);
  file.text(kMagic);
  file.u32(entries.size());
  file.u32(strings.bytes().size());
  file.byte(order == std::endian::little ? 2 : 3);
  file.zeros(3);
  file.u32(extension);
  file.zeros(12);
  file.text(table.take());
  file.text(strings.bytes());
  file.zeros(extension - end);
  const std::size_t data = extension + 8 + 2 * 16;
  file.u32(kExtensionMagic);
  file.u32(2);
  for (const std::size_t number : {std::size_t{1}, std::size_t{0}, data, name_places.size()}) file.u32(number);
  for (const std::size_t number : {std::size_t{0}, std::size_t{0}, data + name_places.size(), kGenerator.size()})
    file.u32(number);
  file.text(name_places.take());
  file.text(kGenerator);
  return file.take();
}

}  // namespace soresolve
