// A library that a layer took away is looked for where it was most likely: in the directories of what was found. Which
// layers there are is in place/image.cc; `check --layers` asks about each of them.
#include "diagnose/additions.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "loader/system.h"
#include "soresolve/place.h"

namespace soresolve {
namespace {

class LayersOfProblems {
 public:
  LayersOfProblems(const LinkMap& map, const ImageLayers& layers)
      : map_(map), files_(*map.system->files), layers_(layers) {
    for (const LoadedObject& object : map.objects) {
      const Result<std::string, Errno> real = files_.real_path(directory_of(object.name()));
      if (real) directories_.insert(*real);
    }
  }

  void tell(Problem& problem) const {
    const bool is_missing = problem.code == ProblemCode::MissingLibrary;
    if (is_missing && problem.name.find('/') == std::string::npos) {
      for (const std::string& directory : directories_) add(problem, path_in(directory, problem.name), true);
    } else {
      add(problem, problem.name, is_missing);
    }
    add_object(problem, problem.object);
    for (const LoadFailure& failure : map_.failures) {
      if (failure.kind != LoadFailure::Kind::Missing && file_name_of(failure.object) == file_name_of(problem.name)) {
        add(problem, failure.object, false);
      }
    }
    if (!problem.requests.empty()) add_object(problem, problem.requests.front().needer);
  }

 private:
  static constexpr std::size_t kMostLayers = 8;

  void add_object(Problem& problem, ObjectIndex object) const {
    if (object >= map_.objects.size() || map_.objects[object].role == ObjectRole::Placeholder) return;
    add(problem, file_of(map_, object), false);
  }

  /// Of a library that is missing, only what was taken away counts: where it could lie, nothing else does.
  void add(Problem& problem, std::string_view path, bool only_removed) const {
    std::optional<LayerOfFile> layer = layer_of_file(layers_, files_, path);
    if (!layer || problem.layers.size() >= kMostLayers || (only_removed && !layer->is_removed)) return;
    const auto is_same = [&](const LayerOfFile& known) { return known.path == layer->path; };
    if (std::any_of(problem.layers.begin(), problem.layers.end(), is_same)) return;
    problem.layers.push_back(std::move(*layer));
  }

  const LinkMap& map_;
  const FileSystem& files_;
  const ImageLayers& layers_;
  std::set<std::string> directories_;  ///< of what was loaded, without links
};

}  // namespace

void add_layers(const LinkMap& map, Diagnosis& diagnosis) {
  if (!map.system || !map.system->layers) return;
  constexpr std::size_t kMostProblems = 256;
  std::optional<LayersOfProblems> layers;
  std::size_t count = 0;
  for (Problem& problem : diagnosis.problems) {
    if (severity_of(problem.code) == Severity::Note || ++count > kMostProblems) continue;
    if (!layers) layers.emplace(map, *map.system->layers);
    layers->tell(problem);
  }
}

}  // namespace soresolve
