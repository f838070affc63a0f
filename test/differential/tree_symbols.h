// Random symbols, versions and relocations for the files of a tree.
//
// A few names (s0 … s5) and versions (V1 … V3), so that they collide. Most references are to
// something that is there: a start that dies of its first symbol shows nothing of the rest.
//
// Left out on purpose, because what happens is chance:
// - DT_VERSYM entries beyond all versions: the loader reads behind a table;
// - thread-local relocations against symbols that are not, or that are undefined and hidden;
// - copies of absolute symbols, and of symbols that are undefined and hidden.
#pragma once
#include "differential/tree.h"
#include "support/random.h"

namespace soresolve::test {

/// A tree in which every library is found: what differs is what they define.
Tree make_plain_tree(Random& random);

/// Gives the ELF files of `tree` symbols; adds to DT_NEEDED and the environment what goes with them.
void add_symbols(Random& random, Tree& tree);

}  // namespace soresolve::test
