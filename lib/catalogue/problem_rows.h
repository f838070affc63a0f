// The meaning of each code of a problem. The rows are in lib/catalogue/problems_*.toml.
#pragma once
#include <span>
#include <string_view>

#include "soresolve/catalogue.h"
#include "soresolve/problem_codes.h"

namespace soresolve {

/// One code: what is the same for all its cases.
struct ProblemRow {
  ProblemCode code = ProblemCode::Note;
  Phrase meaning;  ///< one line
  Phrase help;     ///< a paragraph: when it happens, why it matters, what to do
};

/// All of them, in the order in which they are listed.
std::span<const ProblemRow> problem_rows();

/// By its name; nullptr when there is no such code.
const ProblemRow* find_problem_row(std::string_view name);

}  // namespace soresolve
