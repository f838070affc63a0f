// Reads which symbols an object refers to: one pass over its relocations, then their symbols, then the names.
//
// Source: glibc 2.36 elf/dl-reloc.c:RESOLVE_MAP, elf/do-rel.h, sysdeps/x86_64/dl-machine.h:elf_machine_lazy_rel. Left
// out: values and addends; lookups of local and hidden symbols, which the loader does not make.
//
// The loader looks a symbol up again for each relocation; the result is the same for each class of lookup, so that here
// a symbol counts once a class. A large library has 10^5 relocations of 10^3 symbols, and most of the time is spent in
// collect(). It is made of marks, a byte for each symbol index:
//
//   bit 7    kNamed   its name has to be read: another object may define it
//   bit 6    kOwn     it cannot bind elsewhere (OwnSymbols), so that neither name nor lookup is needed
//   bits 0-4          the classes seen so far: plain, data, copy, PLT that may wait, PLT at once (mark_of)
//
// A relocation whose class has its mark already costs a compare and nothing else. The steps of run():
//
//   mark_own      kOwn for the symbols of DT_GNU_HASH whose version nobody before this object defines
//   collect       relocations, in the order in which the loader goes through them; the first of each class is kept
//   read_symbols  the symbols that were marked, ascending, so that DT_SYMTAB is read front to back
//   read_names    their names, in the order of the file for the same reason
//   put_in_order  back into the order of relocations: the first undefined symbol is the one that the loader names
//
// What the loader refuses is kept with its place in that order (`after`), because it looks up the symbols before it and
// reports those first: an unknown type, a type that a lazy pass does not know, a place that is not writable.
#include "symbols/references.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "base/load.h"
#include "elf/relocation_reader.h"
#include "symbols/gnu_hash.h"
#include "symbols/place_order.h"

namespace soresolve {
namespace {

constexpr unsigned kUseBits = 4;
constexpr std::uint64_t kLazyBit = 1u << kUseBits;
/// Marks of a symbol beside those of mark_bit().
constexpr std::uint8_t kNamed = 1u << 7;  ///< it is looked up by its name
constexpr std::uint8_t kOwn = 1u << 6;    ///< one of OwnSymbols

/// One reading, step by step.
class Reading {
 public:
  Reading(TableReader& reader, const ElfObject& object, const ReferenceRules& rules, const OwnSymbols& own,
          std::string_view path, ReferenceScratch& scratch, ObjectReferences& into)
      : reader_(reader), object_(object), rules_(rules), own_(own), path_(path), scratch_(scratch), into_(into) {
    into_.symbols.clear();
    into_.references.clear();
    into_.names.clear();
    into_.unknown.reset();
    into_.unknown_lazy.reset();
    into_.misplaced.reset();
    into_.repeats.clear();
    into_.tls.clear();
    into_.own = {};
    scratch_.tls.clear();
    scratch_.marks.clear();
    scratch_.named.clear();
    scratch_.sequence.clear();
    scratch_.repeats.clear();
  }

  std::optional<Error> run() {
    mark_own();
    collect();
    if (!error_) read_symbols();
    if (!error_) read_names();
    if (!error_) put_in_order();
    if (error_) into_.own = {};
    return std::move(error_);
  }

 private:
  void fail(std::uint64_t address, std::string message) {
    const auto place = reader_.image().locate(address);
    error_ = Error{place ? ErrorCode::Truncated : ErrorCode::Malformed, std::string(path_),
                   reader_.image().place_to_show(address), std::move(message)};
  }

  [[nodiscard]] std::size_t symbol_bytes() const { return reader_.is_64() ? 24 : 16; }

