// Every program and module of two roots.
#pragma once
#include "compare/same_file.h"
#include "soresolve/compare.h"

namespace soresolve {

/// Errors: those of the settings.
Result<TreeComparison> compare_trees(const WorldSettings& a, const WorldSettings& b, const CompareOptions& options);

}  // namespace soresolve
