// What CUDA requires of a whole process, beyond what the loader requires of each file: its driver, in a container the
// host's (driver_rules.cc), one release of CUDA (other_cuda.cc), the wheels that a package was built with
// (wheel_pins.cc).
#pragma once
#include <vector>

#include "cuda/contracts.h"
#include "cuda/cuda_process.h"
#include "cuda/driver_mount.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// What CUDA asks of the whole process of `map` and is not so: all that follows. Quick and empty where the process has
/// no CUDA libraries.
std::vector<Problem> find_cuda_problems(const LinkMap& map, const Dlopens& dlopens);

/// Problems MixedBuild, StubLibrary, ForwardCompat, DriverMismatch, DriverTooOld, DriverMissing and
/// FrameworkBuild of one process.
std::vector<Problem> judge_cuda_process(CudaProcess& cuda, const CudaContracts& contracts);

/// Problems of the driver that is laid over the files of `map`; none where none is.
std::vector<Problem> find_driver_problems(const LinkMap& map, const Dlopens& dlopens);

/// What was assumed of the host, first that there is one: for the notes of each answer.
std::vector<Statement> driver_notes(const DriverMount& driver);

/// Who needs or opens libcublas.so.12 is built for CUDA 12; the libcusparse.so.12 that it gets may be of CUDA 13.
/// Problems FrameworkBuild, one for each user and release of CUDA, with the wheels that would be right. `told` has been
/// found before: its libraries are left out.
std::vector<Problem> find_of_other_cuda(CudaProcess& cuda, const Dlopens& dlopens,
                                        const std::vector<Problem>& reported);

/// A library from elsewhere, or of another release, than the wheel that a loaded package requires in one version: of
/// another major release of CUDA, or older. Problems FrameworkBuild, each with the wheel that would be right.
std::vector<Problem> find_pinned_elsewhere(CudaProcess& cuda);
/// A package of Python in the process that pins another release of its framework than is installed beside it.
std::vector<Problem> find_other_frameworks(const LinkMap& map);

}  // namespace soresolve