  /// Which symbols can be bound to without a look at their names?
  void mark_own() {
    if (own_.hashed == nullptr || own_.hashed->values.empty()) return;
    const std::span<const std::uint32_t> values = own_.hashed->values;
    const std::endian order = reader_.order();
    const bool has_versions = object_.symbol_tags.version_index.has_value();
    std::span<const std::byte> versions;
    if (has_versions) {
      const std::uint64_t address =
          static_cast<std::uint64_t>(*object_.symbol_tags.version_index) + 2 * std::uint64_t{own_.hashed->first};
      versions = reader_.view(TableReader::Table::Versions, address, 2 * values.size());
      if (versions.size() < 2 * values.size()) return;
    }
    scratch_.marks.resize(own_.hashed->first + values.size());
    std::uint8_t* const marks = scratch_.marks.data() + own_.hashed->first;
    std::uint16_t last_version = 0;
    std::uint8_t mark = own_.takes(last_version) ? kOwn : 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint16_t version =
          has_versions ? load_as<std::uint16_t>(versions.data() + 2 * i, order) : std::uint16_t{0};
      if (version != last_version) {
        last_version = version;
        mark = own_.takes(version) ? kOwn : 0;
      }
      if ((values[i] & 1) != 0) marks[i] = mark;
    }
  }

  /// Goes through the relocations and keeps the first of each kind.
  void collect() {
    if (object_.symbol_tags.symbol_table) {
      symbols_ = static_cast<std::uint64_t>(*object_.symbol_tags.symbol_table);
      // What the file does not have cannot be referred to.
      if (reader_.image().locate(symbols_)) {
        symbols_available_ = std::min(reader_.file().status().size_bytes / symbol_bytes(), kMaxSymbols);
      }
    }
    // Most are of a few types, and of symbols that need no more than a mark, or have it. All that takes
    // is in variables of this function: a mark is a byte, and storing one could change any member.
    constexpr std::uint32_t kMostTypes = 64;
    std::array<QuickKind, 2 * kMostTypes> quick{};
    std::span<std::uint8_t> marks = scratch_.marks;
    ObjectReferences::Own own;
    WritablePlaces writable(object_, rules_.text);
    const auto end = for_each_relocation(reader_, object_, [&](const Relocation& relocation) {
      if (!writable.have(relocation.address) && relocation.type != 0) [[unlikely]] {
        misplace(relocation);
        marks = scratch_.marks;
        return;
      }
      const std::size_t type = relocation.type + (relocation.is_in_plt ? kMostTypes : 0);
      if (relocation.type < kMostTypes && relocation.symbol < marks.size()) {
        const QuickKind kind = quick[type];
        std::uint8_t& known = marks[relocation.symbol];
        if ((known & kind.mark) != 0) return;
        if (kind.mark != 0 && (known & kOwn) != 0) {
          known |= kind.mark;
          ++own.references;
          own.lazy += kind.is_lazy;
          return;
        }
      }
      const Kind kind = kind_of(relocation);
      take(relocation, kind);
      if (kind.is_quick && relocation.type < kMostTypes) quick[type] = {kind.mark, kind.is_lazy};
      marks = scratch_.marks;
    });
    if (end && !error_) fail(*end, "has relocations outside the mapped segments");
    into_.own.references += own.references;
    into_.own.lazy += own.lazy;
  }

  /// The loader looks the symbol up, and writes.
  void misplace(const Relocation& relocation) {
    if (into_.misplaced || error_) return;
    take(relocation, kind_of(relocation));
    into_.misplaced = MisplacedRelocation{relocation.address, scratch_.sequence.size()};
  }

  /// What relocations of one type come to, in DT_JMPREL or outside.
  struct Kind {
    RelocationUse use = RelocationUse::None;  ///< Plt stands for all that is looked up like it
    bool is_lazy = false;
    bool is_refused_lazily = false;  ///< by a pass that binds lazily
    TlsUse tls_use = TlsUse::None;
    bool is_quick = false;  ///< an own symbol needs nothing but a mark
    std::uint8_t mark = 0;
  };
  struct QuickKind {
    std::uint8_t mark = 0;  ///< 0: it is not one, or has not come yet
    bool is_lazy = false;
  };

