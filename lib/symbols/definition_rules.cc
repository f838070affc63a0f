// Whether a symbol's version and type allow a match. Source: glibc 2.36 elf/dl-lookup.c:check_match; since 2.42 (and on
// the branch of 2.41) a definition without a version is only a fallback. Names, visibility and binding are compared in
// definitions.cc.
#include "symbols/definition_rules.h"

#include <elf.h>

namespace soresolve {

VersionAnswer answer_version(const WantedVersion* wanted, std::uint16_t versym, const VersionIndex& provider,
                             const DefinitionRules& rules) {
  if (!provider.is_used()) return VersionAnswer::Accepted;
  const bool is_hidden = (versym & kVersymHidden) != 0;
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

bool is_candidate(std::uint64_t value, std::uint16_t section, std::uint8_t info, LookupClass lookup_class) {
  const unsigned type = info & 0xf;
  if (value == 0 && section != SHN_ABS && type != STT_TLS) return false;
  if (lookup_class == LookupClass::Plt && section == SHN_UNDEF) return false;
  switch (type) {
    case STT_NOTYPE:
    case STT_OBJECT:
    case STT_FUNC:
    case STT_COMMON:
    case STT_TLS:
    case STT_GNU_IFUNC: return true;
    default: return false;
  }
}

}  // namespace soresolve
