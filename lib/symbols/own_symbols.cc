// Marks the symbols of one object whose hash chains lead to themselves and of which the loader prints nothing. Source:
// glibc 2.36 elf/dl-lookup.c:do_lookup_x. A shortcut only: a damaged table or a symbol that may matter to another
// object's lookup (IFUNC, protected, unique) turns it off.
#include "symbols/own_symbols.h"

#include <elf.h>

#include <algorithm>
#include <array>

namespace soresolve {
namespace {

/// Remainders of one divisor, by a multiplication: a division for each symbol is what would cost most.
class Remainder {
 public:
  explicit Remainder(std::uint32_t divisor) : divisor_(divisor), reciprocal_((std::uint64_t{1} << 32) / divisor) {}
  [[nodiscard]] std::uint32_t of(std::uint32_t value) const {
    // The quotient, or one less.
    const std::uint32_t quotient = static_cast<std::uint32_t>(value * reciprocal_ >> 32);
    const std::uint32_t rest = value - quotient * divisor_;
    return rest < divisor_ ? rest : rest - divisor_;
  }

 private:
  std::uint32_t divisor_;
  std::uint64_t reciprocal_;
};

/// Two symbols of one chain with one hash value, by their places in HashedSymbols::values.
struct Twins {
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Which symbols does their hash lead to? Sets bit 0 of their values, which chains use for their ends
/// and do not keep of the hash. There are nearly as many chains as symbols, in no order that a
/// processor could foresee: so nothing here branches on where one ends.
template <class Layout>
std::vector<Twins> mark_found(const GnuTable& table_there, std::span<std::uint32_t> values, Layout layout) {
  const GnuTable table = table_there;  // here, where no store into `values` can change it
  const Remainder bucket_of(table.bucket_count());
  std::vector<Twins> twins;
  constexpr std::size_t kNear = 4;
  constexpr std::size_t kLongestChain = 64;  // those of link editors have few entries
  const std::size_t most_twins = values.size();
  const auto compare = [&](std::size_t i, std::size_t other) {
    if ((values[i] ^ values[other]) > 1) [[likely]]
      return;
    if (twins.size() <= most_twins) twins.push_back({other, i});
  };
  std::size_t start = 0;  // of the chain
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_end = (values[i] & 1) != 0;
    const std::uint32_t even = values[i] & ~1u;
    const std::uint32_t bucket = bucket_of.of(even);
    const std::uint32_t next = bucket + 1 == table.bucket_count() ? 0 : bucket + 1;  // that of even | 1
    const std::uint64_t chain = table.first() + std::uint64_t{start};
    const bool is_even = table.bucket(bucket, layout) == chain;
    const bool is_odd = table.bucket(next, layout) == chain;
    bool is_found = table.may_have(even | std::uint32_t{!is_even}, layout);
    if (is_even && is_odd) [[unlikely]]
      is_found |= table.may_have(even | 1, layout);  // the only bucket
    values[i] = even | static_cast<std::uint32_t>((is_even | is_odd) & is_found);
    // Some of these are of the chain before; that does no harm.
    for (std::size_t back = 1; back < kNear && back <= i; ++back) compare(i, i - back);
    if (i - start >= kNear) [[unlikely]] {
      const std::size_t first = std::max(start, i - std::min(i, kLongestChain));
      for (std::size_t other = first; other + kNear <= i; ++other) compare(i, other);
      // Of longer chains none is taken, as they would have to be compared with all others.
      if (i - start == kLongestChain) {
        for (std::uint32_t& value : values.subspan(start, kLongestChain)) value &= ~1u;
      }
      if (i - start >= kLongestChain) values[i] &= ~1u;
    }
    start = is_end ? i + 1 : start;
  }
  if (twins.size() > most_twins) {
    twins.clear();
    for (std::uint32_t& value : values) value &= ~1u;
  }
  return twins;
}

/// No bucket may point before the first symbol.
template <class Layout>
bool has_good_buckets(const GnuTable& table, Layout layout) {
  bool is_good = true;
  for (std::uint32_t i = 0; i < table.bucket_count(); ++i) {
    const std::uint32_t start = table.bucket(i, layout);
    is_good &= start == 0 || start >= table.first();
  }
  return is_good;
}

/// Bindings and types that a lookup takes without more ado, by st_info.
constexpr std::array<bool, 256> kOrdinary = [] {
  std::array<bool, 256> is_ordinary{};
  for (const unsigned binding : {STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE}) {
    for (const unsigned type : {STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_COMMON, STT_TLS}) {
      is_ordinary[binding << 4 | type] = true;
    }
  }
  return is_ordinary;
}();

/// Goes through the symbols behind the hash values.
class Review {
 public:
  Review(TableReader& reader, const SymbolTags& tags, HashedSymbols& symbols)
      : reader_(reader), tags_(tags), symbols_(symbols), entry_bytes_(reader.is_64() ? 24 : 16) {}