  [[nodiscard]] Kind kind_of(const Relocation& relocation) const {
    Kind kind;
    kind.use = relocation_use(object_.target.machine, relocation.type);
    const bool waits = relocation.is_in_plt && !object_.is_bind_now;
    const bool is_lazy_type = kind.use == RelocationUse::JumpSlot || kind.use == RelocationUse::TlsDesc;
    kind.is_refused_lazily = waits && !is_lazy_type && kind.use != RelocationUse::Indirect && refuses_others_in_plt();
    // Where a lazy pass refuses a type it looks nothing up.
    kind.is_lazy = waits && (kind.use != RelocationUse::TlsDesc || rules_.tlsdesc_is_lazy) &&
                   (is_lazy_type || refuses_others_in_plt());
    if (kind.use == RelocationUse::StaticTls) kind.tls_use = TlsUse::Required;
    if (kind.use == RelocationUse::TlsDesc) kind.tls_use = TlsUse::Optional;
    if (is_lazy_type || kind.tls_use != TlsUse::None) kind.use = RelocationUse::Plt;
    const bool is_looked_up =
        kind.use == RelocationUse::Plain || kind.use == RelocationUse::Data || kind.use == RelocationUse::Plt;
    kind.is_quick = is_looked_up && kind.tls_use == TlsUse::None && !kind.is_refused_lazily && !rules_.wants_repeats;
    kind.mark = mark_of(kind.use, kind.is_lazy);
    return kind;
  }

  /// A relocation that may be more, or less, than a lookup.
  void take(const Relocation& relocation, Kind kind) {
    if (error_ || (kind.use == RelocationUse::None && !relocation.is_in_plt)) return;
    if (kind.is_refused_lazily && !into_.unknown_lazy) {
      into_.unknown_lazy = OddRelocation{relocation.type, scratch_.sequence.size(), true};
    }
    if (kind.use == RelocationUse::None || kind.use == RelocationUse::Indirect) return;
    if (kind.use == RelocationUse::Unknown && !rules_.refuses_types) {
      kind.use = RelocationUse::Plain;
      kind.mark = mark_of(kind.use, kind.is_lazy);
    }
    const bool is_unknown = kind.use == RelocationUse::Unknown;
    if (is_unknown) {
      if (into_.unknown) return;
      const bool waits = relocation.is_in_plt && !object_.is_bind_now;
      into_.unknown = OddRelocation{relocation.type, scratch_.sequence.size(), waits};
      // The loader looks the symbol up before it looks at the type.
      kind.use = RelocationUse::Plain;
      kind.mark = mark_of(kind.use, kind.is_lazy);
    }
    if (relocation.symbol == 0) {
      if (kind.tls_use != TlsUse::None) note_tls(0, kind);
      is_over_ = is_over_ || is_unknown;
      return;
    }
    if (relocation.symbol >= symbols_available_) {
      fail(symbols_ + relocation.symbol * symbol_bytes(),
           "has a relocation with symbol " + std::to_string(relocation.symbol) + ", which DT_SYMTAB does not have");
      return;
    }
    if (kind.tls_use != TlsUse::None) disown(relocation.symbol, kind);
    add(relocation.symbol, kind);
    if (kind.tls_use != TlsUse::None) note_tls(relocation.symbol, kind);
    if (is_unknown) {
      into_.unknown->after = scratch_.sequence.size();
      is_over_ = true;
    }
  }

  /// Most machines' elf_machine_lazy_rel knows few types; PowerPC64's looks at none, and MIPS's at JUMP_SLOT only.
  [[nodiscard]] bool refuses_others_in_plt() const {
    switch (object_.target.machine) {
      case EM_X86_64:
      case EM_386:
      case EM_AARCH64:
      case EM_ARM:
      case EM_S390:
      case EM_RISCV: return true;
      default: return false;
    }
  }

