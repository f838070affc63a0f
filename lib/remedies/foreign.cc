// By the environments that files lie in (python/environments.h) and by the numbers of SONAMEs. Which directories are
// merged by links is seen through real paths.
#include "remedies/foreign.h"

#include <algorithm>

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "elf/library_name.h"
#include "loader/process.h"
#include "loader/system.h"
#include "python/environments.h"

namespace soresolve {
namespace {

/// The number behind ".so.": "12" of "libcudart.so.12"; empty where there is none.
std::string_view number_of(std::string_view name) {
  name = without_time_mark(name);
  const std::size_t so = name.rfind(".so.");
  return so == std::string_view::npos ? std::string_view() : name.substr(so + 4);
}

}  // namespace

bool is_other_release(const Candidate& candidate, std::string_view name) {
  const std::string_view own =
      candidate.soname.empty() ? file_name_of(candidate.path) : std::string_view(candidate.soname);
  return !candidate.is_asked_name && number_of(own) != number_of(name);
}

Belonging::Belonging(const LinkMap& map, const std::vector<std::string>& named) : map_(map), named_(named) {
  const FileSystem& files = *map.system->files;
  std::set<std::string> directories;
  const auto add = [&](std::string_view path) {
    if (path.starts_with('/') && directories.emplace(directory_of(path)).second)
      own_.insert(environment_of(files, path));
  };
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const ObjectRole role = map.objects[i].role;
    if (role != ObjectRole::Main && role != ObjectRole::Library) continue;
    // Where the loader found it, and what it is by its links: a venv's python is a link to another one's.
    const std::string path = without_dots(file_of(map, i));
    add(path);
    if (const auto real = files.real_path(path)) add(*real);
  }
  for (const std::string_view name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    std::string prefix(map.process->environment.value(name).value_or(""));
    if (!prefix.empty()) prefix = without_dots(absolute_path(prefix, map.process->cwd));
    while (prefix.size() > 1 && prefix.ends_with('/')) prefix.pop_back();
    if (prefix.starts_with('/')) own_.insert(prefix);
  }
  if (!directories.empty()) return;
  // Nobody is known who needs it: the environment that is active is meant.
  for (const std::string& site : active_site_directories(files, map.process->environment, map.process->cwd))
    own_.insert(environment_of(files, path_in(site, "")));
}

Statement Belonging::judge(const Candidate& candidate, std::string_view name) {
  if (is_other_release(candidate, name)) return say("of-other-release");
  const bool is_named = std::any_of(named_.begin(), named_.end(), [&](const std::string& directory) {
    return candidate.path.starts_with(directory.ends_with('/') ? directory : directory + "/");
  });
  const std::string environment = environment_of(*map_.system->files, candidate.path);
  if (is_named || environment.empty() || own_.contains(environment)) return {};
  return say("of-other-environment", {{"environment", environment}});
}

}  // namespace soresolve
