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

using FilesByNeed = std::map<std::string, std::vector<std::string>, std::less<>>;

class NeedsSearch {
 public:
  explicit NeedsSearch(const FileSystem& files) : files_(files) {}

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

  FilesByNeed take_found() { return std::move(found_); }

 private:
  [[nodiscard]] bool is_directory(const std::string& path) const {
    const Result<FileStatus, Errno> status = files_.status(path);
    return status && status->kind == FileKind::Directory && !files_.read_link(path);
  }

  void take(std::string path) {
    if (++read_ > kMostEnvironmentFiles) return;
    const Result<OpenedObject> opened = open_object(files_, path, path);
    if (!opened) return;
    for (const NeedEntry& need : opened->elf.needs) {
      std::vector<std::string>& found = found_[std::string(need.name)];
      if (std::find(found.begin(), found.end(), path) == found.end()) found.push_back(path);
    }
  }

  const FileSystem& files_;
  std::size_t names_ = 0;
  std::size_t read_ = 0;
  FilesByNeed found_;
};

}  // namespace

EnvironmentNeeds::EnvironmentNeeds(const FileSystem& files, const std::vector<std::string>& sites) {
  NeedsSearch search(files);
  for (const std::string& site : sites) search.look_below(site);
  files_of_ = search.take_found();
}

std::vector<std::string> EnvironmentNeeds::needers_of(const FileSystem& files, std::string_view library,
                                                      std::size_t most) const {
  const auto found = files_of_.find(library);
  if (found == files_of_.end()) return {};
  std::vector<std::string> list = found->second;
  std::stable_partition(list.begin(), list.end(),
                        [&](const std::string& path) { return is_python_module(files, path); });
  if (list.size() > most) list.resize(most);
  return list;
}

std::vector<std::string> environment_needers(const FileSystem& files, const std::vector<std::string>& sites,
                                             std::string_view library, std::size_t most) {
  return EnvironmentNeeds(files, sites).needers_of(files, library, most);
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
