// Directories of a search in which somebody else can put libraries before the trusted ones.
#pragma once
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// UnsafeElement: empty and relative elements of LD_LIBRARY_PATH, RPATH and RUNPATH, and directories
/// that everybody may write to and that were searched before the system's own.
std::vector<Problem> find_unsafe_elements(const Scene& scene);

}  // namespace soresolve
