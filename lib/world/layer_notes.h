// What the layers of an image have to do with what fails in it.
#pragma once
#include <vector>

#include "soresolve/link_map.h"
#include "soresolve/place.h"
#include "soresolve/statement.h"

namespace soresolve {

/// For each library that is missing where others of the process lie: the layer that took it away. For each file that
/// the loader refuses: the layer that brought it. A bounded number of notes, each once.
std::vector<Statement> layer_notes(const LinkMap& map, const FileSystem& files, const ImageLayers& layers);

}  // namespace soresolve
