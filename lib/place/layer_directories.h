// Directories as overlayfs lays them over each other, without a mount: those of a container that does not run.
#pragma once
#include <string>
#include <vector>

#include "soresolve/place.h"
#include "soresolve/result.h"

namespace soresolve {

/// `directories` of this machine, the upper one first, as the options lowerdir and upperdir of a mount have them; one
/// alone is used as it is. Errors: NotFound, Unreadable, LimitReached.
Result<Place> open_layer_directories(const std::vector<std::string>& directories);

}  // namespace soresolve