  void add(std::uint32_t symbol, const Kind& kind) {
    if (symbol >= scratch_.marks.size()) [[unlikely]] {
      scratch_.marks.resize(std::max<std::size_t>(symbol + 1, scratch_.marks.size() * 2));
    }
    std::uint8_t& marks = scratch_.marks[symbol];
    if (rules_.wants_repeats) note_repeat(symbol, kind, marks);
    if ((marks & kind.mark) != 0) return;
    marks |= kind.mark;
    // A copy relocation asks others for what it has itself.
    if ((marks & kOwn) != 0 && kind.use != RelocationUse::Copy) {
      ++into_.own.references;
      into_.own.lazy += kind.is_lazy;
      return;
    }
    marks |= kNamed;
    scratch_.sequence.push_back(entry_of(symbol, kind));
  }

  /// Whose variable it is matters here, so that the symbol is looked up as if it were not the object's own.
  void disown(std::uint32_t symbol, const Kind& kind) {
    if (symbol >= scratch_.marks.size() || (scratch_.marks[symbol] & kOwn) == 0) return;
    std::uint8_t& marks = scratch_.marks[symbol];
    if ((marks & kind.mark) != 0) {
      --into_.own.references;
      into_.own.lazy -= kind.is_lazy;
    }
    marks &= static_cast<std::uint8_t>(~(kOwn | kind.mark));
  }

  void note_tls(std::uint32_t symbol, const Kind& kind) {
    if (is_over_) return;
    const std::uint64_t entry = entry_of(symbol, kind);
    const auto is_same = [&](const ReferenceScratch::Tls& known) {
      return known.entry == entry && known.use == kind.tls_use;
    };
    constexpr std::size_t kRemembered = 8;  // the same again costs nothing: a few need no further note
    const std::size_t count = std::min(scratch_.tls.size(), kRemembered);
    if (std::any_of(scratch_.tls.end() - static_cast<std::ptrdiff_t>(count), scratch_.tls.end(), is_same)) return;
    scratch_.tls.push_back({scratch_.sequence.size(), symbol, entry, kind.tls_use, kind.is_lazy});
  }

  static std::uint64_t entry_of(std::uint32_t symbol, const Kind& kind) {
    return std::uint64_t{symbol} << (kUseBits + 1) | std::uint64_t{kind.is_lazy} << kUseBits |
           static_cast<std::uint64_t>(kind.use);
  }

  void note_repeat(std::uint32_t symbol, const Kind& kind, std::uint8_t marks) {
    const std::uint64_t entry = entry_of(symbol, kind);
    const bool is_as_before = (entry & ~kLazyBit) == before_;
    before_ = entry & ~kLazyBit;
    // Behind a type that the loader refuses nothing comes any more; what it is of is looked up first.
    if ((marks & kind.mark) != 0 && (marks & kNamed) != 0 && !is_over_) {
      scratch_.repeats.push_back({scratch_.sequence.size(), entry, !is_as_before});
    }
  }

  static std::uint8_t mark_of(RelocationUse use, bool is_lazy) {
    switch (use) {
      case RelocationUse::Plain: return 1u << 0;
      case RelocationUse::Data: return 1u << 1;
      case RelocationUse::Copy: return 1u << 2;
      default: return is_lazy ? 1u << 3 : 1u << 4;
    }
  }

  /// The marks are many, and few of them are of symbols with names: eight are looked at in one go.
  void gather_named() {
    constexpr std::uint64_t kNamedOfEight = std::uint64_t{0x0101010101010101} * kNamed;
    std::vector<std::uint8_t>& marks = scratch_.marks;
    marks.resize((marks.size() + 7) / 8 * 8);
    for (std::size_t start = 0; start < marks.size(); start += 8) {
      if ((load_as<std::uint64_t>(marks.data() + start, std::endian::native) & kNamedOfEight) == 0) continue;
      for (std::size_t symbol = start; symbol < start + 8; ++symbol) {
        if ((marks[symbol] & kNamed) != 0) scratch_.named.push_back(static_cast<std::uint32_t>(symbol));
      }
    }
  }

