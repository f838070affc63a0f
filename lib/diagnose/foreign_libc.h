// Files that were built for another libc than the one of the loader that is to load them.
#pragma once
#include "diagnose/scene.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// Puts a ForeignLibc problem before those that come of it: for each file of the other libc that misses a library or
/// symbols. One that misses nothing loads (a small glibc library under musl), and is no problem.
void add_foreign_libc(const LinkMap& map, Diagnosis& diagnosis);

}  // namespace soresolve
