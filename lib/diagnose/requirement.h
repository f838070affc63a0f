// A requirement as a person writes it, and as a problem where it is not met.
#pragma once
#include <string_view>

#include "soresolve/diagnose.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"

namespace soresolve {

/// NAME RELATION VALUE: "cuda=12.1" (12.1 and whatever begins so), "cudnn>=8.9", "driver>=530.30.02", "device=sm_80",
/// "framework=torch" or "framework=torch==2.5.0" (exactly); relations are = == != < <= > >=. Errors: Usage.
Result<Requirement> parse_requirement(std::string_view text);

/// One that is not met, as a problem.
Problem problem_of(const LinkMap& map, const RequirementVerdict& verdict);

}  // namespace soresolve
