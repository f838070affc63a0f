// What CUDA asks of a whole process, beyond what the loader asks of each file.
#pragma once
#include <vector>

#include "cuda/cuda_process.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// Problems MixedBuild, StubLibrary, ForwardCompat, DriverMismatch, DriverTooOld, DriverMissing and
/// FrameworkBuild of one process.
std::vector<Problem> judge_cuda_process(CudaProcess& cuda, const CudaContracts& contracts);

}  // namespace soresolve
