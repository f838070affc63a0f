// Libraries that are opened later, and will not be there.
#pragma once
#include <string>
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// DlopenMissing problems for required and recommended libraries, StubLibrary for those that are opened
/// from a directory of stubs, and a Note for each damaged note.
std::vector<Problem> find_lost_dlopens(const Scene& scene);

}  // namespace soresolve
