// What would help where a library that is opened later is not found: a directory of the opener's environment that has
// it, or a link to the copy that auditwheel has renamed (libnvrtc-builtins-2dc4bf68.so.11.8), beside the opener. Who
// opens a part asks for its plain name, whatever its own file is called. Each is tried: the libraries that are opened
// later are looked for once more in the world with the change.
#include <algorithm>
#include <set>

#include "base/path.h"
#include "diagnose/detectors.h"
#include "elf/library_name.h"
#include "loader/process.h"
#include "loader/system.h"
#include "python/environments.h"
#include "remedies/proposals.h"
#include "remedies/trial.h"

namespace soresolve {
namespace {

/// The site directories around a file, else those of the environment that is active.
std::vector<std::string> sites_for(const LinkMap& map, std::string_view file) {
  for (std::string_view at = directory_of(file); at.size() > 1; at = directory_of(at)) {
    if (file_name_of(at) == "site-packages" || file_name_of(at) == "dist-packages") return {std::string(at)};
  }
  return active_site_directories(*map.system->files, map.process->environment, map.process->cwd);
}

/// Where NVIDIA's wheels have their libraries.
std::vector<std::string> wheel_directories(const LinkMap& map, std::string_view file) {
  std::vector<std::string> directories;
  for (const std::string& site : sites_for(map, file)) {
    const std::string nvidia = path_in(site, "nvidia");
    const Result<std::vector<std::string>, Errno> names = map.system->files->list_directory(nvidia);
    for (const std::string& name : names ? *names : std::vector<std::string>())
      directories.push_back(path_in(path_in(nvidia, name), "lib"));
  }
  return directories;
}

/// The file in the directory that is the library under another stem: "libx-0a1b2c3d.so.1" for "libx.so.1".
std::string renamed_copy(const FileSystem& files, const std::string& directory, std::string_view name) {
  const Result<std::vector<std::string>, Errno> names = files.list_directory(directory);
  const std::string_view version = name.substr(std::min(name.find(".so"), name.size()));
  for (const std::string& other : names ? *names : std::vector<std::string>()) {
    const bool is_copy = other != name && library_stem(other) == library_stem(name) && other.ends_with(version);
    if (is_copy && other.find(".so") + version.size() == other.size()) return other;
  }
  return {};
}

class LaterFixes {
 public:
  LaterFixes(const RemedyContext& context, const Dlopens& dlopens)
      : map_(context.map), dlopens_(dlopens), missing_(names_missing_later(dlopens)), trials_(context.map) {}

  std::vector<Remedy> run() {
    if (missing_.empty()) return {};
    std::set<std::string> seen;
    for (const Dlopen& opened : dlopens_.list) {
      if (!is_missing_later(opened)) continue;
      const std::string opener = real(absolute_path(opened.opener, map_.process->cwd));
      const std::string& name = opened.choices.front().name;
      const std::string beside(directory_of(opener));
      if (const std::string copy = renamed_copy(*map_.system->files, beside, name);
          !copy.empty() && seen.insert(path_in(beside, name)).second)
        link(beside, copy, name);
      for (const std::string& directory : wheel_directories(map_, opener)) {
        const bool has_it = map_.system->files->status(path_in(directory, name)).has_value();
        if (has_it && seen.insert(directory).second) add_directory(directory);
      }
    }
    return std::move(remedies_);
  }

 private:
  [[nodiscard]] std::string real(const std::string& path) const {
    const Result<std::string, Errno> found = map_.system->files->real_path(path);
    return found ? *found : path;
  }

  void link(const std::string& directory, const std::string& target, const std::string& name) {
    Remedy remedy;
    remedy.kind = RemedyKind::Link;
    remedy.text = say("fix-link-to-other", {{"file", target}});
    remedy.commands = {"ln -s " + shell_word(target) + " " + shell_path(path_in(directory, name))};
    remedy.leads_to = {directory};
    WorldChange change;
    change.links = {{path_in(directory, name), path_in(directory, target)}};
    keep(std::move(remedy), change);
  }

  void add_directory(const std::string& directory) {
    if (directory.find_first_of(":;$") != std::string::npos) return;
    Remedy remedy;
    remedy.kind = RemedyKind::LibraryPath;
    remedy.text = say("fix-library-path", {{"count", std::size_t{1}}});
    remedy.leads_to = {directory};
    remedy.commands = {"export LD_LIBRARY_PATH=" + shell_word(directory) + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"};
    WorldChange change;
    change.environment = {"LD_LIBRARY_PATH=" +
                          prepended({directory}, map_.process->environment.value("LD_LIBRARY_PATH"))};
    keep(std::move(remedy), change);
  }

  /// Only what brings something.
  void keep(Remedy remedy, const WorldChange& change) {
    const std::unique_ptr<Trial> trial = trials_.make(change);
    if (!trial->refused.empty() || !trial->obstacles.empty()) return;
    const std::set<std::string> left = names_missing_later(trial->map);
    for (const std::string& name : missing_) {
      if (!left.contains(name)) remedy.fixes.push_back(name);
    }
    // What the found ones open in their turn may be missing as well: then it fixes a part.
    if (remedy.fixes.empty()) return;
    remedy.verdict = left.empty() ? RemedyVerdict::Works : RemedyVerdict::Partly;
    remedy.checked = say("checked-versions");
    remedies_.push_back(std::move(remedy));
  }

  const LinkMap& map_;
  const Dlopens& dlopens_;
  const std::set<std::string> missing_;
  Trials trials_;
  std::vector<Remedy> remedies_;
};

}  // namespace

std::vector<Remedy> propose_opened_later(const RemedyContext& context, const Dlopens& dlopens) {
  return LaterFixes(context, dlopens).run();
}

}  // namespace soresolve