  void read_symbols() {
    const std::size_t size = symbol_bytes();
    const std::endian order = reader_.order();
    scratch_.order.clear();
    gather_named();
    last_ = scratch_.named.empty() ? 0 : scratch_.named.back() + std::size_t{1};
    scratch_.positions.resize(last_);
    into_.symbols.reserve(scratch_.named.size());
    for (const std::uint32_t index : scratch_.named) {
      if (error_) return;
      const auto bytes =
          reader_.view(TableReader::Table::Symbols, symbols_ + index * size, size, (last_ - index) * size);
      if (bytes.size() < size) {
        return fail(symbols_ + index * size, "has dynamic symbols outside the mapped segments");
      }
      const std::byte* at = bytes.data();
      const std::size_t info = reader_.is_64() ? 4 : 12;
      ReferredSymbol symbol;
      symbol.index = index;
      symbol.info = std::to_integer<std::uint8_t>(at[info]);
      symbol.other = std::to_integer<std::uint8_t>(at[info + 1]);
      symbol.is_defined = load_as<std::uint16_t>(at + info + 2, order) != SHN_UNDEF;
      symbol.has_value =
          reader_.is_64() ? load_as<std::uint64_t>(at + 8, order) != 0 : load_as<std::uint32_t>(at + 4, order) != 0;
      const unsigned visibility = symbol.other & 3;
      symbol.is_local = symbol.info >> 4 == STB_LOCAL ||
                        (rules_.honours_visibility && (visibility == STV_HIDDEN || visibility == STV_INTERNAL));
      if (!symbol.is_local) {
        symbol.versym = read_versym(index);
        const std::uint64_t name = load_as<std::uint32_t>(at, order);
        scratch_.order.push_back(name << 32 | into_.symbols.size());
      }
      symbol.size_bytes =
          reader_.is_64() ? load_as<std::uint64_t>(at + 16, order) : load_as<std::uint32_t>(at + 8, order);
      scratch_.positions[index] = static_cast<std::uint32_t>(into_.symbols.size());
      into_.symbols.push_back(symbol);
    }
  }

  std::uint16_t read_versym(std::size_t index) {
    if (!object_.symbol_tags.version_index) return 0;
    const std::uint64_t address = static_cast<std::uint64_t>(*object_.symbol_tags.version_index) + index * 2;
    const auto bytes = reader_.view(TableReader::Table::Versions, address, 2, (last_ - index) * 2);
    if (bytes.size() < 2) {
      fail(address, "has its DT_VERSYM outside the mapped segments");
      return 0;
    }
    return load_as<std::uint16_t>(bytes.data(), reader_.order());
  }

  /// In the order in which the names lie in the file.
  void read_names() {
    if (!object_.symbol_tags.string_table) {
      if (!scratch_.order.empty()) fail(0, "has symbols but no DT_STRTAB");
      return;
    }
    const std::uint64_t strings = static_cast<std::uint64_t>(*object_.symbol_tags.string_table);
    reserve_names();
    for_each_place_group(scratch_.order, scratch_.spare,
                         [&](std::span<const std::uint64_t> group, std::uint64_t first, std::uint64_t last) {
                           reader_.bring_strings(strings + first, strings + last);
                           for (const std::uint64_t entry : group) {
                             if (!error_) read_name(strings + (entry >> 32), into_.symbols[entry & 0xffffffff]);
                           }
                         });
  }

  /// Names mostly take as many bytes as they span in the file; what is not used is never touched.
  void reserve_names() {
    constexpr std::size_t kMostReserved = 512;  // for each name
    const auto [first, last] = std::minmax_element(scratch_.order.begin(), scratch_.order.end());
    if (first == scratch_.order.end()) return;
    into_.names.reserve(
        std::min(static_cast<std::size_t>((*last >> 32) - (*first >> 32)), scratch_.order.size() * kMostReserved));
  }

