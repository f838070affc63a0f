// The parts of a comparison of two roots: every program and module, and what both machines have for CUDA. One file:
// compare_file.h.
#pragma once
#include <vector>

#include "compare/same_file.h"
#include "soresolve/compare.h"
#include "soresolve/doctor.h"

namespace soresolve {

/// Errors: those of the settings.
Result<TreeComparison> compare_trees(const WorldSettings& a, const WorldSettings& b, const CompareOptions& options);

/// In the order of the checks. Errors: as examine_machine().
Result<std::vector<MachineDifference>> compare_machines(const WorldSettings& a, const WorldSettings& b);

}  // namespace soresolve
