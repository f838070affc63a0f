// Searches a missing library as each other object with search tags would (LoneSearcher), to show that the file is there
// but out of the needer's reach. Source: glibc 2.36 elf/dl-load.c:_dl_map_object, who inherits RPATH. At most 256
// objects are asked.
#include "diagnose/additions.h"

#include "diagnose/diagnosis_input.h"
#include "loader/load.h"

#include <set>

namespace soresolve {

std::vector<Evidence> found_by_others(const LinkMap& map, LoneSearcher& searcher, ObjectIndex needer,
                                      std::string_view name) {
  constexpr std::size_t kMaxObjectsAsked = 256;
  std::vector<Evidence> found;
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
    found.push_back({.what = step == SearchStep::Runpath
                                 ? say("in-runpath-of", {{"path", lone.path}, {"owner", owner}})
                                 : say("in-rpath-of",
                                       {{"path", lone.path}, {"owner", owner}, {"needer", map.objects[needer].name()}}),
                     .path = file_of(map, i)});
  }
  return found;
}

}  // namespace soresolve
