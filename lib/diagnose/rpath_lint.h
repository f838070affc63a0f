// Entries of RPATH and RUNPATH that are dead, doubled, needless or left over from a build.
#pragma once
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// RpathMissing, RpathDuplicate, RpathDefault, RpathBuild, RpathStubs: one for each directory, the files that have the
/// entry as its evidence. None changes a verdict. Empty, relative and world-writable ones: unsafe_element.h.
std::vector<Problem> find_rpath_lint(const Scene& scene);

}  // namespace soresolve