  /// Takes the marks from those that lookups leave alone or that need more than a lookup. False where
  /// a lookup that comes to one of them could lead out of the file.
  bool run() {
    if (!tags_.symbol_table || !tags_.string_table) return false;
    constexpr std::size_t kChunk = 2048;
    for (std::size_t done = 0; done < symbols_.values.size(); done += kChunk) {
      if (!review(done, std::min(kChunk, symbols_.values.size() - done))) return false;
    }
    const std::uint64_t last = address_of(tags_.string_table) + last_name_;
    reader_.bring_strings(last, last);  // no other is wanted
    return has_versions() && reader_.string_at(last);
  }

 private:
  static std::uint64_t address_of(std::optional<Vaddr> tag) { return static_cast<std::uint64_t>(*tag); }

  bool review(std::size_t start, std::size_t count) {
    const std::size_t size = count * entry_bytes_;
    const auto bytes =
        reader_.view(TableReader::Table::Symbols,
                     address_of(tags_.symbol_table) + (std::uint64_t{symbols_.first} + start) * entry_bytes_, size);
    if (bytes.size() < size) return false;
    with_layout(reader_.layout(),
                [&](auto layout) { review(bytes.data(), std::span(symbols_.values).subspan(start, count), layout); });
    return true;
  }

  template <class Layout>
  void review(const std::byte* at, std::span<std::uint32_t> values, Layout layout) {
    constexpr std::size_t kBytes32 = 16;
    constexpr std::size_t kBytes64 = 24;
    std::uint32_t last_name = last_name_;
    for (std::uint32_t& value : values) {
      const std::byte* const facts = at + (layout.is_64 ? 4 : 12);
      const std::uint8_t info = std::to_integer<std::uint8_t>(facts[0]);
      const unsigned visibility = std::to_integer<unsigned>(facts[1]) & 3;
      if ((info & 0xf) == STT_GNU_IFUNC || visibility == STV_PROTECTED) [[unlikely]] {
        symbols_.notable.push_back(value);
        symbols_.has_notable_unique |= info >> 4 == STB_GNU_UNIQUE;
      }
      const bool has_value = layout.is_64 ? load_as<std::uint64_t>(at + 8, layout.order) != 0
                                          : load_as<std::uint32_t>(at + 4, layout.order) != 0;
      const bool is_defined = load_as<std::uint16_t>(facts + 2, layout.order) != SHN_UNDEF;
      const unsigned is_sure =
          unsigned{kOrdinary[info]} & unsigned{visibility == STV_DEFAULT} & unsigned{has_value} & unsigned{is_defined};
      value &= is_sure | ~1u;
      last_name = std::max(last_name, load_as<std::uint32_t>(at, layout.order));
      at += layout.is_64 ? kBytes64 : kBytes32;
    }
    last_name_ = last_name;
  }

  /// Is there a version index for each of them?
  [[nodiscard]] bool has_versions() const {
    if (!tags_.version_index) return true;
    const std::uint64_t size = 2 * (std::uint64_t{symbols_.first} + symbols_.values.size());
    return filled_bytes(reader_.image(), address_of(tags_.version_index), size) == size;
  }

