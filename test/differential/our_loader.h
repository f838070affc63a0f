// The library's answer about a tree.
#pragma once
#include "differential/answer.h"
#include "differential/real_loader.h"
#include "differential/tree.h"

namespace soresolve::test {

/// Asks the library about the tree that `box` was prepared with. What the library cannot look at is
/// told in the messages.
Answer ask_our_loader(const Sandbox& box, const Tree& tree, Runs runs);

}  // namespace soresolve::test
