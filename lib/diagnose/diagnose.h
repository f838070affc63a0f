// From a link map to what is wrong with it.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "soresolve/diagnose.h"
#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"

namespace soresolve {

/// Looks through a map that was made with Attempts::Record and OnFatal::Continue. `asked` restricts the
/// answer to one library name; empty for all. `dlopens`: what find_dlopens() says of the map. `check`: gives what
/// check_start() says of the map, for callers that have it or want it, too; called only while nothing is missing.
Diagnosis diagnose(const LinkMap& map, std::string_view file, std::string_view asked = {}, Dlopens dlopens = {},
                   const std::function<const Result<Check>&()>& check = {});

/// Every request of the map for a library, in the loader's order, those of LinkMap::target_closure() first: by the name
/// asked for, by the SONAME, path or file name of what was found.
std::vector<NeedRef> requests_for(const LinkMap& map, std::string_view library);

}  // namespace soresolve