  TableReader& reader_;
  const SymbolTags& tags_;
  HashedSymbols& symbols_;
  std::size_t entry_bytes_;
  std::uint32_t last_name_ = 0;  ///< in DT_STRTAB
};

/// On its way to a symbol a lookup may end at its twin, if that has the same name, too: either both
/// will do or none.
void keep_alike(std::span<std::uint32_t> values, std::span<const Twins> twins) {
  for (const Twins& pair : twins) {
    const std::uint32_t both = values[pair.first] & values[pair.second] & 1;
    values[pair.first] &= both | ~1u;
    values[pair.second] &= both | ~1u;
  }
}

}  // namespace

HashValues::HashValues(std::span<const std::uint32_t> values) {
  std::size_t size = 2;
  while (size < 2 * values.size() + 1) size *= 2;
  slots_.assign(size, 0);
  for (const std::uint32_t value : values) {
    std::size_t at = first_of(value | 1);
    std::size_t passed = 0;
    while (slots_[at] != 0 && slots_[at] != (value | 1) && ++passed <= kMostPassed) at = (at + 1) & (size - 1);
    if (passed > kMostPassed) {
      is_crowded_ = true;
      return;
    }
    slots_[at] = value | 1;
  }
}

HashedSymbols read_hashed_symbols(TableReader& reader, const ElfObject& object) {
  HashedSymbols symbols;
  if (!object.symbol_tags.gnu_hash) {
    symbols.is_complete = !object.symbol_tags.sysv_hash;
    return symbols;
  }
  GnuTable table;
  const std::uint64_t address = static_cast<std::uint64_t>(*object.symbol_tags.gnu_hash);
  symbols.is_damaged = table.read(reader, address, symbols.values).has_value();
  symbols.first = table.first();
  if (!symbols.is_damaged && !symbols.values.empty()) {
    std::vector<Twins> twins;
    with_layout(table.layout(), [&](auto layout) {
      twins = mark_found(table, symbols.values, layout);
      symbols.is_damaged = !has_good_buckets(table, layout);
    });
    symbols.is_damaged = symbols.is_damaged || !Review(reader, object.symbol_tags, symbols).run();
    keep_alike(symbols.values, twins);
  }
  symbols.is_complete = !symbols.is_damaged;
  return symbols;
}

KeptQuiet NotableHashes::keep_quiet(HashedSymbols& symbols) const {
  if (!is_complete_) {
    symbols.values.clear();
    return KeptQuiet::Some;
  }
  KeptQuiet kept = KeptQuiet::AllOfThem;
  if (values_.empty()) return kept;
  for (std::uint32_t& value : symbols.values) {
    const bool may_be_known = (filter_[place(value) / 64] >> place(value) % 64 & 1) != 0;
    if ((value & 1) != 0 && may_be_known && std::binary_search(values_.begin(), values_.end(), value & ~1u)) {
      value &= ~1u;
      kept = KeptQuiet::Some;
    }
  }
  return kept;
}

void NotableHashes::enter(const HashedSymbols& symbols) {
  is_complete_ = is_complete_ && symbols.is_complete;
  if (symbols.notable.empty()) return;
  for (const std::uint32_t value : symbols.notable) {
    values_.push_back(value & ~1u);
    filter_[place(value) / 64] |= std::uint64_t{1} << place(value) % 64;
  }
  std::sort(values_.begin(), values_.end());
}

bool OwnSymbols::takes(std::uint16_t versym) const {
  // The loader dies of a version where it has no table of them.
  if (!versions->is_used()) return (versym & kVersymIndex) == 0;
  const WantedVersion& version = versions->at(versym);
  // Asked for of a certain file, that file has to have it.
  if (version.has_file) return false;
  // With a version, it has the one that is asked for; without, it must not be one of several to choose.
  return version.hash != 0 || answer_version(nullptr, versym, *versions, {}) == VersionAnswer::Accepted;
}

}  // namespace soresolve
