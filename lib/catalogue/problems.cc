// Meaning and help of each code, in tables by topic. What rules decide by (names, severity, phase) is theirs
// (lib/diagnose/problem_codes.cc). A code without a row is refused by test/form/check_catalogue and by the unit tests.
#include "catalogue/problems.h"

#include <algorithm>

namespace soresolve {

std::vector<const ProblemRow*> problem_rows() {
  std::vector<const ProblemRow*> all;
  for (const auto part : {loader_problems(), cuda_problems(), search_problems()}) {
    for (const ProblemRow& row : part) all.push_back(&row);
  }
  return all;
}

const ProblemRow* find_problem_row(std::string_view name) {
  const std::vector<const ProblemRow*> rows = problem_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const ProblemRow* row) { return code_of(row->code) == name; });
  return found == rows.end() ? nullptr : *found;
}

}  // namespace soresolve
