// What leads on from an answer, and from a warning of something that works.
#pragma once
#include "soresolve/answer.h"

namespace soresolve {

/// Answer::next_step().
NextStep next_step_of(const Answer& answer);

/// What leads on from a warning of something that works; empty: nothing is known.
Statement next_of_warning(const Problem& problem);

/// Is it a row of a module that was built for another release of its host?
bool is_of_other_release(const Recognised& message);

}  // namespace soresolve
