// Packages for a program of another architecture than that of its system: a 32-bit program on a 64-bit Debian.
#pragma once
#include <vector>

#include "loader/system.h"
#include "soresolve/remedies.h"

namespace soresolve {

/// Where the loader of the question is not of the system's own architecture, the packages of these fixes get the name
/// of its architecture, and apt is told of that first where it does not know it. Fixes by other managers are left as
/// they are, but for rpm's mark of a 64-bit library.
void ask_for_architecture(const System& system, std::vector<Remedy>& remedies);

}  // namespace soresolve
