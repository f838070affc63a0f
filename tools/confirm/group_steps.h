// Which steps a group of libraries goes through, and which step needs which.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan.h"

namespace soresolve::confirm {

struct StepName {
  std::string_view name;
  std::string_view needs;            ///< the step that has to have passed; empty: none
  std::string_view also_needs = {};  ///< and this one
};

/// The steps that one load stands for, in order; empty for an unknown one.
std::span<const StepName> steps_of(std::string_view load);
bool has_steps(std::string_view load);

/// Those of all loads of a group.
std::vector<StepName> steps_of(const PlannedGroup& group);

}  // namespace soresolve::confirm
