// From what is wrong with a link map to what would help.
#pragma once
#include "soresolve/diagnose.h"
#include "soresolve/link_map.h"
#include "soresolve/remedies.h"

namespace soresolve {

/// As find_remedies() of a Resolution does it. `map`: made with Attempts::Record, which candidates are read from.
/// `check`: what check_start() says of it; nullptr: nothing is looked for that defines missing symbols.
void find_remedies(const LinkMap& map, Diagnosis& diagnosis, const RemedyOptions& options = {},
                   const Check* check = nullptr);

/// Is there something that is looked for by what the check says?
bool wants_check(const Diagnosis& diagnosis);

}  // namespace soresolve
