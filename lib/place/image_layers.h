// The layers of one image, as the trees that they make one over the other.
#pragma once
#include <memory>
#include <vector>

#include "place/file_tree.h"
#include "soresolve/place.h"

namespace soresolve {

/// `stages`: the tree of no layer, of the first one, of the first two, and so on; each shares with the one before what
/// its layer did not touch.
std::shared_ptr<const ImageLayers> layers_of_image(std::vector<ImageLayer> list,
                                                   std::vector<std::shared_ptr<const TreeFileSystem>> stages);

}  // namespace soresolve
