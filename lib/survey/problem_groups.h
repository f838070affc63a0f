// Problems of many roots, grouped by cause.
//
// A cause is what is wrong (the code), of what (the library, version or symbol that is missing), and by whom it should
// be provided; who needs it is not part of it. So a library that is gone is one group, whatever fails for it.
#pragma once
#include <vector>

#include "soresolve/survey.h"
#include "survey/judge.h"

namespace soresolve {

/// The problems of one root.
struct ProblemsOfRoot {
  SurveyIndex root = 0;
  std::vector<RootProblem> problems;
};

/// The group with the most members first, equal ones by key. `roots`: ascending.
std::vector<ProblemGroup> group_problems(std::vector<ProblemsOfRoot> roots);

/// Sets is_optional and is_suppressed of the roots, and the counts of roots.
void count_roots(Survey& survey);

}  // namespace soresolve
