// Which steps a group of libraries goes through, which step needs which, and what runs it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plan.h"

namespace soresolve::confirm {

struct Session;
struct Computation;
struct Outcome;

/// What runs a step: nothing for the opening of its libraries; a function; a computation of the library whose role the
/// step's name begins with; or the GetProperty of that library, which reads its version.
using RunStep = Outcome (*)(Session&);
using Compute = Outcome (*)(Computation&);
using StepCode = std::variant<std::monostate, RunStep, Compute, const char*>;

/// Is the planned device made the current one before a computation?
enum class TakesDevice : std::uint8_t { Yes, No };

struct StepRow {
  std::string_view name;             ///< "cublas product": the role, and what of it
  std::string_view needs;            ///< the step that has to have passed; empty: none
  std::string_view also_needs = {};  ///< and this one
  StepCode code = {};
  TakesDevice takes_device = TakesDevice::Yes;

  [[nodiscard]] std::string_view role() const { return name.substr(0, name.find(' ')); }
};

/// The steps that one load stands for, in order; empty for an unknown one.
std::span<const StepRow> steps_of(std::string_view load);
bool has_steps(std::string_view load);

/// Those of all loads of a group.
std::vector<StepRow> steps_of(const PlannedGroup& group);

}  // namespace soresolve::confirm
