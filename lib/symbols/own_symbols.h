// Which references of an object to its own symbols are bound without a word of the loader, whatever
// the symbols' names are?
//
// C++ libraries refer to thousands of symbols that they define themselves, so that others may replace
// them. Such a reference is never left unbound: its lookup ends at an object before, or at the symbol
// itself (glibc elf/dl-lookup.c:do_lookup_x). Which of the two it is matters only where the loader has
// something to say of a definition: of an IFUNC of an object that is relocated later, of a protected
// symbol. Those are few; unless one of them has the hash value, no name needs to be read, and names
// are what most bytes of large libraries' tables are. The values stand in DT_GNU_HASH, side by side.
//
// The table's word is taken for the hash of a symbol's name, as link editors write it. Who has to know
// of names that were changed behind its back, or where a reference ends, has all references told
// (OwnReferences).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "elf/table_reader.h"
#include "symbols/definition_rules.h"
#include "symbols/gnu_table.h"
#include "symbols/version_index.h"

namespace soresolve {

/// Which hash values are there, but for their lowest bits. Values that are made to collide are taken to be all there
/// are.
class HashValues {
 public:
  explicit HashValues(std::span<const std::uint32_t> values);
  /// May be true of a value that is not there.
  [[nodiscard]] bool has(std::uint32_t value) const {
    const std::uint32_t wanted = value | 1;
    if (is_crowded_) return true;
    for (std::size_t at = first_of(wanted); slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == wanted) return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t size_bytes() const { return slots_.capacity() * sizeof(std::uint32_t); }

 private:
  [[nodiscard]] std::size_t first_of(std::uint32_t value) const {
    return (value * 0x9e3779b1u >> 7) & (slots_.size() - 1);
  }
  static constexpr std::size_t kMostPassed = 256;
  std::vector<std::uint32_t> slots_;  ///< with their lowest bits set; a power of two, half of them 0
  bool is_crowded_ = false;
};

/// What DT_GNU_HASH and DT_SYMTAB of one object tell without names.
struct HashedSymbols {
  std::uint32_t first = 0;  ///< the symbol of values[0]
  /// Hash values without their lowest bits. Bit 0: the lookup of the symbol's name, if it comes to
  /// this object, ends at the symbol, and no object before has a notable one of that value.
  std::vector<std::uint32_t> values;
  /// The values of symbols that the loader may have something to say of when others bind to them.
  std::vector<std::uint32_t> notable;
  std::shared_ptr<const HashValues> all = {};  ///< of `values`, for files that many ask; null: not known
  /// One of these is unique: it may stand in for symbols of any object.
  bool has_notable_unique = false;
  bool is_complete = true;  ///< false: it may have symbols that are not listed here
  bool is_damaged = false;  ///< its tables lead out of the file, or are none; so it is not complete
};

/// Reads the symbols of an object's DT_GNU_HASH. Damage is left to others to tell.
HashedSymbols read_hashed_symbols(TableReader& reader, const ElfObject& object);

/// Did no object before have a notable value in common?
enum class KeptQuiet : std::uint8_t { AllOfThem, Some };

/// The notable values of a scope's objects, asked one after the other.
class NotableHashes {
 public:
  /// Takes bit 0 from each value that an object before may have as a notable one.
  KeptQuiet keep_quiet(HashedSymbols& symbols) const;
  void enter(const HashedSymbols& symbols);

 private:
  static constexpr std::size_t kPlaces = 1u << 14;  ///< few are shared by values of different names
  static std::size_t place(std::uint32_t value) { return value >> 1 & (kPlaces - 1); }

  std::vector<std::uint64_t> filter_ = std::vector<std::uint64_t>(kPlaces / 64);
  std::vector<std::uint32_t> values_;  ///< ascending, without lowest bits
  bool is_complete_ = true;
};

/// The symbols of one object that its references bind to, or to others like them.
struct OwnSymbols {
  const HashedSymbols* hashed = nullptr;  ///< null: there are none
  const VersionIndex* versions = nullptr;
  /// Is a lookup for a symbol whose value has bit 0 sure to find it in this version?
  [[nodiscard]] bool takes(std::uint16_t versym) const;
};

}  // namespace soresolve
