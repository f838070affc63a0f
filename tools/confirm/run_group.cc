// Runs the steps of one group in order, and skips a step when one that it needs has not passed. The names and needs of
// the steps are in group_steps.cc; a step is one function.
#include "run_group.h"

#include <map>

#include "cudnn_steps.h"
#include "driver_step.h"
#include "group_steps.h"
#include "kernels.h"
#include "library_steps.h"
#include "load_step.h"
#include "nvml_steps.h"
#include "stopwatch.h"

namespace soresolve::confirm {
namespace {

constexpr std::string_view kLoadStep = " load";

struct StepCode {
  std::string_view name;
  Outcome (*run)(Session& session);
};

Outcome run_first_load(Session& session) {
  Outcome start = compare_start(session);
  return start.status == StepStatus::Passed ? run_load(session, session.group.loads.front()) : start;
}

constexpr StepCode kSteps[] = {
    {"load", run_first_load},
    {"driver", run_driver},
    {"runtime", run_runtime},
    {"kernel", run_kernels},
    {"cudnn version", run_cudnn_version},
    {"cudnn convolution", run_cudnn_convolution},
    {"cublas version", run_cublas_version},
    {"cublas product", run_cublas_product},
    {"cublas half", run_cublas_half},
    {"cufft version", run_cufft_version},
    {"cufft transform", run_cufft_transform},
    {"curand version", run_curand_version},
    {"curand numbers", run_curand_numbers},
    {"cusparse version", run_cusparse_version},
    {"cusparse product", run_cusparse_product},
    {"cusolver version", run_cusolver_version},
    {"cusolver factors", run_cusolver_factors},
    {"nccl version", run_nccl_version},
    {"nccl all-reduce", run_nccl_all_reduce},
    {"nvrtc version", run_nvrtc_version},
    {"nvrtc compile", run_nvrtc_compile},
    {"nvrtc kernel", run_nvrtc_kernel},
    {"nvml health", run_nvml_health},
};

Outcome run_step(Session& session, std::string_view name) {
  if (name.ends_with(kLoadStep))
    return run_load(session, *session.load_of(name.substr(0, name.size() - kLoadStep.size())));
  for (const StepCode& step : kSteps) {
    if (step.name == name) return step.run(session);
  }
  return failed(say("step-unknown"));
}

/// Of a step that is skipped since another one, which it needs, has not passed.
Statement lacks(std::string_view need, StepStatus status) {
  const std::string_view sentence = status == StepStatus::Failed        ? "needs-step-failed"
                                    : status == StepStatus::Unavailable ? "needs-step-not-run"
                                                                        : "needs-step-skipped";
  return say(sentence, {{"step", term(need)}});
}

}  // namespace

void run_group(const Plan& plan, const PlannedGroup& group, const Reporter& reporter) {
  Session session{plan, group, reporter};
  std::map<std::string_view, StepStatus> statuses;
  for (const StepName& step : steps_of(group)) {
    Outcome outcome;
    for (const std::string_view need : {step.needs, step.also_needs}) {
      if (need.empty() || statuses[need] == StepStatus::Passed) continue;
      outcome.status = StepStatus::Skipped;
      outcome.cause = lacks(need, statuses[need]);
      break;
    }
    reporter.begin(step.name);
    const Stopwatch watch;
    if (outcome.status != StepStatus::Skipped) outcome = run_step(session, step.name);
    statuses[step.name] = outcome.status;
    reporter.end(step.name, outcome, watch.milliseconds());
  }
}

}  // namespace soresolve::confirm
