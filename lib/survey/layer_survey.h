// What each layer of an image did: since which one a problem is there, which problems a later one ended, and the files
// that a later one hides and that still weigh.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "soresolve/place.h"
#include "soresolve/result.h"
#include "soresolve/survey.h"

namespace soresolve {

/// The image as its first layers make it, judged.
struct SurveyedLayer {
  ImageLayer layer;
  SurveyCounts counts;               ///< of the image up to here
  std::vector<std::string> appears;  ///< keys of the causes that are there since this layer, up to the last
  std::vector<Statement> ended;      ///< headlines of causes of the layers below that are not there any more
};

struct LayerSurvey {
  std::vector<SurveyedLayer> layers;  ///< the lowest first
  std::vector<HiddenFile> hidden;     ///< as ImageLayers::hidden()
  bool is_interrupted = false;        ///< ended from outside before all layers were judged
  [[nodiscard]] std::uint64_t hidden_bytes() const;
  /// Number of the layer since which the cause is there; nullopt: not known.
  [[nodiscard]] std::optional<std::size_t> since(const ProblemGroup& group) const;
};

/// Surveys the image that the settings name once for each layer, without fixes; `whole`: the survey of all of it, by
/// the same settings, places and options. Errors: Usage where the root is no image; those of survey().
Result<LayerSurvey> survey_layers(const WorldSettings& settings, const std::vector<std::string>& places,
                                  const SurveyOptions& options, const Survey& whole);

}  // namespace soresolve
