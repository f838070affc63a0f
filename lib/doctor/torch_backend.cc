// Which torch wheels run here: the index of PyTorch's ("cu126") whose newest wheels the driver accepts and which have
// code for the GPUs. Rows: the newest build of each index in contracts.json.
//
// An old driver of the right major version runs newer wheels (minor-version compatibility), but compiles no PTX of
// theirs; so PTX counts only where the driver supports their release.
#include <algorithm>

#include "cuda/contracts.h"
#include "doctor/torch_backend.h"
#include "soresolve/doctor.h"

namespace soresolve {
namespace {

bool runs_on(const GpuContracts& contracts, const FrameworkBuild& build, RuntimeFit fit, ComputeCapability gpu) {
  const bool is_native =
      std::any_of(build.capabilities.begin(), build.capabilities.end(), [&](ComputeCapability made_for) {
        return how_it_runs(contracts, {kGpuCubin, made_for.arch(), '\0', 0, 0}, gpu) == GpuRun::Native;
      });
  return is_native || (build.ptx && fit == RuntimeFit::Full && gpu >= *build.ptx);
}

}  // namespace

std::string find_torch_backend(const GpuContracts& contracts, const DottedVersion& driver,
                               const DottedVersion& driver_cuda, const std::vector<ComputeCapability>& gpus) {
  const FrameworkBuild* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const FrameworkBuild& build : contracts.cuda.frameworks) {
    if (build.backend.empty() || build.name != "torch") continue;
    const RuntimeFit fit = judge_runtime(contracts.cuda, build.cuda, driver, driver_cuda).fit;
    if (fit != RuntimeFit::Full && fit != RuntimeFit::Minor) continue;
    const std::ptrdiff_t running = std::count_if(
        gpus.begin(), gpus.end(), [&](ComputeCapability gpu) { return runs_on(contracts, build, fit, gpu); });
    if (!gpus.empty() && running == 0) continue;
    const bool is_better = best == nullptr || running > most || (running == most && best->cuda < build.cuda);
    if (!is_better) continue;
    best = &build;
    most = running;
  }
  return best == nullptr ? "cpu" : best->backend;
}

}  // namespace soresolve
