// Random trees for other machines: the trees of x86-64 with its names, numbers and places exchanged.
//
// Left out on purpose: what the emulator decides and not the loader (AT_SECURE, a /proc that is not there), variables
// that are given twice (the emulator passes one on), legacy hwcap bits of cache entries (each machine has its own).
#pragma once
#include "differential/tree.h"
#include "support/glibc_roots.h"

namespace soresolve::test {

/// Turns a tree for x86-64 into one for the machine of `root`. Its SeenProcessor, if there is one, gives the names of
/// subdirectories.
void for_machine(Tree& tree, const GlibcRoot& root);

/// Adds what only some machines have: flags of their ABIs, values of LD_ASSUME_KERNEL.
void add_machine_ingredients(std::uint64_t seed, Tree& tree, const GlibcRoot& root);

}  // namespace soresolve::test
