// The symbol references of one object: which symbols its relocations name, once for each class.
//
// Source: glibc elf/dl-reloc.c:RESOLVE_MAP: references to local and hidden symbols are the object's
// own and cause no lookup.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elf/relocation_types.h"
#include "elf/table_reader.h"
#include "soresolve/symbols.h"
#include "symbols/own_symbols.h"
#include "symbols/version_index.h"
#include "symbols/writable_places.h"

namespace soresolve {

/// A symbol that is referred to.
struct ReferredSymbol {
  std::uint32_t index = 0;       ///< in DT_SYMTAB
  std::uint32_t name_start = 0;  ///< in ObjectReferences::names
  std::uint32_t name_length = 0;
  std::uint32_t hash = 0;  ///< gnu_hash of the name
  std::uint64_t size_bytes = 0;
  std::uint16_t versym = 0;
  std::uint8_t info = 0;
  std::uint8_t other = 0;
  bool is_defined = false;
  bool has_value = false;
  bool is_local = false;  ///< bound to the object itself without a lookup
};

/// A reference in the order of the relocations; each (symbol, use, lazy) once.
struct Reference {
  std::uint32_t symbol = 0;  ///< index into ObjectReferences::symbols
  RelocationUse use = RelocationUse::Plain;
  bool is_lazy = false;
};

/// A relocation that the loader refuses, or one that comes up again.
struct OddRelocation {
  std::uint32_t type = 0;
  std::size_t after = 0;        ///< references before it
  bool is_in_lazy_plt = false;  ///< of DT_JMPREL, in an object that may be bound lazily
};
/// A relocation whose place is in no segment that can be written to: the loader dies of it.
struct MisplacedRelocation {
  std::uint64_t address = 0;  ///< r_offset
  std::size_t after = 0;      ///< references before it
};
struct RepeatedReference {
  std::size_t after = 0;
  Reference reference;
  bool is_looked_up = true;  ///< false: as the relocation before it, whose result the loader kept
};

/// A relocation that wants thread-local storage at a fixed place.
struct TlsReference {
  static constexpr std::size_t kItself = ~std::size_t{0};
  std::size_t after = 0;            ///< references before it
  std::size_t reference = kItself;  ///< the one that says whose; kItself: the object's own
  TlsUse use = TlsUse::Required;
  bool is_lazy = false;
};

struct ObjectReferences {
  std::vector<ReferredSymbol> symbols;  ///< ascending by index
  std::vector<Reference> references;
  std::string names;
  std::optional<OddRelocation> unknown;          ///< the first of a type that the loader does not know
  std::optional<OddRelocation> unknown_lazy;     ///< the first that a lazy pass over DT_JMPREL refuses
  std::optional<MisplacedRelocation> misplaced;  ///< the first
  std::vector<RepeatedReference> repeats;        ///< if ReferenceRules asks for them
  std::vector<TlsReference> tls;
  /// References to OwnSymbols, which are left out of all lists.
  struct Own {
    std::size_t references = 0;
    std::size_t lazy = 0;
  } own;

  [[nodiscard]] std::string_view name_of(const ReferredSymbol& symbol) const {
    return std::string_view(names).substr(symbol.name_start, symbol.name_length);
  }
};

/// Memory that one reading after the other can use again.
struct ReferenceScratch {
  std::vector<std::uint8_t> marks;
  std::vector<std::uint32_t> named;  ///< symbols that are looked up by their names, ascending
  std::vector<std::uint32_t> positions;
  std::vector<std::uint64_t> sequence;
  struct Repeat {
    std::size_t after = 0;
    std::uint64_t entry = 0;
    bool is_looked_up = true;
  };
  std::vector<Repeat> repeats;
  struct Tls {
    std::size_t after = 0;
    std::uint32_t symbol = 0;
    std::uint64_t entry = 0;
    TlsUse use = TlsUse::Required;
    bool is_lazy = false;
  };
  std::vector<Tls> tls;
  std::vector<std::uint64_t> order;
  std::vector<std::uint64_t> spare;
};

struct ReferenceRules {
  bool tlsdesc_is_lazy = false;  ///< up to 2.33
  bool wants_repeats = false;
  bool refuses_types = true;       ///< false: all relocations of types that it does not know are looked up
  bool honours_visibility = true;  ///< hidden symbols are the object's own, protected ones nearly
  TextRelocations text = TextRelocations::ByFlag;
};

/// Reads the references of an object into `into`, whose memory is used again; those to `own` symbols
/// are counted only. Returns where and how the tables lead out of the file: the loader would crash
/// there.
std::optional<Error> read_references(TableReader& reader, const ElfObject& object, const ReferenceRules& rules,
                                     const OwnSymbols& own, std::string_view path, ReferenceScratch& scratch,
                                     ObjectReferences& into);

}  // namespace soresolve
