// The other libraries of CUDA: their versions, and one small computation of each with a known answer.
#pragma once
#include "gpu_memory.h"
#include "numbers.h"
#include "session.h"

namespace soresolve::confirm {

Outcome run_cublas_version(Session& session);
Outcome run_cublas_product(Session& session);
Outcome run_cublas_half(Session& session);
Outcome run_cufft_version(Session& session);
Outcome run_cufft_transform(Session& session);
Outcome run_curand_version(Session& session);
Outcome run_curand_numbers(Session& session);
Outcome run_cusparse_version(Session& session);
Outcome run_cusparse_product(Session& session);
Outcome run_cusolver_version(Session& session);
Outcome run_cusolver_factors(Session& session);
Outcome run_nccl_version(Session& session);
Outcome run_nccl_all_reduce(Session& session);
Outcome run_nvrtc_version(Session& session);
Outcome run_nvrtc_compile(Session& session);
Outcome run_nvrtc_kernel(Session& session);

/// The version by cublasGetProperty and the like, which take no handle and want no GPU.
Outcome property_version(Session& session, const char* role, const char* function);

/// How a step ends whose library has failed: where the GPU is full, the address space is limited, or the environment
/// keeps the driver from a form of its code, that is no fault of the library.
Outcome library_failed(const Library& library, const GpuMemory& memory, Outcome so_far = {});

/// How a step ends whose calls and comparison are done.
Outcome computed(const Library& library, const GpuMemory& memory, const Comparison& comparison, const Statement& what);

}  // namespace soresolve::confirm
