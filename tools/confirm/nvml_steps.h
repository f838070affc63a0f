// NVML: what the memory of the GPU has gone through.
#pragma once
#include "session.h"

namespace soresolve::confirm {

/// Fails only where rows of the memory wait for a reset, or could not be replaced: then what CUDA computes is not to be
/// relied on. What NVML does not answer is said.
Outcome run_nvml_health(Session& session);

}  // namespace soresolve::confirm
