// Libraries that nobody needs, but that LD_PRELOAD or ld.so.preload bring in, before all others.
#pragma once
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// One PreloadInEffect problem with all preloads that are loaded, or none.
std::vector<Problem> find_preloads(const Scene& scene);

}  // namespace soresolve
