// Names of C++ symbols as people write them.
#pragma once
#include <string>
#include <string_view>

#include "soresolve/symbols.h"

namespace soresolve {

/// The part of a mangled name that its namespaces and its own name take, without qualifiers of the function:
/// "5torch3jit11parseSchema"; with "C" or "D" behind it for constructors and destructors. Empty if it has none that is
/// plain. Two names of one entity with other parameters, or of another ABI, have it in common.
std::string qualified_part(std::string_view symbol);

}  // namespace soresolve
