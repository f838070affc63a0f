// The detectors of problems, one list.
#pragma once
#include <span>
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// What each detector finds, in the order in which a reader is told. `known` is what libraries and
/// versions came to: symbols are looked at only if nothing fatal is among it.
std::vector<Problem> detect_all(const Scene& scene, std::span<const Problem> known);

}  // namespace soresolve
