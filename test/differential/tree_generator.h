// Random trees with every ingredient of the search.
//
// Each tree switches on a random few of the ingredients ("swarm testing"): a tree in which everything
// happens at once dies of its first bad file and shows nothing of the rest.
#pragma once
#include <cstdint>

#include "differential/tree.h"

namespace soresolve::test {

/// The tree of one seed; the same on every machine. `has_users`: trees may ask for another user.
Tree generate_tree(std::uint64_t seed, bool has_users);

}  // namespace soresolve::test
