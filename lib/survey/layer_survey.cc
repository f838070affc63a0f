// The image is judged as its first layer makes it, as its first two do, and so on; the causes of two neighbours are
// compared by key. A file that no layer touched is read once for all of them, since the trees share it and the store of
// facts goes by its identity. So a further layer costs the walks, not the reading.
//
// A cause is there since the first layer from which on each further one has it: what is broken between two layers of
// one recipe (a library removed before its successor is installed) is no problem of the image, and is reported as
// ended. What the image says of its process is that of the whole: a recipe's ENV line makes no layer.
#include "survey/layer_survey.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "soresolve/world.h"

namespace soresolve {
namespace {

/// The causes of one stage that count, by key.
using Causes = std::map<std::string, Statement>;

Causes causes_of(const Survey& survey) {
  Causes causes;
  for (const ProblemGroup& group : survey.groups) causes.emplace(group.key, group.headline);
  return causes;
}

WorldSettings settings_of_stage(const WorldSettings& settings, const Place& place, std::size_t count) {
  auto stage = std::make_shared<Place>(place);
  stage->files = place.layers->first(count);
  WorldSettings of_stage = settings;
  of_stage.where.place = std::move(stage);
  of_stage.where.known.reset();  // of another tree
  return of_stage;
}

/// One place that the stage does not have yet is no error: it has nothing in it.
bool has_any(const FileSystem& files, const std::vector<std::string>& places) {
  return places.empty() || std::any_of(places.begin(), places.end(),
                                       [&](const std::string& place) { return files.status(place).has_value(); });
}

}  // namespace

std::uint64_t LayerSurvey::hidden_bytes() const {
  std::uint64_t sum = 0;
  for (const HiddenFile& file : hidden) sum += file.size_bytes;
  return sum;
}

std::optional<std::size_t> LayerSurvey::since(const ProblemGroup& group) const {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::vector<std::string>& keys = layers[i].appears;
    if (std::find(keys.begin(), keys.end(), group.key) != keys.end()) return i + 1;
  }
  return std::nullopt;
}

Result<LayerSurvey> survey_layers(const WorldSettings& settings, const std::vector<std::string>& places,
                                  const SurveyOptions& options, const Survey& whole) {
  World world(settings);
  const Result<std::shared_ptr<const FileSystem>> files = world.files();
  if (!files) return Unexpected{files.error()};
  const std::shared_ptr<const Place> place = world.place();
  if (!place || !place->layers) {
    return Unexpected{
        Error{ErrorCode::Usage, settings.where.root, {}, "is no image: --layers asks about the layers of one"}};
  }
  WorldSettings shared = settings;
  if (!shared.store) shared.store = make_object_store();
  SurveyOptions quick = options;
  quick.fixes = SurveyFixes::None;
  quick.progress = {};
  LayerSurvey result;
  result.hidden = place->layers->hidden();
  const std::vector<ImageLayer>& layers = place->layers->list();
  Causes before;
  std::map<std::string, std::size_t> since;  // layer by key
  for (std::size_t count = 1; count <= layers.size() && !result.is_interrupted; ++count) {
    SurveyedLayer& layer = result.layers.emplace_back();
    layer.layer = layers[count - 1];
    const WorldSettings of_stage = settings_of_stage(shared, *place, count);
    Survey found;
    if (count == layers.size()) {
      layer.counts = whole.counts;
    } else if (has_any(*of_stage.where.place->files, places)) {
      Result<Survey> stage = survey(of_stage, places, quick);
      if (!stage) return Unexpected{std::move(stage).error()};
      found = std::move(*stage);
      layer.counts = found.counts;
    }
    const Survey& stage = count == layers.size() ? whole : found;
    result.is_interrupted = stage.is_interrupted;
    Causes now = causes_of(stage);
    for (const auto& [key, headline] : now) since.try_emplace(key, count);
    for (const auto& [key, headline] : before) {
      if (now.contains(key)) continue;
      layer.ended.push_back(headline);
      since.erase(key);
    }
    before = std::move(now);
  }
  for (const auto& [key, count] : since) result.layers[count - 1].appears.push_back(key);
  return result;
}

}  // namespace soresolve
