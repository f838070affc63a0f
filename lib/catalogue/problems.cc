// What is the same for all cases of a code: its name, severity and phase, its meaning. One table, read from here by
// reports, by `soresolve help` and by `explain`; nothing else lists the codes (test/form/check_catalogue holds the enum
// of lib/report/schema.json to it). An enumerator without a row is refused by that test and by the unit tests.
#include "catalogue/problems.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "soresolve/diagnose.h"

namespace soresolve {
namespace {

const ProblemRow& row_of(ProblemCode code) {
  using Rows = std::array<const ProblemRow*, static_cast<std::size_t>(ProblemCode::Note) + 1>;
  static const Rows kRows = [] {
    Rows rows{};
    for (const ProblemRow* row : problem_rows()) rows[static_cast<std::size_t>(row->code)] = row;
    return rows;
  }();
  const std::size_t place = static_cast<std::size_t>(code);
  assert(place < kRows.size() && kRows[place] != nullptr);
  return *kRows[place];
}

}  // namespace

std::vector<const ProblemRow*> problem_rows() {
  std::vector<const ProblemRow*> all;
  for (const auto part : {loader_problems(), cuda_problems(), search_problems()}) {
    for (const ProblemRow& row : part) all.push_back(&row);
  }
  return all;
}

const ProblemRow* find_problem_row(std::string_view name) {
  const std::vector<const ProblemRow*> rows = problem_rows();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const ProblemRow* row) { return row->name == name; });
  return found == rows.end() ? nullptr : *found;
}

std::string_view code_of(ProblemCode code) { return row_of(code).name; }
Severity severity_of(ProblemCode code) { return row_of(code).severity; }
std::optional<Phase> phase_of(ProblemCode code) { return row_of(code).phase; }

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Fatal: return "fatal";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "";
}

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::Start: return "start";
    case Phase::Dlopen: return "dlopen";
    case Phase::Call: return "call";
    case Phase::Gpu: return "gpu";
  }
  return "";
}

}  // namespace soresolve
