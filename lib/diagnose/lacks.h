// What a start lacks, for trials that want no more.
#pragma once
#include "soresolve/diagnose.h"

namespace soresolve {

/// As check_start(), but nobody is looked for who has a missing symbol in another version, out of sight or by a name
/// like it: `namesakes`, `out_of_scope` and `near_misses` of its symbols stay empty.
Result<Check> check_what_lacks(const LinkMap& map, const BindOptions& options = {});

}  // namespace soresolve
