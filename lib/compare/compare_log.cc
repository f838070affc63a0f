// The searches in the log's order, then the bindings. The same file under another path is no difference.
#include "compare/compare_log.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/symbols.h"
#include "symbols/listed_bindings.h"

namespace soresolve {
namespace {

std::string key_of(std::string_view referrer, std::string_view symbol, std::string_view version) {
  std::string key(referrer);
  key.append(1, '\0').append(symbol).append(1, '\0').append(version);
  return key;
}

/// The object that the start has for a name that something requests; nullptr: nothing requests it.
const LoadedObject* object_for(const LinkMap& map, std::string_view name) {
  for (const LoadedObject& object : map.objects) {
    for (const Need& need : object.needs) {
      if (need.name == name && need.target != kNoObject) return &map.objects[need.target];
    }
  }
  return nullptr;
}

bool is_same_file(const FileSystem& files, std::string_view one, std::string_view other) {
  if (one == other) return true;
  const Result<FileStatus, Errno> a = files.status(one);
  const Result<FileStatus, Errno> b = files.status(other);
  return a && b && a->id.device == b->id.device && a->id.inode == b->id.inode;
}

Statement search_difference(const LinkMap& map, const LoggedSearch& search, const LoadedObject& object) {
  const bool is_here = object.role != ObjectRole::Placeholder;
  if (!search.is_found) {
    if (!is_here) return {};
    return say("log-found-here-only", {{"library", search.name}, {"predicted", std::string(object.path)}});
  }
  if (!is_here) return say("log-found-there-only", {{"library", search.name}, {"logged", search.path}});
  if (is_same_file(*map.system->files, object.path, search.path)) return {};
  return say("log-other-file",
             {{"library", search.name}, {"logged", search.path}, {"predicted", std::string(object.path)}});
}

Statement binding_difference(const LoggedProcess& process, const LinkMap& map, const Bindings& bindings,
                             std::size_t& compared) {
  std::unordered_map<std::string, std::string> predicted;
  for_each_listed(map, bindings, {}, [&](const ListedBinding& listed) {
    predicted.try_emplace(key_of(listed.referrer, listed.binding.symbol, listed.binding.version), listed.provider);
  });
  const auto name_here = [&](const std::string& name) {
    return name == process.program ? std::string_view(map.process->argv0) : std::string_view(name);
  };
  std::unordered_set<std::string> seen;
  for (const LoggedBinding& binding : process.bindings) {
    const std::string key = key_of(name_here(binding.referrer), binding.symbol, binding.version);
    const auto here = predicted.find(key);
    // A name may be bound twice, once for its own library and once for a copy: the first one counts.
    if (here == predicted.end() || !seen.insert(key).second) continue;
    ++compared;
    if (is_same_file(*map.system->files, here->second, name_here(binding.provider))) continue;
    return say("log-other-provider", {{"symbol", binding.symbol},
                                      {"referrer", binding.referrer},
                                      {"logged", binding.provider},
                                      {"predicted", here->second}});
  }
  return {};
}

}  // namespace

LogComparison compare_with_log(const LoggedProcess& process, const LinkMap& map, const Bindings* bindings) {
  LogComparison comparison;
  // Without LD_DEBUG=files nothing says that a file was taken; then the last one tried stands for it.
  const bool has_files = std::any_of(process.searches.begin(), process.searches.end(),
                                     [](const LoggedSearch& search) { return search.is_found; });
  for (const LoggedSearch& logged : process.searches) {
    LoggedSearch search = logged;
    const LoadedObject* const object = object_for(map, search.name);
    if (object == nullptr) {
      ++comparison.later;
      continue;
    }
    const bool is_here = object->role != ObjectRole::Placeholder;
    // How the last search of a start that ended is left open by a log of searches alone, without the message.
    const bool is_open =
        !has_files && !process.has_started && !search.is_missing && &logged == &process.searches.back();
    if (is_open && is_here) continue;
    search.is_found = search.is_found || (!has_files && !search.path.empty() && !search.is_missing && !is_open);
    if (!search.is_found && !is_here) comparison.missing = search.name;
    if (search.is_found || is_here) ++comparison.libraries;
    comparison.difference = search_difference(map, search, *object);
    if (!comparison.difference.empty()) return comparison;
  }
  if (bindings != nullptr && !process.bindings.empty()) {
    comparison.difference = binding_difference(process, map, *bindings, comparison.bindings);
  }
  return comparison;
}

}  // namespace soresolve
