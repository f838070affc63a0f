// What each code of a problem means, in words.
#pragma once
#include <span>
#include <string_view>

#include "soresolve/api.h"
#include "soresolve/language.h"
#include "soresolve/problem.h"

namespace soresolve SORESOLVE_API {

struct ProblemWords {
  ProblemCode code = ProblemCode::Note;
  Phrase meaning;  ///< one line
  Phrase about;    ///< a paragraph: when it happens, why it matters, what to do
};

/// Of each kind, in the order in which they are listed.
std::span<const ProblemWords> all_problem_words();

/// By code_of(code); nullptr when there is no such code.
const ProblemWords* find_problem_words(std::string_view code);

}  // namespace SORESOLVE_API
