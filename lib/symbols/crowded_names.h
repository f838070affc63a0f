// Which of many symbols of one name serves a lookup: an index of their versions, so that as many lookups
// as there are versions do not each go through all of them.
//
// Files of link editors have a name in a few versions. One made to be slow has it in thousands, and asks for
// as many: the square of that is what this avoids. The rules are those of answer_version(), applied to all
// symbols at once (glibc elf/dl-lookup.c:check_match). Limits: an object's own table only; which objects are
// asked, and in which order, is the binder's matter.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "symbols/definition_rules.h"
#include "symbols/definitions.h"

namespace soresolve {

/// A symbol that a chain leads to.
struct CrowdedSymbol {
  SymbolCandidate symbol;
  std::size_t name = 0;     ///< which of the names that are looked for
  bool serves_plt = false;  ///< is_candidate() for LookupClass::Plt, too
};

/// The symbols of one name, in the order of their chain; all of them are candidates. Borrows all three.
class SameName {
 public:
  SameName(std::span<const CrowdedSymbol> symbols, const VersionIndex& provider, const DefinitionRules& rules)
      : symbols_(symbols), provider_(provider), rules_(rules) {}

  /// What the loader takes for a lookup of this name; nullptr: none of them. `wanted` is null without a version.
  const SymbolCandidate* choose(const WantedVersion* wanted, LookupClass lookup_class);

 private:
  /// One version that is offered, and the first symbol that has it.
  struct Offered {
    std::uint32_t hash = 0;
    std::string_view name;
    std::size_t place = 0;
    auto operator<=>(const Offered&) const = default;
  };
  struct Few {
    std::size_t first = 0;
    std::size_t count = 0;
    void add(std::size_t place) {
      if (count++ == 0) first = place;
    }
  };
  struct Index {
    std::vector<Offered> offered;  ///< sorted
    Few all;
    Few unversioned;  ///< neither version nor hidden mark
    Few oldest;       ///< of index 0 to 2: what was there before versions were
    Few defaults;     ///< further ones without hidden mark
  };
  [[nodiscard]] Index make_index(bool is_plt) const;
  [[nodiscard]] std::optional<std::size_t> find(const Index& index, const WantedVersion& wanted) const;

  std::span<const CrowdedSymbol> symbols_;
  const VersionIndex& provider_;
  const DefinitionRules& rules_;
  std::array<std::optional<Index>, 2> indices_;  ///< of all, and of those that serve a PLT
};

}  // namespace soresolve
