// Which index of PyTorch's wheels suits a machine.
#pragma once
#include <string>
#include <vector>

#include "cuda/contracts.h"
#include "soresolve/cuda.h"
#include "soresolve/dotted_version.h"

namespace soresolve {

/// "cu126": the index of PyTorch's wheels whose newest the driver accepts and which have code for the GPUs (for as many
/// as can be; none are known: by the driver alone). "cpu": none. Either of the driver's versions may be empty.
std::string find_torch_backend(const GpuContracts& contracts, const DottedVersion& driver,
                               const DottedVersion& driver_cuda, const std::vector<ComputeCapability>& gpus);

}  // namespace soresolve
