// How reports name the layers of an image: by number, digest and the line of the recipe.
#pragma once
#include <map>
#include <memory>
#include <string_view>

#include "report/page.h"
#include "soresolve/place.h"

namespace soresolve {

/// "layer 3 (sha256:0123456789ab): RUN apt-get update …"; without what the image does not say.
Statement layer_title(std::size_t number, const ImageLayer& layer);
/// "FILE: removed by LAYER", "FILE: from LAYER".
Statement layer_words(const LayerOfFile& layer);

/// Numbers beside files, and below them each of these layers once. Of a root that is no image both are empty.
class LayerLegend {
 public:
  /// `layers`: nullptr where the root is no image; both are borrowed.
  LayerLegend(const ImageLayers* layers, const FileSystem* files) : layers_(layers), files_(files) {}

  /// " (layer 3)".
  Words note(std::string_view path);
  /// `side`: before each of them.
  void add_to(Page& page, const Statement& side = {}) const;

 private:
  const ImageLayers* layers_;
  const FileSystem* files_;
  std::map<std::size_t, ImageLayer> named_;
};

}  // namespace soresolve
