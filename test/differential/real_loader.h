// The real ld.so's answer about a tree.
#pragma once
#include <cstdint>

#include "differential/answer.h"
#include "differential/tree.h"

namespace soresolve::test {

/// Which runs are made; each costs about half a millisecond.
enum class Runs : std::uint8_t { TraceAndStart, StartOnly };

/// How much of the processor's time a run gets; most take a millisecond or two. Less when it is expected never to end.
enum class Patience : std::uint8_t { Full, Short };
constexpr std::uint32_t limit_cpu_ms(Patience patience) { return patience == Patience::Short ? 100 : 2000; }

/// What the loader takes the processor for, seen in the directories that it searches. Prepares the box for itself.
SeenProcessor see_processor(Sandbox& box, const GlibcRoot& root);

/// Runs the tree that `box` was prepared with: tracing, with LD_DEBUG=libs; normally, with
/// LD_DEBUG=reloc; and with LD_BIND_NOW=1 and LD_DEBUG=bindings.
LoaderAnswer ask_real_loader(const Sandbox& box, const GlibcRoot& root, const Tree& tree, Runs runs,
                             Patience while_tracing, Patience at_start);

}  // namespace soresolve::test
