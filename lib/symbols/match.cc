// match_symbol() of glibc elf/dl-version.c, one verdict per way out of it.
#include "soresolve/elf.h"
#include "symbols/version_tables.h"

namespace soresolve {

VersionMatch match_version(const VersionNeed& need, const VersionTables& provider) {
  if (!provider.has_defs) return {VersionVerdict::ProviderUnversioned, nullptr};
  for (const VersionDef& def : provider.defs) {
    if (def.record_version != 1) return {VersionVerdict::UnknownRecord, &def};
    if (def.hash == need.hash && def.name == need.name) return {VersionVerdict::Defined, &def};
  }
  return {need.weak ? VersionVerdict::MissingWeak : VersionVerdict::Missing, nullptr};
}

std::uint32_t version_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
  }
  return hash;
}

std::string version_text(VersionVerdict verdict, const VersionNeed& need, const VersionDef* def,
                         std::string_view requirer) {
  const std::string name(need.name);
  const std::string by = " (required by " + std::string(requirer) + ")";
  switch (verdict) {
    case VersionVerdict::Defined: return {};
    case VersionVerdict::ProviderUnversioned: return "no version information available" + by;
    case VersionVerdict::MissingWeak: return "weak version `" + name + "' not found" + by;
    case VersionVerdict::Missing: return "version `" + name + "' not found" + by;
    case VersionVerdict::UnknownRecord:
      return "unsupported version " + std::to_string(def != nullptr ? def->record_version : 0) + " of Verdef record";
  }
  return {};
}

}  // namespace soresolve
