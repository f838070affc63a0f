// Names of step statuses, and the two outcomes that end a step early: failed and unavailable.
#include "step.h"

#include <utility>

#include "base/enum_names.h"

namespace soresolve::confirm {

std::string_view name_of(StepStatus status) {
  using enum StepStatus;
  static constexpr auto kNames = enum_names<StepStatus>(
      {{Passed, "passed"}, {Failed, "failed"}, {Unavailable, "unavailable"}, {Skipped, "skipped"}});
  return kNames[status];
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
