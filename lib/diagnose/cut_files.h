// Files that are loaded although their end is missing.
#pragma once
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// One FileCut problem for each object of the map whose file ends before its PT_LOAD segments do.
std::vector<Problem> find_cut_files(const Scene& scene);

}  // namespace soresolve
