#include "version/references.h"

#include <elf.h>

#include <algorithm>
#include <span>

#include "bytes/load.h"
#include "elf/relocation_reader.h"
#include "version/gnu_hash.h"
#include "version/place_order.h"

namespace soresolve {
namespace {

constexpr unsigned kUseBits = 4;
constexpr std::uint64_t kLazyBit = 1u << kUseBits;
/// In the place of a position among the symbols.
constexpr std::uint32_t kOwn = ~std::uint32_t{0};

/// One reading, step by step.
class Reading {
 public:
  Reading(TableReader& reader, const ElfObject& object, const ReferenceRules& rules,
          const OwnSymbols& own, std::string_view path, ReferenceScratch& scratch, ObjectReferences& into)
      : reader_(reader), object_(object), rules_(rules), own_(own), path_(path), scratch_(scratch),
        into_(into) {
    into_.symbols.clear();
    into_.references.clear();
    into_.names.clear();
    into_.unknown.reset();
    into_.unknown_lazy.reset();
    into_.repeats.clear();
    into_.own = {};
    scratch_.marks.clear();
    scratch_.sequence.clear();
    scratch_.repeats.clear();
  }

  std::optional<Error> run() {
    collect();
    if (error_ || scratch_.sequence.empty()) return std::move(error_);
    read_symbols();
    if (!error_) read_names();
    if (!error_) put_in_order();
    return std::move(error_);
  }

 private:
  void fail(std::uint64_t address, std::string message) {
    const auto place = reader_.image().locate(address);
    error_ = Error{place ? ErrorCode::Truncated : ErrorCode::Malformed, std::string(path_),
                   reader_.image().place_to_show(address), std::move(message)};
  }

  [[nodiscard]] std::size_t symbol_bytes() const { return reader_.is_64() ? 24 : 16; }

  /// Goes through the relocations and keeps the first of each kind.
  void collect() {
    const std::uint16_t machine = object_.target.machine;
    std::uint64_t symbols_available = 0;
    if (object_.symbol_tags.symbol_table) {
      symbols_ = static_cast<std::uint64_t>(*object_.symbol_tags.symbol_table);
      if (const auto place = reader_.image().locate(symbols_)) {
        // What the file does not have cannot be referred to.
        symbols_available = std::min(place->available, reader_.file().status().size_bytes) /
                            symbol_bytes();
      }
    }
    std::uint32_t last_type = 0;
    RelocationUse last_use = relocation_use(machine, last_type);
    const auto end = for_each_relocation(reader_, object_, [&](const Relocation& relocation) {
      if (error_) return;
      if (relocation.type != last_type) {
        last_type = relocation.type;
        last_use = relocation_use(machine, last_type);
      }
      RelocationUse use = last_use;
      if (use == RelocationUse::None && !relocation.is_in_plt) return;
      const bool waits = relocation.is_in_plt && !object_.is_bind_now;
      const bool is_lazy_type = use == RelocationUse::JumpSlot || use == RelocationUse::TlsDesc;
      if (waits && !is_lazy_type && use != RelocationUse::Indirect && refuses_others_in_plt() &&
          !into_.unknown_lazy) {
        into_.unknown_lazy = OddRelocation{relocation.type, scratch_.sequence.size(), true};
      }
      if (use == RelocationUse::None || use == RelocationUse::Indirect) return;
      const bool is_unknown = use == RelocationUse::Unknown;
      if (is_unknown) {
        if (into_.unknown) return;
        into_.unknown = OddRelocation{relocation.type, scratch_.sequence.size(), waits};
        // The loader looks the symbol up before it looks at the type.
        use = RelocationUse::Plain;
      }
      if (relocation.symbol == 0) {
        is_over_ = is_over_ || is_unknown;
        return;
      }
      if (relocation.symbol >= symbols_available) {
        fail(symbols_ + relocation.symbol * symbol_bytes(),
             "has a relocation with symbol " + std::to_string(relocation.symbol) +
                 ", which DT_SYMTAB does not have");
        return;
      }
      // Where a lazy pass refuses a type it looks nothing up.
      const bool is_lazy =
          waits && (use != RelocationUse::TlsDesc || rules_.tlsdesc_is_lazy) &&
          (is_lazy_type || refuses_others_in_plt());
      if (is_lazy_type) use = RelocationUse::Plt;
      add(relocation.symbol, use, is_lazy);
      if (is_unknown) {
        into_.unknown->after = scratch_.sequence.size();
        is_over_ = true;
      }
    });
    if (end && !error_) fail(*end, "has relocations outside the mapped segments");
  }

  /// elf_machine_lazy_rel of x86 knows few types.
  [[nodiscard]] bool refuses_others_in_plt() const {
    return object_.target.machine == EM_X86_64 || object_.target.machine == EM_386;
  }

