// What a confirmation comes to.
#pragma once
#include <string>
#include <vector>

#include "plan.h"
#include "step.h"

namespace soresolve::confirm {

struct StepAnswer {
  std::string name;
  Outcome outcome;
  double milliseconds = 0;
};

struct GroupAnswer {
  std::string name;
  std::vector<StepAnswer> steps;
  std::string said;  ///< the end of what its libraries printed
  double milliseconds = 0;
};

enum class Verdict : int {
  Confirmed = 0,     ///< every step has passed
  Failed = 1,        ///< one has failed
  Usage = 2,         ///< the question makes no sense here
  NotConfirmed = 4,  ///< there is nothing here to run it on
};

struct Answer {
  std::vector<GroupAnswer> groups;
};

/// The worst of all steps: one that has failed before one that could not run.
Verdict verdict_of(const Answer& answer);

/// One sentence: "confirmed: 4 steps passed", "not confirmed: …".
Statement verdict_words(const Answer& answer);

Json to_json(const Answer& answer);

}  // namespace soresolve::confirm
