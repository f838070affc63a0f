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
                                              const SearchTrace& trace,
                                              const std::vector<std::string>& further) {
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
  const auto look_in = [&](const std::string& directory) {
    if (!directories.insert(directory).second) return;
    const Result<std::vector<std::string>, Errno> names = system.files->list_directory(directory);
    if (!names) return;
    for (const std::string& file : *names) {
      if (has_stem(file, stem) && paths.insert(directory + file).second) {
        found.push_back({file, directory + file, false});
      }
    }
  };
  for (const Attempt& attempt : trace.attempts) {
    if (attempt.outcome == Outcome::NoSuchDirectory || !attempt.directory.starts_with('/')) continue;
    look_in(attempt.directory + attempt.subdirectory);
  }
  for (const std::string& directory : further) look_in(directory + "/");
  std::stable_sort(found.begin(), found.end(), [](const SimilarLibrary& a, const SimilarLibrary& b) {
    return compare_cache_keys(a.soname, b.soname) < 0;
  });
  if (found.size() > kMaxSimilar) found.resize(kMaxSimilar);
  return found;
}

std::vector<std::string> found_by_others(const LinkMap& map, LoneSearcher& searcher,
                                         ObjectIndex needer, std::string_view name) {
  constexpr std::size_t kMaxObjectsAsked = 256;
  std::vector<std::string> found;
  std::set<std::string, std::less<>> paths;
  std::size_t asked = 0;
  for (ObjectIndex i = 0; i < map.objects.size() && asked < kMaxObjectsAsked; ++i) {
    const ElfObject& elf = map.objects[i].elf;
    if (i == needer || (!elf.runpath && !elf.rpath)) continue;
    ++asked;
    const LoneSearch lone = searcher.search(i, name, PastFirst::Stop);
    if (!is_found(lone.outcome) || lone.trace.attempts.empty()) continue;
    const SearchStep step = lone.trace.attempts.back().step;
    if (step != SearchStep::Runpath && step != SearchStep::Rpath) continue;
    if (!paths.insert(lone.path).second) continue;
    const std::string owner(map.objects[i].name());
    found.push_back(lone.path + " is in the " + std::string(name_of(step)) + " of " + owner +
                    (step == SearchStep::Runpath
                         ? ", but a RUNPATH serves only what that file itself needs"
                         : ", which did not load " + std::string(map.objects[needer].name()) +
                               " and so does not hand it down"));
  }
  return found;
}

}  // namespace soresolve
