// The counts of a survey by what its groups say of its roots.
#pragma once
#include "soresolve/survey.h"

namespace soresolve {

/// Sets is_optional and is_suppressed of the roots, and the counts of roots.
void count_roots(Survey& survey);

}  // namespace soresolve
