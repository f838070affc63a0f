// How one file fares with the layers of an image, one more each time: which layer broke it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/dlopens.h"
#include "soresolve/place.h"
#include "soresolve/result.h"
#include "soresolve/world.h"

namespace soresolve {

enum class LayerState : std::uint8_t {
  Absent,   ///< the file is not there yet, or not any more
  Works,    ///< as verdict_of() says
  Depends,  ///< likewise
  Fails,    ///< likewise, or it is refused
};
std::string_view name_of(LayerState state);  ///< "absent", "works", "depends", "fails"

/// What the image up to this layer makes of the file.
struct LayerOutcome {
  ImageLayer layer;
  LayerState state = LayerState::Absent;
  std::string says;  ///< of one that fails: what the loader prints, or why it is refused
};

struct LayerHistory {
  std::string file;                        ///< as it was asked about; of an entry point its path
  std::vector<LayerOutcome> layers;        ///< the lowest first
  std::optional<std::size_t> fails_since;  ///< number of the layer from which on it fails up to the last; nullopt: it
                                           ///< does not fail
};

/// Judges `file` after each layer of the image that the settings name as root. Errors: Usage where that is no image;
/// those of World::resolve() only where they concern the settings.
Result<LayerHistory> judge_layers(const WorldSettings& settings, const std::string& file, DlopenLevel later);

}  // namespace soresolve
