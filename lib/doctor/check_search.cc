// What leads the loader's search: LD_LIBRARY_PATH, the cache, the toolkits' links.
#include <algorithm>
#include <map>

#include "cuda/cuda_library.h"
#include "diagnose/stale_cache.h"
#include "doctor/checks.h"
#include "elf/library_name.h"
#include "loader/ldconfig.h"
#include "loader/system.h"

namespace soresolve {
namespace {

using enum DoctorResult;

/// Has the directory a name that programs ask for, "libcuda.so.1", of a library that `counts` takes?
bool has_cuda_library(const FileSystem& files, const std::string& directory, bool (*counts)(std::string_view family)) {
  const auto names = files.list_directory(directory);
  return names && std::any_of(names->begin(), names->end(), [&](const std::string& name) {
           return name.find(".so.") != std::string::npos && counts(library_family(name));
         });
}

/// No wheel brings a driver: where its libraries lie alone, nothing comes between wheels.
bool is_of_toolkit(std::string_view family) {
  return is_cuda_family(family) && family != "libcuda" && !family.starts_with("libnvidia-");
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
std::vector<Statement> changes_of_ldconfig(const Machine& machine, const std::shared_ptr<OverlayFileSystem>& after) {
  std::vector<Statement> changes;
  const LdConfigRun run = play_ldconfig(*after, machine.system->rules);
  const std::map<std::string, std::string> before = cuda_entries(machine.system->cache);
  std::map<std::string, std::string> now;
  for (const LdConfigEntry& entry : run.entries) {
    if (is_cuda_family(library_family(entry.key))) now.emplace(entry.key, entry.value);
  }
  for (const auto& [key, value] : now) {
    const auto old = before.find(key);
    if (old == before.end())
      changes.push_back(say("comes-into-cache", {{"library", key}, {"path", value}}));
    else if (old->second != value)
      changes.push_back(say("instead-in-cache", {{"library", key}, {"path", value}, {"old", old->second}}));
  }
  for (const auto& [key, value] : before) {
    if (!now.contains(key)) changes.push_back(say("leaves-cache", {{"library", key}, {"path", value}}));
  }
  return changes;
}

}  // namespace

DoctorCheck check_library_path(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why = say("why-library-path");
  const std::vector<std::string> elements = library_path_of(machine.options.environment);
  if (elements.empty()) {
    check.seen = say("library-path-not-set");
    return check;
  }
  check.seen = say("element-count", {{"count", elements.size()}});
  for (const std::string& element : elements) {
    if (element.empty() || !element.starts_with('/')) {
      add_item(check, Warn,
               element.empty() ? say("empty-is-current") : say("depends-on-current", {{"element", element}}));
      note_problem(check, ProblemCode::UnsafeElement);
      continue;
    }
    const Result<std::string, Errno> real = machine.files->real_path(element);
    const std::string place = real ? *real : element;
    if (!real) {
      add_item(check, Warn, say("path-not-there", {{"path", element}}));
    } else if (place.ends_with("/stubs") || place.find("/stubs/") != std::string::npos) {
      const bool is_found = has_cuda_library(*machine.files, element, is_cuda_family);
      add_item(check, is_found ? Fail : Warn,
               say(is_found ? "directory-of-stubs" : "directory-of-link-names", {{"path", element}}));
      note_problem(check, ProblemCode::StubLibrary);
    } else if (place.ends_with("/compat")) {
      add_item(check, Warn, say("directory-of-compat", {{"path", element}}));
      note_problem(check, ProblemCode::ForwardCompat);
    } else if (has_cuda_library(*machine.files, element, is_cuda_family)) {
      const bool has_wheels =
          has_cuda_library(*machine.files, element, is_of_toolkit) &&
          std::any_of(inventory.sites().begin(), inventory.sites().end(),
                      [&](const std::string& site) { return machine.files->status(site + "/nvidia").has_value(); });
      add_item(check, has_wheels ? Warn : Pass,
               say(has_wheels ? "directory-before-wheels" : "directory-of-cuda", {{"path", element}}));
    } else {
      add_item(check, Pass, words_of_others(element));
    }
  }
  return check;
}

DoctorCheck check_cache(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = say("why-cache");
  if (machine.system == nullptr) {
    check.result = Skip;
    check.seen = say("no-loader-here");
    return check;
  }
  const System& system = *machine.system;
  if (!system.has_cache) {
    check.seen = system.cache_problem ? words_of_others(system.cache_problem->to_string())
                                      : say("cache-only-default", {{"cache", system.rules.cache_path}});
    check.result = system.cache_problem ? Warn : Pass;
    return check;
  }
  if (machine.mount != nullptr && machine.mount->is_cache_rebuilt) {
    check.seen = say("cache-rebuilt", {{"cache", system.rules.cache_path}, {"count", system.cache.size()}});
    return check;
  }
  check.seen = say("cache-entries", {{"cache", system.rules.cache_path}, {"count", system.cache.size()}});
  const auto after = std::make_shared<OverlayFileSystem>(machine.files);
  const std::vector<Statement> changes = changes_of_ldconfig(machine, after);
  for (const Statement& change : changes) add_item(check, Warn, change);
  if (!changes.empty()) note_problem(check, ProblemCode::StaleCache);
  const std::vector<ChangedDirectory> changed = changed_since_cache(system);
  if (changes.empty() && !changed.empty()) {
    DoctorItem& item = add_item(check, Pass, say("changed-without-cuda"));
    for (const ChangedDirectory& directory : changed) {
      item.proof.push_back(directory.is_gone ? say("directory-gone", {{"path", directory.path}})
                                             : words_of_others(directory.path));
    }
  }
  if (!changes.empty()) check.advice.push_back({say("write-it-anew"), {"ldconfig"}, true, say("played-in-memory")});
  return check;
}

DoctorCheck check_toolkits(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why = say("why-toolkits");
  const std::vector<Toolkit>& toolkits = inventory.toolkits();
  check.seen = toolkits.empty() ? say("no-toolkits") : say("toolkit-count", {{"count", toolkits.size()}});
  if (toolkits.empty()) check.result = Skip;
  for (const Toolkit& toolkit : toolkits) {
    const Result<std::string, Errno> real = machine.files->real_path(toolkit.directory);
    const bool is_link = real && *real != toolkit.directory;
    add_item(check, Pass,
             say("toolkit-seen", {{"path", toolkit.directory},
                                  {"link", is_link ? say("in-brackets", {{"text", *real}}) : Statement{}},
                                  {"release", release_of(toolkit.release)}}),
             toolkit.reported_by.empty() ? std::vector<Statement>{} : as_statements({toolkit.reported_by}));
  }
  const auto home = machine.options.environment.value("CUDA_HOME");
  if (home && !home->empty() && !machine.files->status(*home)) {
    add_item(check, Warn, say("cuda-home-not-there", {{"path", *home}}));
  }
  const Result<std::string, Errno> link = machine.files->read_link("/usr/local/cuda");
  if (link && !machine.files->status("/usr/local/cuda")) {
    add_item(check, Warn, say("cuda-link-dangles", {{"path", *link}}));
  }
  return check;
}

}  // namespace soresolve
