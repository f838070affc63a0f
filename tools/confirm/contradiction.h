// What a process cannot report truthfully of its steps.
//
// Its own code holds results against the plan; the supervisor, which has loaded nothing, does so again with what
// reaches it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "answer.h"
#include "plan.h"

namespace soresolve::confirm {

/// Why `step` cannot have passed after `before` (steps of the group, in order) by what is planned and predicted;
/// nullopt: it can, or has not passed.
std::optional<Statement> find_contradiction(const Plan& plan, const PlannedGroup& group,
                                            const std::vector<StepAnswer>& before, const StepAnswer& step);

}  // namespace soresolve::confirm
