// bind_symbols() for whoever reads the same version tables for other purposes.
#pragma once
#include "soresolve/symbols.h"
#include "symbols/map_versions.h"

namespace soresolve {

Result<Bindings> bind_symbols(const LinkMap& map, MapVersions& versions, const BindOptions& options);

}  // namespace soresolve
