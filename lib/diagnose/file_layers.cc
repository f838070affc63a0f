// A library that a layer took away is looked for where it was most likely: in the directories of what was found. Which
// layers there are is in place/image.cc; `check --layers` asks about each of them.
#include "diagnose/additions.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "loader/system.h"
#include "soresolve/place.h"

namespace soresolve {
namespace {

/// Layers by files, each file once.
class LayersOfFiles {
 public:
  LayersOfFiles(const LinkMap& map, const ImageLayers& layers)
      : map_(map), files_(*map.system->files), layers_(layers) {
    for (const LoadedObject& object : map.objects) {
      const Result<std::string, Errno> real = files_.real_path(directory_of(object.name()));
      if (real) directories_.insert(*real);
    }
  }

  /// A library that is missing, or that the loader refuses.
  void add_library(std::string_view name, bool is_missing) {
    if (is_missing && name.find('/') == std::string_view::npos) {
      for (const std::string& directory : directories_) add(path_in(directory, name), true);
    } else {
      add(name, is_missing);
    }
  }
  void add_object(ObjectIndex object) {
    if (object >= map_.objects.size() || map_.objects[object].role == ObjectRole::Placeholder) return;
    add(file_of(map_, object), false);
  }
  /// Files that were refused under this name.
  void add_refused(std::string_view name) {
    for (const LoadFailure& failure : map_.failures) {
      if (failure.kind != LoadFailure::Kind::Missing && file_name_of(failure.object) == file_name_of(name)) {
        add(failure.object, false);
      }
    }
  }
  /// Those since the last time.
  std::vector<LayerOfFile> take() { return std::exchange(list_, {}); }

 private:
  static constexpr std::size_t kMostLayers = 8;

  /// Of a library that is missing, only what was taken away counts: where it could lie, nothing else does.
  void add(std::string_view path, bool only_removed) {
    if (list_.size() >= kMostLayers) return;
    std::optional<LayerOfFile> layer = layer_of_file(layers_, files_, path);
    if (!layer || (only_removed && !layer->is_removed)) return;
    const auto is_same = [&](const LayerOfFile& known) { return known.path == layer->path; };
    if (std::none_of(list_.begin(), list_.end(), is_same)) list_.push_back(std::move(*layer));
  }

  const LinkMap& map_;
  const FileSystem& files_;
  const ImageLayers& layers_;
  std::set<std::string> directories_;  ///< of what was loaded, without links
  std::vector<LayerOfFile> list_;
};

void add_problem(LayersOfFiles& layers, const Problem& problem) {
  layers.add_library(problem.name, problem.code == ProblemCode::MissingLibrary);
  layers.add_object(problem.object);
  layers.add_refused(problem.name);
  if (!problem.requests.empty()) layers.add_object(problem.requests.front().needer);
}

}  // namespace

void add_layers(const LinkMap& map, Diagnosis& diagnosis) {
  if (!map.system || !map.system->layers) return;
  constexpr std::size_t kMostProblems = 256;
  std::optional<LayersOfFiles> layers;
  std::size_t count = 0;
  for (Problem& problem : diagnosis.problems) {
    if (severity_of(problem.code) == Severity::Note || ++count > kMostProblems) continue;
    if (!layers) layers.emplace(map, *map.system->layers);
    add_problem(*layers, problem);
    problem.layers = layers->take();
  }
}

std::vector<LayerOfFile> layers_of(const LinkMap& map, const Check& check) {
  if (!map.system || !map.system->layers || check.is_ok()) return {};
  LayersOfFiles layers(map, *map.system->layers);
  for (const UnresolvedLibrary& library : check.libraries) {
    layers.add_library(library.failure.object, library.failure.kind == LoadFailure::Kind::Missing);
    if (!library.needers.empty()) layers.add_object(library.needers.front());
  }
  for (const VersionGap& gap : check.versions) {
    if (!gap.message.is_error) continue;
    layers.add_object(gap.message.provider);
    layers.add_object(gap.message.requirer);
  }
  for (const UnresolvedSymbol& symbol : check.symbols) {
    layers.add_object(symbol.from);
    layers.add_object(symbol.reference.referrer);
  }
  return layers.take();
}

}  // namespace soresolve
