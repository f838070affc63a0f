// Which symbols of an object bind to that object itself, whatever their names are?
//
// C++ libraries refer to thousands of symbols that they define themselves, so that others may replace
// them. Nobody can whose hash tables do not have the value: such a symbol is found in its own object
// first (glibc elf/dl-lookup.c:do_lookup_x). The values stand in DT_GNU_HASH, side by side, so that no
// name needs to be read for it; the names are what most bytes of large libraries' tables are.
//
// The table's word is taken for the hash of a symbol's name, as link editors write it. Who has to know
// of names that were changed behind its back has all references told (OwnReferences).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "elf/table_reader.h"
#include "version/definition_rules.h"
#include "version/gnu_table.h"
#include "version/version_index.h"

namespace soresolve {

/// The hash values of one object, without their lowest bits.
struct HashedSymbols {
  std::uint32_t first = 0;             ///< the symbol of values[0]
  /// Bit 0: the lookup of the symbol's name in this object, if it comes there, can find nothing else.
  std::vector<std::uint32_t> values;
  /// False: it may have symbols that are not listed here.
  bool is_complete = true;
};

/// Reads the values of an object's DT_GNU_HASH. Damage is left to others to tell: what is read is
/// then not complete.
HashedSymbols read_hashed_symbols(TableReader& reader, const ElfObject& object);

/// What the objects of a scope have, asked one after the other.
class CarriedHashes {
 public:
  /// `count`: of all values that will be entered.
  explicit CarriedHashes(std::size_t count);
  /// Takes bit 0 from each value that an object before may have.
  void keep_new(HashedSymbols& symbols) const;
  void enter(const HashedSymbols& symbols);

 private:
  [[nodiscard]] std::size_t place(std::uint32_t value) const { return value >> 1 & mask_; }

  std::size_t mask_;
  std::vector<std::uint64_t> bits_;
  bool is_complete_ = true;
};

/// The symbols of one object that nobody before it in its scope has.
struct OwnSymbols {
  const HashedSymbols* hashed = nullptr;  ///< null: there are none
  const VersionIndex* versions = nullptr;
  /// Has nobody before the object the hash value of its symbol?
  [[nodiscard]] bool may_have(std::uint32_t symbol) const {
    return hashed != nullptr && symbol >= hashed->first &&
           symbol - hashed->first < hashed->values.size() &&
           (hashed->values[symbol - hashed->first] & 1) != 0;
  }
  /// Then: is a lookup for its name sure to end at the symbol itself? Its definition is one that
  /// has a value and is visible. Leaves out what lookups treat specially: unique symbols, IFUNCs.
  [[nodiscard]] bool takes(std::uint8_t info, std::uint16_t versym) const;
};

}  // namespace soresolve