  void add(std::uint32_t symbol, RelocationUse use, bool is_lazy) {
    const std::uint64_t entry = std::uint64_t{symbol} << (kUseBits + 1) |
                                std::uint64_t{is_lazy} << kUseBits | static_cast<std::uint64_t>(use);
    if (symbol >= scratch_.marks.size()) [[unlikely]] {
      scratch_.marks.resize(std::max<std::size_t>(symbol + 1, scratch_.marks.size() * 2));
    }
    std::uint8_t& marks = scratch_.marks[symbol];
    const unsigned bit = mark_bit(use, is_lazy);
    const bool is_as_before = (entry & ~kLazyBit) == before_;
    before_ = entry & ~kLazyBit;
    if ((marks >> bit & 1) != 0) {
      // Behind a type that the loader refuses nothing comes any more; what it is of is looked up first.
      if (rules_.wants_repeats && !is_over_) {
        scratch_.repeats.push_back({scratch_.sequence.size(), entry, !is_as_before});
      }
      return;
    }
    marks = static_cast<std::uint8_t>(marks | 1u << bit);
    scratch_.sequence.push_back(entry);
  }

  static unsigned mark_bit(RelocationUse use, bool is_lazy) {
    switch (use) {
      case RelocationUse::Plain: return 0;
      case RelocationUse::Data: return 1;
      case RelocationUse::Copy: return 2;
      default: return is_lazy ? 3 : 4;
    }
  }

  void read_symbols() {
    const std::size_t size = symbol_bytes();
    const ByteOrder order = reader_.order();
    const std::vector<std::uint8_t>& marks = scratch_.marks;
    scratch_.positions.resize(marks.size());
    scratch_.order.clear();
    last_ = marks.size();
    while (last_ > 0 && marks[last_ - 1] == 0) --last_;
    for (std::size_t index = 0; index < last_ && !error_; ++index) {
      if (marks[index] == 0) continue;
      const auto bytes = reader_.view(TableReader::Table::Symbols, symbols_ + index * size, size,
                                      (last_ - index) * size);
      if (bytes.size() < size) {
        return fail(symbols_ + index * size, "has dynamic symbols outside the mapped segments");
      }
      const std::byte* at = bytes.data();
      const std::size_t info = reader_.is_64() ? 4 : 12;
      ReferredSymbol symbol;
      symbol.index = static_cast<std::uint32_t>(index);
      symbol.info = std::to_integer<std::uint8_t>(at[info]);
      symbol.other = std::to_integer<std::uint8_t>(at[info + 1]);
      symbol.is_defined = load_as<std::uint16_t>(at + info + 2, order) != SHN_UNDEF;
      symbol.has_value = reader_.is_64() ? load_as<std::uint64_t>(at + 8, order) != 0
                                         : load_as<std::uint32_t>(at + 4, order) != 0;
      const unsigned visibility = symbol.other & 3;
      symbol.is_local = symbol.info >> 4 == STB_LOCAL || visibility == STV_HIDDEN ||
                        visibility == STV_INTERNAL;
      const std::uint64_t name = load_as<std::uint32_t>(at, order);
      if (!symbol.is_local) {
        symbol.versym = read_versym(index);
        if (is_own(symbol)) {
          scratch_.positions[index] = kOwn;
          last_own_name_ = std::max(last_own_name_, name);
          continue;
        }
        scratch_.order.push_back(name << 32 | into_.symbols.size());
      }
      symbol.size_bytes = reader_.is_64() ? load_as<std::uint64_t>(at + 16, order)
                                          : load_as<std::uint32_t>(at + 8, order);
      scratch_.positions[index] = static_cast<std::uint32_t>(into_.symbols.size());
      into_.symbols.push_back(symbol);
    }
  }

  /// Can the symbol be bound to without a look at its name?
  [[nodiscard]] bool is_own(const ReferredSymbol& symbol) const {
    if (!own_.may_have(symbol.index) || !symbol.is_defined || !symbol.has_value) return false;
    // A copy relocation asks others for what it has itself.
    const bool is_copied =
        (scratch_.marks[symbol.index] >> mark_bit(RelocationUse::Copy, false) & 1) != 0;
    return (symbol.other & 3) == STV_DEFAULT && !is_copied && own_.takes(symbol.info, symbol.versym);
  }

  std::uint16_t read_versym(std::size_t index) {
    if (!object_.symbol_tags.version_index) return 0;
    const std::uint64_t address =
        static_cast<std::uint64_t>(*object_.symbol_tags.version_index) + index * 2;
    const auto bytes =
        reader_.view(TableReader::Table::Versions, address, 2, (last_ - index) * 2);
    if (bytes.size() < 2) {
      fail(address, "has its DT_VERSYM outside the mapped segments");
      return 0;
    }
    return load_as<std::uint16_t>(bytes.data(), reader_.order());
  }

