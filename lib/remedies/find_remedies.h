// From what is wrong with a link map to what would help.
#pragma once
#include "soresolve/diagnose.h"
#include "soresolve/link_map.h"
#include "soresolve/remedies.h"

namespace soresolve {

/// As find_remedies() of a Resolution does it. `map`: made with Attempts::Record, which candidates are read from.
void find_remedies(const LinkMap& map, Diagnosis& diagnosis, const RemedyOptions& options = {});

}  // namespace soresolve
