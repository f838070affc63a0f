// check_versions() for whoever reads the same tables for other purposes.
#pragma once
#include "soresolve/symbols.h"
#include "symbols/map_versions.h"

namespace soresolve {

Result<VersionCheck> check_versions(const LinkMap& map, MapVersions& versions);

}  // namespace soresolve