  /// In the order in which the names lie in the file.
  void read_names() {
    if (!object_.symbol_tags.string_table) {
      if (!scratch_.order.empty() || last_own_name_ != 0) fail(0, "has symbols but no DT_STRTAB");
      return;
    }
    const std::uint64_t strings = static_cast<std::uint64_t>(*object_.symbol_tags.string_table);
    reserve_names();
    for_each_place_group(scratch_.order, scratch_.spare, [&](std::span<const std::uint64_t> group,
                                                             std::uint64_t first, std::uint64_t last) {
      reader_.bring_strings(strings + first, strings + last);
      for (const std::uint64_t entry : group) {
        if (!error_) read_name(strings + (entry >> 32), into_.symbols[entry & 0xffffffff]);
      }
    });
    // Where the last of the names that nobody reads ends in the file the others do.
    if (!error_ && last_own_name_ != 0 && !reader_.string_at(strings + last_own_name_)) {
      fail(strings + last_own_name_, "has a symbol name outside the mapped segments");
    }
  }

  /// Names mostly take as many bytes as they span in the file; what is not used is never touched.
  void reserve_names() {
    constexpr std::size_t kMostReserved = 512;  // for each name
    const auto [first, last] = std::minmax_element(scratch_.order.begin(), scratch_.order.end());
    if (first == scratch_.order.end()) return;
    into_.names.reserve(std::min(static_cast<std::size_t>((*last >> 32) - (*first >> 32)),
                                 scratch_.order.size() * kMostReserved));
  }

  void read_name(std::uint64_t address, ReferredSymbol& symbol) {
    const auto name = reader_.string_at(address);
    if (!name || into_.names.size() + name->size() > ~std::uint32_t{0}) {
      return fail(address, "has a symbol name outside the mapped segments");
    }
    symbol.name_start = static_cast<std::uint32_t>(into_.names.size());
    symbol.name_length = static_cast<std::uint32_t>(name->size());
    symbol.hash = gnu_hash(*name);
    into_.names.append(*name);
  }

  [[nodiscard]] bool is_own(std::uint64_t entry) const {
    return scratch_.positions[entry >> (kUseBits + 1)] == kOwn;
  }
  [[nodiscard]] Reference reference_of(std::uint64_t entry) const {
    Reference reference;
    reference.symbol = scratch_.positions[entry >> (kUseBits + 1)];
    reference.is_lazy = (entry >> kUseBits & 1) != 0;
    reference.use = static_cast<RelocationUse>(entry & ((1u << kUseBits) - 1));
    return reference;
  }

  /// References to the object's own local symbols are left out, as are those that are counted only.
  void put_in_order() {
    const std::vector<std::uint64_t>& sequence = scratch_.sequence;
    std::size_t repeat = 0;
    const std::optional<OddRelocation> unknown = into_.unknown;
    const std::optional<OddRelocation> unknown_lazy = into_.unknown_lazy;
    for (std::size_t i = 0; i <= sequence.size(); ++i) {
      for (; repeat < scratch_.repeats.size() && scratch_.repeats[repeat].after == i; ++repeat) {
        if (is_own(scratch_.repeats[repeat].entry)) continue;
        const Reference reference = reference_of(scratch_.repeats[repeat].entry);
        if (!into_.symbols[reference.symbol].is_local) {
          into_.repeats.push_back(
              {into_.references.size(), reference, scratch_.repeats[repeat].is_looked_up});
        }
      }
      if (unknown && unknown->after == i) into_.unknown->after = into_.references.size();
      if (unknown_lazy && unknown_lazy->after == i) {
        into_.unknown_lazy->after = into_.references.size();
      }
      if (i == sequence.size()) break;
      if (is_own(sequence[i])) {
        ++into_.own.references;
        into_.own.lazy += (sequence[i] & kLazyBit) != 0;
        continue;
      }
      const Reference reference = reference_of(sequence[i]);
      if (!into_.symbols[reference.symbol].is_local) into_.references.push_back(reference);
    }
  }

  TableReader& reader_;
  const ElfObject& object_;
  const ReferenceRules& rules_;
  const OwnSymbols& own_;
  std::string_view path_;
  ReferenceScratch& scratch_;
  ObjectReferences& into_;
  std::uint64_t symbols_ = 0;
  std::uint64_t before_ = 0;          ///< symbol and use of the relocation before (l_lookup_cache)
  std::size_t last_ = 0;              ///< behind the last symbol that is referred to
  std::uint64_t last_own_name_ = 0;   ///< in DT_STRTAB
  bool is_over_ = false;              ///< a relocation before has an unknown type
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> read_references(TableReader& reader, const ElfObject& object,
                                     const ReferenceRules& rules, const OwnSymbols& own,
                                     std::string_view path, ReferenceScratch& scratch,
                                     ObjectReferences& into) {
  return Reading(reader, object, rules, own, path, scratch, into).run();
}

}  // namespace soresolve
