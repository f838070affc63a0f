// What a confirmation came to: a page for people, data for programs.
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "confirm_import.h"
#include "confirm_plan.h"
#include "report/page.h"
#include "soresolve/document.h"

namespace soresolve::tool {

/// `answer`: what the probe said. First line: the verdict. Borrows all of them.
Document confirm_document(const std::string& file, const ConfirmPlan& plan, const nlohmann::ordered_json& answer,
                          Detail detail);

/// The same of an import; `answer` is null where no CUDA library was made to compute.
Document confirm_document(const ImportConfirmation& import, const ConfirmPlan& plan,
                          const nlohmann::ordered_json& answer, Detail detail);

/// What one runtime of several came to, in short: the verdict, and how long the kernels took.
Page runtime_answer_page(const nlohmann::ordered_json& answer);

/// The answer where no probe was asked.
nlohmann::ordered_json nothing_to_confirm(const Statement& why);

}  // namespace soresolve::tool
