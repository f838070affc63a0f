// Results of the probe that cannot be: they contradict the plan, or each other.
#include "contradiction.h"

#include <algorithm>
#include <string_view>

#include "group_steps.h"

namespace soresolve::confirm {
namespace {

constexpr std::string_view kLoad = "load";

bool has_role(const PlannedGroup& group, std::string_view role) {
  return std::any_of(group.loads.begin(), group.loads.end(), [&](const PlannedLoad& load) {
    return std::any_of(load.open.begin(), load.open.end(),
                       [&](const PlannedLibrary& library) { return library.role == role; });
  });
}

bool has_passed(const std::vector<StepAnswer>& steps, std::string_view name) {
  return std::any_of(steps.begin(), steps.end(), [&](const StepAnswer& step) {
    return step.name == name && step.outcome.status == StepStatus::Passed;
  });
}

/// The load that a step called "load" or "NAME load" is; nullptr: another step.
const PlannedLoad* load_of(const PlannedGroup& group, std::string_view step) {
  if (step == kLoad) return group.loads.empty() ? nullptr : &group.loads.front();
  for (const PlannedLoad& load : group.loads) {
    if (step == load.name + " load") return &load;
  }
  return nullptr;
}

std::optional<Statement> contradicted_need(const PlannedGroup& group, const std::vector<StepAnswer>& before,
                                           const StepAnswer& step) {
  for (const StepRow& known : steps_of(group)) {
    if (known.name != step.name) continue;
    for (const std::string_view need : {known.needs, known.also_needs}) {
      if (!need.empty() && !has_passed(before, need)) return say("needed-step-did-not-pass", {{"step", term(need)}});
    }
  }
  return std::nullopt;
}

std::optional<Statement> contradicted_driver(const Plan& plan, const PlannedGroup& group, const StepAnswer& step) {
  const Expectation& expected = plan.expected;
  if (!has_role(group, "driver")) {
    const Statement reason =
        expected.no_driver.empty() ? Statement{} : say("colon-text", {{"text", expected.no_driver}});
    return say("no-driver-opened", {{"reason", reason}});
  }
  if (expected.init.value_or(0) != 0)
    return say("was-predicted-to-return", {{"function", "cuInit"}, {"code", std::to_string(*expected.init)}});
  const auto version = step.outcome.seen.find("version");
  if (expected.driver_version && (version == step.outcome.seen.end() || *version != *expected.driver_version)) {
    return say("release-was-predicted", {{"version", std::to_string(*expected.driver_version)}});
  }
  return std::nullopt;
}

std::optional<Statement> contradicted_runtime(const Plan& plan, const PlannedGroup& group,
                                              const std::vector<StepAnswer>& before) {
  if (!has_role(group, "runtime")) {
    if (has_passed(before, "driver")) return std::nullopt;
    return say("no-runtime-opened");
  }
  const int count = plan.expected.device_count.value_or(0);
  if (count != 0)
    return say("was-predicted-to-return", {{"function", "cudaGetDeviceCount"}, {"code", std::to_string(count)}});
  return std::nullopt;
}

}  // namespace

std::optional<Statement> find_contradiction(const Plan& plan, const PlannedGroup& group,
                                            const std::vector<StepAnswer>& before, const StepAnswer& step) {
  if (step.outcome.status != StepStatus::Passed) return std::nullopt;
  if (auto contradiction = contradicted_need(group, before, step)) return contradiction;
  const PlannedLoad* const load = load_of(group, step.name);
  if (load != nullptr && !load->dlerror.empty()) return say("dlopen-predicted-to-fail", {{"words", load->dlerror}});
  if (step.name == "driver") return contradicted_driver(plan, group, step);
  if (step.name == "runtime") return contradicted_runtime(plan, group, before);
  return std::nullopt;
}

}  // namespace soresolve::confirm
