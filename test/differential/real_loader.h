// The real ld.so's answer about a tree.
#pragma once
#include "differential/answer.h"
#include "differential/tree.h"

namespace soresolve::test {

/// Which runs are made; each costs about half a millisecond.
enum class Runs : std::uint8_t { TraceAndStart, StartOnly };

/// How long to wait for a run; short when it is expected never to end.
enum class Patience : std::uint8_t { Full, Short };

/// Runs the tree that `box` was prepared with: once tracing, with LD_DEBUG=libs, and once normally.
Answer ask_real_loader(const Sandbox& box, const Tree& tree, Runs runs, Patience while_tracing,
                       Patience at_start);

}  // namespace soresolve::test
