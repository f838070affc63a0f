// Two names are looked up in the hash table that the file has, the one of GNU first, as gnu_lookup and sysv_lookup of
// musl 1.2 ldso/dynlink.c do; a table that leads out of the file ends the lookup. Limits: kMaxSymbols of one chain.
#include "loader/musl_libc.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "base/load.h"

namespace soresolve {
namespace {

class Definitions {
 public:
  Definitions(const File& file, const ElfObject& elf, TableScratch& scratch)
      : tags_(elf.symbol_tags), reader_(file, elf, scratch, TableReader::Purpose::Definitions) {}

  bool has(std::string_view name) { return tags_.gnu_hash ? has_by_gnu_hash(name) : has_by_sysv_hash(name); }

 private:
  using Table = TableReader::Table;

  template <class Tag>
  static std::uint64_t at(const Tag& tag) {
    return static_cast<std::uint64_t>(*tag);
  }

  std::optional<std::uint32_t> word(std::uint64_t address) {
    const auto bytes = reader_.view(Table::Hash, address, 4, 64);
    if (bytes.size() < 4) return std::nullopt;
    return load_as<std::uint32_t>(bytes.data(), reader_.order());
  }

  bool has_by_gnu_hash(std::string_view name) {
    std::uint32_t hash = 5381;
    for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
    const std::uint64_t table = at(tags_.gnu_hash);
    const auto buckets = word(table);
    const auto first = word(table + 4);
    const auto filter = word(table + 8);
    if (!buckets || *buckets == 0 || !first || !filter) return false;
    const std::uint64_t start = table + 16 + std::uint64_t{*filter} * (reader_.is_64() ? 8 : 4);
    const auto bucket = word(start + 4ull * (hash % *buckets));
    if (!bucket || *bucket < *first || *bucket == 0) return false;
    for (std::uint64_t i = *bucket; i - *bucket < kMaxSymbols; ++i) {
      const auto stored = word(start + 4 * (std::uint64_t{*buckets} + i - *first));
      if (!stored) return false;
      if ((*stored | 1) == (hash | 1) && is_definition(i, name)) return true;
      if ((*stored & 1) != 0) return false;
    }
    return false;
  }

  bool has_by_sysv_hash(std::string_view name) {
    std::uint32_t hash = 0;
    for (const char c : name) {
      hash = (hash << 4) + static_cast<unsigned char>(c);
      hash = (hash ^ (hash & 0xf0000000) >> 24) & 0x0fffffff;
    }
    const std::uint64_t table = at(tags_.sysv_hash);
    const auto buckets = word(table);
    if (!buckets || *buckets == 0) return false;
    auto i = word(table + 8 + 4ull * (hash % *buckets));
    for (std::uint64_t steps = 0; i && *i != 0 && steps < kMaxSymbols; ++steps) {
      if (is_definition(*i, name)) return true;
      i = word(table + 8 + 4 * (std::uint64_t{*buckets} + *i));
    }
    return false;
  }

  /// Is the symbol of that number a visible definition of `name`?
  bool is_definition(std::uint64_t number, std::string_view name) {
    const std::size_t symbol_bytes = reader_.is_64() ? 24 : 16;
    const auto bytes = reader_.view(Table::Symbols, at(tags_.symbol_table) + number * symbol_bytes, symbol_bytes);
    if (bytes.size() < symbol_bytes) return false;
    const std::size_t info = reader_.is_64() ? 4 : 12;
    const std::uint8_t kind = std::to_integer<std::uint8_t>(bytes[info]);
    const std::uint16_t section = load_as<std::uint16_t>(bytes.data() + info + 2, reader_.order());
    const std::uint32_t offset = load_as<std::uint32_t>(bytes.data(), reader_.order());
    const std::uint64_t value = reader_.is_64() ? load_as<std::uint64_t>(bytes.data() + 8, reader_.order())
                                                : load_as<std::uint32_t>(bytes.data() + 4, reader_.order());
    const unsigned type = kind & 0xf;
    const unsigned binding = kind >> 4;
    const bool is_type = type <= STT_FUNC || type == STT_COMMON || type == STT_TLS;
    const bool is_binding = binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE;
    if (section == SHN_UNDEF || (value == 0 && type != STT_TLS) || !is_type || !is_binding) return false;
    const auto text = reader_.view(Table::Strings, at(tags_.string_table) + offset, name.size() + 1);
    if (text.size() != name.size() + 1 || text.back() != std::byte{0}) return false;
    if (!std::equal(name.begin(), name.end(), reinterpret_cast<const char*>(text.data()))) return false;
    if (!tags_.version_index) return true;
    const auto version = reader_.view(Table::Versions, at(tags_.version_index) + 2 * number, 2);
    return version.size() < 2 || (load_as<std::uint16_t>(version.data(), reader_.order()) & 0x8000) == 0;
  }

  const SymbolTags& tags_;
  TableReader reader_;
};

}  // namespace

bool defines_libc(const File& file, const ElfObject& elf, TableScratch& scratch) {
  const SymbolTags& tags = elf.symbol_tags;
  if (!tags.symbol_table || !tags.string_table || !(tags.gnu_hash || tags.sysv_hash)) return false;
  Definitions definitions(file, elf, scratch);
  return definitions.has("stdin") && definitions.has("__libc_start_main");
}

}  // namespace soresolve
