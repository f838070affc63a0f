// A library that a layer took away is looked for where it was most likely: in the directories of what was found. Which
// layers there are is in place/image.cc; `check --layers` asks about each of them.
#include "world/layer_notes.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/path.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostNotes = 8;

/// Of what was loaded, without links.
std::set<std::string> directories_of(const LinkMap& map, const FileSystem& files) {
  std::set<std::string> directories;
  for (const LoadedObject& object : map.objects) {
    const Result<std::string, Errno> real = files.real_path(directory_of(object.name()));
    if (real) directories.insert(*real);
  }
  return directories;
}

}  // namespace

std::vector<Statement> layer_notes(const LinkMap& map, const FileSystem& files, const ImageLayers& layers) {
  std::vector<Statement> notes;
  std::set<std::string> told;
  const std::set<std::string> directories = map.failures.empty() ? std::set<std::string>() : directories_of(map, files);
  for (const LoadFailure& failure : map.failures) {
    const auto tell = [&](const char* sentence, const std::string& path, std::optional<std::size_t> number) {
      if (!number || notes.size() >= kMostNotes || !told.insert(path).second) return;
      const Statement by = words_of_others(layers.list()[*number - 1].name());
      notes.push_back(sentence == std::string_view("note-layer-removed")
                          ? say("note-layer-removed", {{"file", path}, {"number", *number}, {"by", by}})
                          : say("note-layer-brought", {{"file", path}, {"number", *number}, {"by", by}}));
    };
    if (failure.kind == LoadFailure::Kind::Missing) {
      for (const std::string& directory : directories) {
        const std::string path = path_in(directory, file_name_of(failure.object));
        tell("note-layer-removed", path, layers.removed(path));
      }
    } else if (const Result<std::string, Errno> real = files.real_path(failure.object)) {
      tell("note-layer-brought", *real, layers.brought(*real));
    }
  }
  return notes;
}

}  // namespace soresolve
