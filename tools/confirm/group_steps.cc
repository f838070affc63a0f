// The table of steps for each load, with the steps that each one needs. The code of the steps is in run_group.cc.
#include "group_steps.h"

namespace soresolve::confirm {
namespace {

// The runtime is asked even where the driver refuses: what it says then is predicted, too.
constexpr StepName kBase[] = {{"load", {}}, {"driver", "load"}, {"runtime", "load"}};
constexpr StepName kCuda[] = {{"load", {}}, {"driver", "load"}, {"runtime", "load"}, {"kernel", "runtime", "driver"}};
constexpr StepName kCudnn[] = {
    {"cudnn load", "load"}, {"cudnn version", "cudnn load"}, {"cudnn convolution", "cudnn version", "kernel"}};
constexpr StepName kCublas[] = {{"cublas load", "load"},
                                {"cublas version", "cublas load"},
                                {"cublas product", "cublas version", "runtime"},
                                {"cublas half", "cublas version", "runtime"}};
constexpr StepName kCufft[] = {
    {"cufft load", "load"}, {"cufft version", "cufft load"}, {"cufft transform", "cufft version", "runtime"}};
constexpr StepName kCurand[] = {
    {"curand load", "load"}, {"curand version", "curand load"}, {"curand numbers", "curand version", "runtime"}};
constexpr StepName kCusparse[] = {{"cusparse load", "load"},
                                  {"cusparse version", "cusparse load"},
                                  {"cusparse product", "cusparse version", "runtime"}};
constexpr StepName kCusolver[] = {{"cusolver load", "load"},
                                  {"cusolver version", "cusolver load"},
                                  {"cusolver factors", "cusolver version", "runtime"}};
constexpr StepName kNccl[] = {
    {"nccl load", "load"}, {"nccl version", "nccl load"}, {"nccl all-reduce", "nccl version", "runtime"}};
constexpr StepName kNvrtc[] = {{"nvrtc load", "load"},
                               {"nvrtc version", "nvrtc load"},
                               {"nvrtc compile", "nvrtc version"},
                               {"nvrtc kernel", "nvrtc compile", "runtime"}};

constexpr StepName kNvml[] = {{"nvml load", "load"}, {"nvml health", "nvml load", "driver"}};

struct LoadSteps {
  std::string_view load;
  std::span<const StepName> steps;
};
constexpr LoadSteps kLoads[] = {{"base", kBase},         {"cuda", kCuda},         {"cudnn", kCudnn},
                                {"cublas", kCublas},     {"cufft", kCufft},       {"curand", kCurand},
                                {"cusparse", kCusparse}, {"cusolver", kCusolver}, {"nccl", kNccl},
                                {"nvrtc", kNvrtc},       {"nvml", kNvml}};

}  // namespace

std::span<const StepName> steps_of(std::string_view load) {
  for (const LoadSteps& known : kLoads) {
    if (known.load == load) return known.steps;
  }
  return {};
}

bool has_steps(std::string_view load) { return !steps_of(load).empty(); }

std::vector<StepName> steps_of(const PlannedGroup& group) {
  std::vector<StepName> all;
  for (const PlannedLoad& load : group.loads) {
    const std::span<const StepName> steps = steps_of(load.name);
    all.insert(all.end(), steps.begin(), steps.end());
  }
  return all;
}

}  // namespace soresolve::confirm
