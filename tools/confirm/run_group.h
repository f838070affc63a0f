// The child's work: all steps of one group, in order.
#pragma once
#include "plan.h"
#include "reporter.h"

namespace soresolve::confirm {

/// A step whose needs have not passed is skipped. Each is told to the reporter as it begins and ends.
void run_group(const Plan& plan, const PlannedGroup& group, const Reporter& reporter);

}  // namespace soresolve::confirm
