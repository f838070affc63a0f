// The table of steps for each load, with the steps that each one needs, and what runs it (run_group.cc).
#include "group_steps.h"

#include "driver_step.h"
#include "kernels.h"
#include "library_steps.h"

namespace soresolve::confirm {
namespace {

// The runtime is asked even where the driver refuses: what it says then is predicted, too.
constexpr StepRow kBase[] = {{"load", {}}, {"driver", "load", {}, run_driver}, {"runtime", "load", {}, run_runtime}};
constexpr StepRow kCuda[] = {kBase[0], kBase[1], kBase[2], {"kernel", "runtime", "driver", run_kernels}};
// The kernel step has taken the device.
constexpr StepRow kCudnn[] = {
    {"cudnn load", "load"},
    {"cudnn version", "cudnn load", {}, run_cudnn_version},
    {"cudnn convolution", "cudnn version", "kernel", compute_cudnn_convolution, TakesDevice::No}};
constexpr StepRow kCublas[] = {{"cublas load", "load"},
                               {"cublas version", "cublas load", {}, "cublasGetProperty"},
                               {"cublas product", "cublas version", "runtime", compute_cublas_product},
                               {"cublas half", "cublas version", "runtime", compute_cublas_half}};
constexpr StepRow kCufft[] = {{"cufft load", "load"},
                              {"cufft version", "cufft load", {}, "cufftGetProperty"},
                              {"cufft transform", "cufft version", "runtime", compute_cufft_transform}};
constexpr StepRow kCurand[] = {{"curand load", "load"},
                               {"curand version", "curand load", {}, "curandGetProperty"},
                               {"curand numbers", "curand version", "runtime", compute_curand_numbers}};
constexpr StepRow kCusparse[] = {{"cusparse load", "load"},
                                 {"cusparse version", "cusparse load", {}, "cusparseGetProperty"},
                                 {"cusparse product", "cusparse version", "runtime", compute_cusparse_product}};
constexpr StepRow kCusolver[] = {{"cusolver load", "load"},
                                 {"cusolver version", "cusolver load", {}, "cusolverGetProperty"},
                                 {"cusolver factors", "cusolver version", "runtime", compute_cusolver_factors}};
constexpr StepRow kNccl[] = {{"nccl load", "load"},
                             {"nccl version", "nccl load", {}, run_nccl_version},
                             {"nccl all-reduce", "nccl version", "runtime", compute_nccl_all_reduce}};
// It compiles before the device is taken.
constexpr StepRow kNvrtc[] = {{"nvrtc load", "load"},
                              {"nvrtc version", "nvrtc load", {}, run_nvrtc_version},
                              {"nvrtc compile", "nvrtc version", {}, run_nvrtc_compile},
                              {"nvrtc kernel", "nvrtc compile", "runtime", compute_nvrtc_kernel, TakesDevice::No}};
constexpr StepRow kNvml[] = {{"nvml load", "load"}, {"nvml health", "nvml load", "driver", run_nvml_health}};

struct LoadSteps {
  std::string_view load;
  std::span<const StepRow> steps;
};
constexpr LoadSteps kLoads[] = {{"base", kBase},         {"cuda", kCuda},         {"cudnn", kCudnn},
                                {"cublas", kCublas},     {"cufft", kCufft},       {"curand", kCurand},
                                {"cusparse", kCusparse}, {"cusolver", kCusolver}, {"nccl", kNccl},
                                {"nvrtc", kNvrtc},       {"nvml", kNvml}};

}  // namespace

std::span<const StepRow> steps_of(std::string_view load) {
  for (const LoadSteps& known : kLoads) {
    if (known.load == load) return known.steps;
  }
  return {};
}

bool has_steps(std::string_view load) { return !steps_of(load).empty(); }

std::vector<StepRow> steps_of(const PlannedGroup& group) {
  std::vector<StepRow> all;
  for (const PlannedLoad& load : group.loads) {
    const std::span<const StepRow> steps = steps_of(load.name);
    all.insert(all.end(), steps.begin(), steps.end());
  }
  return all;
}

}  // namespace soresolve::confirm
