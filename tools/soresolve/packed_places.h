// PLACE of scan and who where it is no directory: a package, image, archive or snapshot is a root of its own; a
// package, and an archive in which no loader is, lies over what --base names, else over this machine, and only what it
// brings is judged. Several of these lie over each other in their order.
#pragma once
#include <string>
#include <vector>

#include "command.h"

namespace soresolve::tool {

struct PackedPlaces {
  bool are_judged_alone = false;  ///< what lies below them is not judged
};
/// Makes them the root of `settings`, and takes them out of `places`. Errors: Usage, and those of open_place().
Result<PackedPlaces> enter_packed_places(WorldSettings& settings, std::vector<std::string>& places);

/// What is to be judged: PLACE as absolute paths; of a package, what it brings.
Result<std::vector<std::string>> find_places(WorldHere& world, const WorldOptions& options,
                                             const std::vector<std::string>& named, const PackedPlaces& packed);

}  // namespace soresolve::tool
