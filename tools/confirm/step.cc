// Names of step statuses, and the two outcomes that end a step early: failed and unavailable.
#include "step.h"

#include <utility>

namespace soresolve::confirm {

std::string_view name_of(StepStatus status) {
  switch (status) {
    case StepStatus::Passed: return "passed";
    case StepStatus::Failed: return "failed";
    case StepStatus::Unavailable: return "unavailable";
    case StepStatus::Skipped: return "skipped";
  }
  return "";
}

Outcome failed(Statement cause, Outcome so_far) {
  so_far.status = StepStatus::Failed;
  so_far.cause = std::move(cause);
  return so_far;
}

Outcome unavailable(Statement cause, Outcome so_far) {
  so_far.status = StepStatus::Unavailable;
  so_far.cause = std::move(cause);
  return so_far;
}

}  // namespace soresolve::confirm
