// Builds the table from version index to name. Source: glibc 2.36 elf/dl-version.c:_dl_check_map_versions, l_versions.
// The base definition has no entry, so that a symbol of it counts as unversioned.
#include "symbols/version_index.h"

#include <algorithm>

namespace soresolve {

VersionIndex::VersionIndex(const VersionTables& tables) {
  std::size_t highest = 0;
  for (const VersionNeed& need : tables.needs) highest = std::max<std::size_t>(highest, need.index);
  for (const VersionDef& def : tables.defs) highest = std::max<std::size_t>(highest, def.index);
  if (highest == 0) return;
  entries_.resize(highest + 1);
  for (const VersionNeed& need : tables.needs) {
    entries_[need.index] = {need.name, need.file, need.hash, need.is_hidden, true};
  }
  for (const VersionDef& def : tables.defs) {
    if (!def.base) entries_[def.index] = {def.name, {}, def.hash, false, false};
  }
}

}  // namespace soresolve
