// Runs the steps of one group in order, and skips a step when one that it needs has not passed. The steps are
// the rows of group_steps.cc.
#include "run_group.h"

#include <map>

#include "group_steps.h"
#include "library_steps.h"
#include "load_step.h"
#include "stopwatch.h"

namespace soresolve::confirm {
namespace {

Outcome run_load_step(Session& session, const StepRow& step) {
  if (step.name != "load") return run_load(session, *session.load_of(step.role()));
  Outcome start = compare_start(session);
  return start.status == StepStatus::Passed ? run_load(session, session.group.loads.front()) : start;
}

Outcome run_step(Session& session, const StepRow& step) {
  if (const RunStep* run = std::get_if<RunStep>(&step.code)) return (*run)(session);
  if (std::holds_alternative<Compute>(step.code)) return run_computation(session, step);
  if (std::holds_alternative<const char*>(step.code)) return read_property_version(session, step);
  return run_load_step(session, step);
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
  for (const StepRow& step : steps_of(group)) {
    Outcome outcome;
    for (const std::string_view need : {step.needs, step.also_needs}) {
      if (need.empty() || statuses[need] == StepStatus::Passed) continue;
      outcome.status = StepStatus::Skipped;
      outcome.cause = lacks(need, statuses[need]);
      break;
    }
    reporter.begin(step.name);
    const Stopwatch watch;
    if (outcome.status != StepStatus::Skipped) outcome = run_step(session, step);
    statuses[step.name] = outcome.status;
    reporter.end(step.name, outcome, watch.milliseconds());
  }
}

}  // namespace soresolve::confirm
