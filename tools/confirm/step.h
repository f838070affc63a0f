// One step of a confirmation: what came of it, and what it saw.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "soresolve/statement.h"

namespace soresolve::confirm {

using Json = nlohmann::ordered_json;

enum class StepStatus : std::uint8_t {
  Passed,
  Failed,
  Unavailable,  ///< there is nothing here to run it on: no driver, no GPU
  Skipped,      ///< a step that it needs has not passed
};
std::string_view name_of(StepStatus status);  ///< "passed", "failed", "unavailable", "skipped"

struct Outcome {
  StepStatus status = StepStatus::Passed;
  Statement cause;                 ///< why not; empty if it passed
  std::vector<Statement> summary;  ///< one line for people
  Json seen = Json::object();
  /// The plan asks for something that does not exist (a device), which is no fault of the machine.
  bool is_usage = false;
};

/// Leaves what was seen so far as it is.
Outcome failed(Statement cause, Outcome so_far = {});
Outcome unavailable(Statement cause, Outcome so_far = {});

}  // namespace soresolve::confirm
