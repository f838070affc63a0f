// What is said of the attempts of one search, on the long page and the short one alike.
#pragma once
#include "soresolve/link_map.h"
#include "soresolve/statement.h"

namespace soresolve {

/// What came of it, and what the loader does then.
Statement outcome_words(const Attempt& attempt);

/// Of attempts that are about no path, such as a cache without an entry; empty for all others.
Statement words_without_path(const LinkMap& map, const NeedRef& request, const Attempt& attempt);

/// Why a stage made no attempt.
Statement why_no_attempt(const LinkMap& map, const NeedRef& request, SearchStep step);

}  // namespace soresolve
