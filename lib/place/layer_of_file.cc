// Which layer of an image a path is as it is by. Links are followed, since a layer says what it does to the real file.
#include "base/path.h"
#include "soresolve/place.h"

namespace soresolve {
namespace {

/// The path without links, as far as it leads; what is not there follows as it is written.
std::string real_as_far(const FileSystem& files, std::string_view path) {
  const Result<std::string, Errno> real = files.real_path(path);
  if (real) return *real;
  const std::string_view parent = directory_of(path);
  if (parent.size() >= path.size()) return std::string(path);
  return path_in(real_as_far(files, parent), file_name_of(path));
}

}  // namespace

std::optional<LayerOfFile> layer_of_file(const ImageLayers& layers, const FileSystem& files, std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  std::string real = real_as_far(files, path);
  const std::optional<std::size_t> brought = layers.brought(real);
  const std::optional<std::size_t> number = brought ? brought : layers.removed(real);
  if (!number || *number == 0 || *number > layers.list().size()) return std::nullopt;
  return LayerOfFile{std::move(real), *number, layers.list()[*number - 1], !brought};
}

}  // namespace soresolve
