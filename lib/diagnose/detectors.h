// The detectors of problems, one list.
#pragma once
#include <span>
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// What each detector finds, in the order in which they are reported. Without a check nothing is said of symbols.
std::vector<Problem> detect_all(const Scene& scene, const Check* check);

}  // namespace soresolve
