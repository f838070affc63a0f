// Do the CUDA libraries of a process fit the packages of Python that use them?
#pragma once
#include <vector>

#include "cuda/cuda_process.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// A library from elsewhere, or of another release, than the wheel that a loaded package requires in one version: of
/// another major release of CUDA, or older. Problems FrameworkBuild, each with the wheel that would be right.
std::vector<Problem> find_pinned_elsewhere(CudaProcess& cuda);

}  // namespace soresolve
