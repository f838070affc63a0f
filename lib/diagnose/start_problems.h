// What ends a start although every library is found: the processor, symbols.
#pragma once
#include <memory>
#include <vector>

#include "diagnose/scene.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// CpuLevel problems: objects that ask for more than the processor has, in the loader's order.
std::vector<Problem> find_above_cpu(const Scene& scene);

/// WouldCrash, if the start ends over something that is neither a missing symbol nor the processor: a
/// crash, an assertion, a relocation that the loader does not know.
std::vector<Problem> find_other_end(const Scene& scene, const Check& check);

/// SymbolMissing problems of a start that has been judged, one for each object and file that its
/// symbols are required from. In a library that is judged on its own, references without a version are
/// left to the process that opens it: a Note.
std::vector<Problem> find_missing_symbols(const Scene& scene, const Check& check);

}  // namespace soresolve
