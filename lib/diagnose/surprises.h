// What works but would astonish: the answers that depend on load order, shadowed files, tags that
// have no effect, directories that anyone could fill.
#pragma once
#include "soresolve/diagnose.h"

namespace soresolve {

/// Appends the problems that are no failures. With diagnosis.asked set, only those about that
/// library.
void add_surprises(const LinkMap& map, Diagnosis& diagnosis);

}  // namespace soresolve
