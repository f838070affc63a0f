// Walks breadth first, so that a package's own modules come before what it has bundled deep below. Names with a suffix
// that no library has are passed without a look at the file; links to directories are not followed.
#include "python/environment_needers.h"

#include <algorithm>
#include <array>

#include "base/path.h"
#include "base/pieces.h"
#include "loader/load.h"
#include "python/interpreter.h"

namespace soresolve {
namespace {

/// May the name be that of a directory with libraries? Records, caches, sources and data are none.
bool may_be_directory(std::string_view name) {
  if (name == "__pycache__" || name.ends_with(".dist-info") || name.ends_with(".egg-info")) return false;
  const std::size_t dot = name.rfind('.');
  constexpr std::array<std::string_view, 3> kOfDirectories = {".libs", ".dylibs", ".data"};
  if (dot == std::string_view::npos) return true;
  const bool is_known =
      std::find(kOfDirectories.begin(), kOfDirectories.end(), name.substr(dot)) != kOfDirectories.end();
  return is_known || name.ends_with(".egg");
}

class NeederSearch {
 public:
  NeederSearch(const FileSystem& files, std::string_view library) : files_(files), library_(library) {}

  void look_below(const std::string& site) {
    std::vector<std::string> todo = {site};
    for (std::size_t i = 0; i < todo.size() && names_ < kMostEnvironmentNames; ++i) {
      const Result<std::vector<std::string>, Errno> names = files_.list_directory(todo[i]);
      for (const std::string& name : names ? *names : std::vector<std::string>()) {
        ++names_;
        std::string path = path_in(todo[i], name);
        if (name.find(".so") != std::string::npos)
          take(std::move(path));
        else if (may_be_directory(name) && is_directory(path))
          todo.push_back(std::move(path));
      }
    }
  }

  /// Modules first.
  std::vector<std::string> found(std::size_t most) {
    std::stable_partition(found_.begin(), found_.end(),
                          [&](const std::string& path) { return is_python_module(files_, path); });
    if (found_.size() > most) found_.resize(most);
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_directory(const std::string& path) const {
    const Result<FileStatus, Errno> status = files_.status(path);
    return status && status->kind == FileKind::Directory && !files_.read_link(path);
  }

  void take(std::string path) {
    if (++read_ > kMostEnvironmentFiles) return;
    const Result<OpenedObject> opened = open_object(files_, path, path);
    if (!opened) return;
    const bool needs = std::any_of(opened->elf.needs.begin(), opened->elf.needs.end(),
                                   [&](const NeedEntry& need) { return need.name == library_; });
    if (needs && std::find(found_.begin(), found_.end(), path) == found_.end()) found_.push_back(std::move(path));
  }

  const FileSystem& files_;
  std::string_view library_;
  std::size_t names_ = 0;
  std::size_t read_ = 0;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> environment_needers(const FileSystem& files, const std::vector<std::string>& sites,
                                             std::string_view library, std::size_t most) {
  NeederSearch search(files, library);
  for (const std::string& site : sites) search.look_below(site);
  return search.found(most);
}

std::string module_name(const std::vector<std::string>& sites, std::string_view file) {
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (const std::string& site : sites) {
    if (!file.starts_with(site + "/")) continue;
    std::string_view below = file.substr(site.size() + 1);
    const std::size_t last = below.rfind('/') == std::string_view::npos ? 0 : below.rfind('/') + 1;
    below = below.substr(0, below.find('.', last));
    std::string name;
    for (const std::string_view part : pieces_in(below, '/')) {
      if (part.empty() || part.find_first_not_of(kOfNames) != std::string_view::npos) return {};
      name.append(name.empty() ? "" : ".").append(part);
    }
    return name;
  }
  return {};
}

}  // namespace soresolve
