// What two machines have for CUDA.
#pragma once
#include <vector>

#include "soresolve/compare.h"
#include "soresolve/doctor.h"

namespace soresolve {

/// In the order of the checks. Errors: as examine_machine().
Result<std::vector<MachineDifference>> compare_machines(const WorldSettings& a, const WorldSettings& b);

}  // namespace soresolve
