// May this symbol serve that lookup?
//
// Source: glibc elf/dl-lookup.c:check_match.
#pragma once
#include <cstdint>

#include "loader/loader_rules.h"
#include "symbols/lookup_set.h"
#include "symbols/version_index.h"

namespace soresolve {

struct DefinitionRules {
  bool prefers_exact_version = true;  ///< since 2.42, and branches: not the first that will do
  bool is_dynamic_weak = false;       ///< LD_DYNAMIC_WEAK
  bool compares_versions = true;      ///< false: only the hidden bit counts
  bool honours_visibility = true;
  bool finds_ifuncs = true;
  bool finds_zero = true;  ///< an absolute symbol of value 0
};

/// What do the version rules say to one symbol with the right name?
enum class VersionAnswer : std::uint8_t {
  Accepted,  ///< taken at once
  Fallback,  ///< taken if it is the only one of its kind and nothing better follows
  Refused,
};
VersionAnswer answer_version(const WantedVersion* wanted, std::uint16_t versym, const VersionIndex& provider,
                             const DefinitionRules& rules);

/// Could this symbol be a definition at all (check_match)? By value, type and class.
bool is_candidate(std::uint64_t value, std::uint16_t section, std::uint8_t info, LookupClass lookup_class,
                  const DefinitionRules& rules);
/// What the loader of `rules` does; LD_DYNAMIC_WEAK is the process's.
DefinitionRules definition_rules_of(const LoaderRules& rules);

}  // namespace soresolve
