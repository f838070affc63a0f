// The other libraries of CUDA: their versions, and one small computation of each with a known answer.
#pragma once
#include "gpu_memory.h"
#include "group_steps.h"
#include "numbers.h"
#include "session.h"

namespace soresolve::confirm {

/// One computation of a library on the GPU, as all of them go: numbers are brought there, the library is set up and
/// called, what comes out is compared. A call or an upload that fails stops those behind it.
struct Computation {
  Session& session;
  Library& library;
  GpuMemory memory;

  [[nodiscard]] bool has_failed() const { return library.has_failed() || memory.has_failed(); }
  /// How it ends then.
  [[nodiscard]] Outcome failure(Outcome so_far = {}) const;
  /// For the calls, if none has failed.
  void wait();
  /// How it ends by what was compared.
  [[nodiscard]] Outcome judge(const Comparison& comparison, const Statement& what) const;
};

/// Where its computation has failed the row's code may return as if it had passed.
Outcome run_computation(Session& session, const StepRow& step);

Outcome compute_cublas_product(Computation& run);
Outcome compute_cublas_half(Computation& run);
/// Each element checked, and its time beside that of our plain kernel.
Outcome compute_cudnn_convolution(Computation& run);
Outcome compute_cufft_transform(Computation& run);
Outcome compute_curand_numbers(Computation& run);
Outcome compute_cusparse_product(Computation& run);
Outcome compute_cusolver_factors(Computation& run);
Outcome compute_nccl_all_reduce(Computation& run);
Outcome compute_nvrtc_kernel(Computation& run);

/// By cublasGetProperty and the like, which take no handle and want no GPU.
Outcome read_property_version(Session& session, const StepRow& step);

/// cudnnGetVersion and the version checks of its parts, which make it open them.
Outcome run_cudnn_version(Session& session);
/// 91900 is "9.19.0", 8906 is "8.9.6".
std::string cudnn_version_text(std::size_t number);
Outcome run_nccl_version(Session& session);
Outcome run_nvrtc_version(Session& session);
Outcome run_nvrtc_compile(Session& session);
/// Fails only where rows of the memory wait for a reset, or could not be replaced: then what CUDA computes is not to be
/// relied on. What NVML does not answer is said.
Outcome run_nvml_health(Session& session);

/// How a step ends whose library has failed: where the GPU is full, the address space is limited, or the environment
/// keeps the driver from a form of its code, that is no fault of the library.
Outcome library_failed(const Library& library, const GpuMemory& memory, Outcome so_far = {});

}  // namespace soresolve::confirm
