// Stand-ins that toolkits ship for the link editor: they have the names of the real library, and every
// call of them fails.
#pragma once
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// One StubLibrary problem for each object of the map that is one.
std::vector<Problem> find_stub_libraries(const Scene& scene);

}  // namespace soresolve