  void read_name(std::uint64_t address, ReferredSymbol& symbol) {
    const auto name = reader_.string_at(address);
    // Names may overlap, so that all together are many times as long as the file: real ones do so a little.
    constexpr std::uint64_t kLeastBytes = 4 << 20;
    constexpr std::uint64_t kBytesForEach = 4096;
    if (name && into_.names.size() + name->size() > kLeastBytes + kBytesForEach * into_.symbols.size()) {
      fail(address, "has symbol names that are too long together");
      error_->code = ErrorCode::LimitReached;
      return;
    }
    if (!name || into_.names.size() + name->size() > ~std::uint32_t{0}) {
      return fail(address, "has a symbol name outside the mapped segments");
    }
    symbol.name_start = static_cast<std::uint32_t>(into_.names.size());
    symbol.name_length = static_cast<std::uint32_t>(name->size());
    symbol.hash = gnu_hash(*name);
    into_.names.append(*name);
  }

  [[nodiscard]] Reference reference_of(std::uint64_t entry) const {
    Reference reference;
    reference.symbol = scratch_.positions[entry >> (kUseBits + 1)];
    reference.is_lazy = (entry >> kUseBits & 1) != 0;
    reference.use = static_cast<RelocationUse>(entry & ((1u << kUseBits) - 1));
    return reference;
  }

  /// References to the object's own local symbols are left out.
  void put_in_order() {
    std::size_t tls = 0;
    std::unordered_map<std::uint64_t, std::size_t> places;  // of references that thread-local storage is of
    for (const ReferenceScratch::Tls& note : scratch_.tls) places.emplace(note.entry, TlsReference::kItself);
    const std::vector<std::uint64_t>& sequence = scratch_.sequence;
    std::size_t repeat = 0;
    // Not optionals: gcc compares what is in an empty one before it looks whether it is, and memcheck sees that.
    constexpr std::size_t kNever = ~std::size_t{0};
    const std::size_t unknown = into_.unknown ? into_.unknown->after : kNever;
    const std::size_t unknown_lazy = into_.unknown_lazy ? into_.unknown_lazy->after : kNever;
    for (std::size_t i = 0; i <= sequence.size(); ++i) {
      for (; repeat < scratch_.repeats.size() && scratch_.repeats[repeat].after == i; ++repeat) {
        const Reference reference = reference_of(scratch_.repeats[repeat].entry);
        if (!into_.symbols[reference.symbol].is_local) {
          into_.repeats.push_back({into_.references.size(), reference, scratch_.repeats[repeat].is_looked_up});
        }
      }
      for (; tls < scratch_.tls.size() && scratch_.tls[tls].after == i; ++tls) {
        const ReferenceScratch::Tls& note = scratch_.tls[tls];
        into_.tls.push_back({into_.references.size(), places[note.entry], note.use, note.is_lazy});
      }
      if (unknown == i) into_.unknown->after = into_.references.size();
      if (unknown_lazy == i) into_.unknown_lazy->after = into_.references.size();
      if (i == sequence.size()) break;
      const Reference reference = reference_of(sequence[i]);
      if (into_.symbols[reference.symbol].is_local) continue;
      if (!places.empty()) {
        if (const auto place = places.find(sequence[i]); place != places.end()) place->second = into_.references.size();
      }
      into_.references.push_back(reference);
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
  std::uint64_t before_ = 0;             ///< symbol and use of the relocation before (l_lookup_cache)
  std::size_t last_ = 0;                 ///< behind the last symbol that is referred to
  std::uint64_t symbols_available_ = 0;  ///< that the file can have
  bool is_over_ = false;                 ///< a relocation before has an unknown type
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> read_references(TableReader& reader, const ElfObject& object, const ReferenceRules& rules,
                                     const OwnSymbols& own, std::string_view path, ReferenceScratch& scratch,
                                     ObjectReferences& into) {
  return Reading(reader, object, rules, own, path, scratch, into).run();
}

}  // namespace soresolve
