// What a confirmation came to, for people.
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "confirm_plan.h"
#include "soresolve/report.h"

namespace soresolve::tool {

/// `answer`: what the probe said. First line: the verdict.
Text confirm_text(const std::string& file, const ConfirmPlan& plan, const nlohmann::ordered_json& answer, Colour colour,
                  Detail detail);

}  // namespace soresolve::tool
