// The real ld.so's answer about a tree.
#pragma once
#include "differential/answer.h"
#include "differential/tree.h"

namespace soresolve::test {

/// Which runs are made; each costs about half a millisecond.
enum class Runs : std::uint8_t { TraceAndStart, StartOnly };

/// How long to wait for a run; short when it is expected never to end.
enum class Patience : std::uint8_t { Full, Short };

/// Runs the tree that `box` was prepared with: tracing, with LD_DEBUG=libs; normally, with
/// LD_DEBUG=reloc; and with LD_BIND_NOW=1 and LD_DEBUG=bindings.
/// Of musl's: `LDSO --list FILE`, and normally; it has no LD_DEBUG.
Answer ask_real_loader(const Sandbox& box, const GlibcRoot& root, const Tree& tree, Runs runs, Patience while_tracing,
                       Patience at_start);

}  // namespace soresolve::test
