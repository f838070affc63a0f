#include "diagnose/similar.h"

#include <algorithm>
#include <set>
#include <string>

namespace soresolve {
namespace {

constexpr std::size_t kMaxSimilar = 16;

bool has_stem(std::string_view file, std::string_view stem) {
  return file.starts_with(stem) && file.substr(stem.size()).starts_with(".so");
}

}  // namespace

std::string_view library_stem(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  return name.substr(0, name.find(".so"));
}

std::vector<SimilarLibrary> similar_libraries(const System& system, std::string_view name,
                                              const SearchTrace& trace) {
  const std::string_view stem = library_stem(name);
  std::vector<SimilarLibrary> found;
  if (stem.empty()) return found;
  std::set<std::string, std::less<>> paths;
  for (std::size_t i = 0; i < system.cache.size(); ++i) {
    const std::optional<CacheEntry> entry = system.cache.entry(i);
    if (!entry || !system.cache.is_for_target(entry->flags) || !has_stem(entry->key, stem)) continue;
    if (paths.emplace(entry->value).second) {
      found.push_back({std::string(entry->key), std::string(entry->value), true});
    }
  }
  std::set<std::string, std::less<>> directories;
  for (const Attempt& attempt : trace.attempts) {
    if (attempt.outcome == Outcome::NoSuchDirectory || !attempt.directory.starts_with('/')) continue;
    const std::string directory = attempt.directory + attempt.subdirectory;
    if (!directories.insert(directory).second) continue;
    const Result<std::vector<std::string>, Errno> names = system.files->list_directory(directory);
    if (!names) continue;
    for (const std::string& file : *names) {
      if (has_stem(file, stem) && paths.insert(directory + file).second) {
        found.push_back({file, directory + file, false});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const SimilarLibrary& a, const SimilarLibrary& b) {
    return compare_cache_keys(a.soname, b.soname) < 0;
  });
  if (found.size() > kMaxSimilar) found.resize(kMaxSimilar);
  return found;
}

}  // namespace soresolve
