// What leads the loader's search: LD_LIBRARY_PATH, the cache, the toolkits' links.
#include <algorithm>
#include <map>

#include "diagnose/stale_cache.h"
#include "doctor/checks.h"
#include "elf/library_name.h"
#include "loader/ldconfig.h"
#include "loader/system.h"

namespace soresolve {
namespace {

using enum DoctorResult;

bool has_cuda_library(const FileSystem& files, const std::string& directory) {
  const auto names = files.list_directory(directory);
  return names && std::any_of(names->begin(), names->end(), [](const std::string& name) {
           return name.find(".so.") != std::string::npos && is_cuda_family(library_family(name));
         });
}

/// CUDA's entries of the cache, the first of each name.
std::map<std::string, std::string> cuda_entries(const LdCache& cache) {
  std::map<std::string, std::string> entries;
  for (std::size_t i = 0; i < cache.size(); ++i) {
    const std::optional<CacheEntry> entry = cache.entry(i);
    if (entry && cache.is_for_target(entry->flags) && is_cuda_family(library_family(entry->key))) {
      entries.emplace(entry->key, entry->value);
    }
  }
  return entries;
}

/// What ldconfig would change about CUDA's libraries, one line each.
std::vector<std::string> changes_of_ldconfig(const Machine& machine, const std::shared_ptr<OverlayFileSystem>& after) {
  std::vector<std::string> changes;
  const LdConfigRun run = play_ldconfig(*after, machine.system->rules);
  const std::map<std::string, std::string> before = cuda_entries(machine.system->cache);
  std::map<std::string, std::string> now;
  for (const LdConfigEntry& entry : run.entries) {
    if (is_cuda_family(library_family(entry.key))) now.emplace(entry.key, entry.value);
  }
  for (const auto& [key, value] : now) {
    const auto old = before.find(key);
    if (old == before.end())
      changes.push_back(key + " => " + value + " comes into it");
    else if (old->second != value)
      changes.push_back(key + " => " + value + " instead of " + old->second);
  }
  for (const auto& [key, value] : before) {
    if (!now.contains(key)) changes.push_back(key + " => " + value + " leaves it");
  }
  return changes;
}

}  // namespace

DoctorCheck check_library_path(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why =
      "LD_LIBRARY_PATH comes before RUNPATH and the cache, for every program that inherits it; NVIDIA's wheels use "
      "RUNPATH, so that it "
      "gets between them and their own libraries";
  const std::vector<std::string> elements = library_path_of(machine.options.environment);
  if (elements.empty()) {
    check.seen = "LD_LIBRARY_PATH is not set";
    return check;
  }
  check.seen = std::to_string(elements.size()) + (elements.size() == 1 ? " element" : " elements");
  for (const std::string& element : elements) {
    if (element.empty() || !element.starts_with('/')) {
      add_item(check, Warn,
               element.empty() ? "an empty element means the current directory"
                               : "'" + element + "' depends on the current directory");
      continue;
    }
    const Result<std::string, Errno> real = machine.files->real_path(element);
    const std::string place = real ? *real : element;
    if (!real) {
      add_item(check, Warn, element + " does not exist");
    } else if (place.ends_with("/stubs") || place.find("/stubs/") != std::string::npos) {
      add_item(
          check, Fail,
          element +
              " is a directory of stubs for the link editor: what is found there fails when it is called (error 34)");
    } else if (place.ends_with("/compat")) {
      add_item(check, Warn, element + " has forward-compatible driver libraries: they hide the host's own");
    } else if (has_cuda_library(*machine.files, element)) {
      const bool has_wheels =
          std::any_of(inventory.sites().begin(), inventory.sites().end(),
                      [&](const std::string& site) { return machine.files->status(site + "/nvidia").has_value(); });
      add_item(check, has_wheels ? Warn : Pass,
               element + " has CUDA libraries" +
                   (has_wheels ? ": libraries of NVIDIA's wheels that need one of them get it from here" : ""));
    } else {
      add_item(check, Pass, element);
    }
  }
  return check;
}

DoctorCheck check_cache(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = "what was installed since the cache was written is found only in the default directories";
  if (machine.system == nullptr) {
    check.result = Skip;
    check.seen = "no loader is here";
    return check;
  }
  const System& system = *machine.system;
  if (!system.has_cache) {
    check.seen = system.cache_problem
                     ? system.cache_problem->to_string()
                     : system.rules.cache_path + " does not exist: only the default directories are searched";
    check.result = system.cache_problem ? Warn : Pass;
    return check;
  }
  check.seen = system.rules.cache_path + ": " + std::to_string(system.cache.size()) + " entries";
  const auto after = std::make_shared<OverlayFileSystem>(machine.files);
  const std::vector<std::string> changes = changes_of_ldconfig(machine, after);
  for (const std::string& change : changes) add_item(check, Warn, "ldconfig would change it: " + change);
  const std::vector<ChangedDirectory> changed = changed_since_cache(system);
  if (changes.empty() && !changed.empty()) {
    DoctorItem& item =
        add_item(check, Pass, "directories have changed since it was written, but nothing of CUDA's in them");
    for (const ChangedDirectory& directory : changed) {
      item.proof.push_back(directory.is_gone ? say("directory-gone", {{"path", directory.path}})
                                             : words_of_others(directory.path));
    }
  }
  if (!changes.empty())
    check.advice.push_back({"write it anew", {"ldconfig"}, true, "played in memory, with the changes above"});
  return check;
}

DoctorCheck check_toolkits(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why =
      "extensions are built with the toolkit that nvcc and CUDA_HOME lead to; one of another major version than the "
      "framework's is refused";
  const std::vector<Toolkit>& toolkits = inventory.toolkits();
  check.seen = toolkits.empty() ? "none (programs need none to run)"
                                : std::to_string(toolkits.size()) + (toolkits.size() == 1 ? " toolkit" : " toolkits");
  if (toolkits.empty()) check.result = Skip;
  for (const Toolkit& toolkit : toolkits) {
    const Result<std::string, Errno> real = machine.files->real_path(toolkit.directory);
    const bool is_link = real && *real != toolkit.directory;
    add_item(check, Pass,
             toolkit.directory + (is_link ? " (" + *real + ")" : "") + ": " +
                 (toolkit.release.empty() ? "of a release that nothing tells" : "CUDA " + toolkit.release.text),
             toolkit.told_by.empty() ? std::vector<std::string>{} : std::vector<std::string>{toolkit.told_by});
  }
  const auto home = machine.options.environment.value("CUDA_HOME");
  if (home && !home->empty() && !machine.files->status(*home)) {
    add_item(check, Warn, "CUDA_HOME=" + std::string(*home) + " does not exist");
  }
  const Result<std::string, Errno> link = machine.files->read_link("/usr/local/cuda");
  if (link && !machine.files->status("/usr/local/cuda")) {
    add_item(check, Warn, "/usr/local/cuda is a link to " + *link + ", which does not exist");
  }
  return check;
}

}  // namespace soresolve
