// Libraries whose name says nothing of their CUDA, under users that are built for another one.
#pragma once
#include <vector>

#include "cuda/cuda_process.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// Who needs or opens libcublas.so.12 is built for CUDA 12; the libcusparse.so.12 that it gets may be of CUDA 13.
/// Problems FrameworkBuild, one for each user and release of CUDA, with the wheels that would be right. `told` has been
/// found before: its libraries are left out.
std::vector<Problem> find_of_other_cuda(CudaProcess& cuda, const Dlopens& dlopens, const std::vector<Problem>& told);

}  // namespace soresolve
