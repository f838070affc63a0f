// The verdict of a confirmation from the outcomes of its steps: failed before not confirmed before confirmed. The texts
// are English; the JSON form is in lib/report/schema.json.
#include "answer.h"

namespace soresolve::confirm {
namespace {

/// The first step of that status.
const StepAnswer* find_step(const Answer& answer, StepStatus status) {
  for (const GroupAnswer& group : answer.groups) {
    for (const StepAnswer& step : group.steps) {
      if (step.outcome.status == status) return &step;
    }
  }
  return nullptr;
}

const StepAnswer* find_usage(const Answer& answer) {
  for (const GroupAnswer& group : answer.groups) {
    for (const StepAnswer& step : group.steps) {
      if (step.outcome.is_usage) return &step;
    }
  }
  return nullptr;
}

std::size_t count_of(const Answer& answer, StepStatus status) {
  std::size_t count = 0;
  for (const GroupAnswer& group : answer.groups) {
    for (const StepAnswer& step : group.steps) count += step.outcome.status == status ? 1 : 0;
  }
  return count;
}

std::string counted_steps(std::size_t count) { return std::to_string(count) + (count == 1 ? " step" : " steps"); }

std::string told(const StepAnswer& step) { return step.name + ": " + step.outcome.cause; }

}  // namespace

Verdict verdict_of(const Answer& answer) {
  if (find_usage(answer) != nullptr) return Verdict::Usage;
  if (find_step(answer, StepStatus::Failed) != nullptr) return Verdict::Failed;
  if (find_step(answer, StepStatus::Passed) == nullptr) return Verdict::NotConfirmed;
  const bool is_whole =
      find_step(answer, StepStatus::Unavailable) == nullptr && find_step(answer, StepStatus::Skipped) == nullptr;
  return is_whole ? Verdict::Confirmed : Verdict::NotConfirmed;
}

std::string verdict_text(const Answer& answer) {
  const std::string passed = counted_steps(count_of(answer, StepStatus::Passed)) + " passed";
  switch (verdict_of(answer)) {
    case Verdict::Confirmed: return "confirmed: " + passed;
    case Verdict::Usage: return told(*find_usage(answer));
    case Verdict::Failed:
      return "failed: " + counted_steps(count_of(answer, StepStatus::Failed)) + " failed, " + passed + "; " +
             told(*find_step(answer, StepStatus::Failed));
    case Verdict::NotConfirmed: {
      const StepAnswer* step = find_step(answer, StepStatus::Unavailable);
      return "not confirmed: " + (step == nullptr ? "nothing was run" : step->outcome.cause + "; " + passed);
    }
  }
  return "";
}

Json to_json(const Answer& answer) {
  Json groups = Json::array();
  for (const GroupAnswer& group : answer.groups) {
    Json steps = Json::array();
    for (const StepAnswer& step : group.steps) {
      steps.push_back({{"name", step.name},
                       {"status", name_of(step.outcome.status)},
                       {"cause", step.outcome.cause},
                       {"summary", step.outcome.summary},
                       {"ms", step.milliseconds},
                       {"seen", step.outcome.seen}});
    }
    groups.push_back(
        {{"name", group.name}, {"ms", group.milliseconds}, {"steps", std::move(steps)}, {"said", group.said}});
  }
  static constexpr const char* kVerdicts[] = {"confirmed", "failed", "usage", "", "not confirmed"};
  const Verdict verdict = verdict_of(answer);
  return {{"schema", "soresolve-confirm/1"},
          {"verdict", kVerdicts[static_cast<int>(verdict)]},
          {"text", verdict_text(answer)},
          {"groups", std::move(groups)}};
}

}  // namespace soresolve::confirm
