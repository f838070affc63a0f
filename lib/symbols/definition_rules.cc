// Whether a symbol's version and type allow a match. Source: glibc 2.36 elf/dl-lookup.c:check_match; since 2.42 (and on
// the branch of 2.41) a definition without a version is only a fallback. Names, visibility and binding are compared in
// definitions.cc.
#include "symbols/definition_rules.h"

#include <elf.h>

namespace soresolve {

VersionAnswer answer_version(const WantedVersion* wanted, std::uint16_t versym, const VersionIndex& provider,
                             const DefinitionRules& rules) {
  const bool is_hidden = (versym & kVersymHidden) != 0;
  if (!rules.compares_versions) return is_hidden ? VersionAnswer::Refused : VersionAnswer::Accepted;
  if (!provider.is_used()) return VersionAnswer::Accepted;
  if (wanted == nullptr) {
    // The first defined version of an object has index 2: what was there before versions were.
    if ((versym & kVersymIndex) < 3) return VersionAnswer::Accepted;
    return is_hidden ? VersionAnswer::Refused : VersionAnswer::Fallback;
  }
  const WantedVersion& offered = provider.at(versym);
  if (offered.hash == wanted->hash && offered.name == wanted->name) return VersionAnswer::Accepted;
  if (wanted->is_hidden || offered.hash != 0 || is_hidden) return VersionAnswer::Refused;
  return rules.prefers_exact_version ? VersionAnswer::Fallback : VersionAnswer::Accepted;
}

bool is_candidate(std::uint64_t value, std::uint16_t section, std::uint8_t info, LookupClass lookup_class,
                  const DefinitionRules& rules) {
  const unsigned type = info & 0xf;
  if (value == 0 && (section != SHN_ABS || !rules.finds_zero) && type != STT_TLS) return false;
  const bool wants_definition = lookup_class == LookupClass::Plt || (!rules.finds_zero && type == STT_TLS);
  if (wants_definition && section == SHN_UNDEF) return false;
  switch (type) {
    case STT_NOTYPE:
    case STT_OBJECT:
    case STT_FUNC:
    case STT_COMMON:
    case STT_TLS: return true;
    case STT_GNU_IFUNC: return rules.finds_ifuncs;
    default: return false;
  }
}

DefinitionRules definition_rules_of(const LoaderRules& rules) {
  DefinitionRules definitions;
  definitions.prefers_exact_version = rules.prefers_exact_version;
  definitions.compares_versions = rules.compares_versions;
  definitions.honours_visibility = rules.honours_visibility;
  definitions.finds_ifuncs = rules.finds_ifuncs;
  definitions.finds_zero = rules.finds_zero;
  return definitions;
}

}  // namespace soresolve
