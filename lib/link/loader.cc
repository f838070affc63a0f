#include "soresolve/loader.h"

#include <map>
#include <utility>

#include "link/walk.h"

namespace soresolve {

Result<LinkMap> load(const System& system, const Process& process, std::string_view file,
                     const LoadOptions& options) {
  return Walk(system, process, options).run(file);
}

struct LoneSearcher::State {
  State(const System& system, const Process& process, const LinkMap& from)
      : map(from), walk(system, process, LoadOptions{}) {
    walk.adopt(from);
  }

  /// Whose lists a search by `needer` uses: its own number, or kNoObject when neither it nor anyone
  /// above it has any, as for most system libraries.
  ObjectIndex list_owner(ObjectIndex needer) const {
    const auto has_lists = [&](ObjectIndex at) {
      const ElfObject& elf = map.objects[at].elf;
      return elf.rpath || elf.runpath || elf.is_no_default_lib();
    };
    std::size_t steps = 0;
    for (ObjectIndex at = needer; at != kNoObject && steps <= map.objects.size();
         at = map.objects[at].loader, ++steps) {
      if (has_lists(at)) return needer;
    }
    return has_lists(0) ? needer : kNoObject;
  }

  const LinkMap& map;
  Walk walk;
  std::map<std::pair<ObjectIndex, std::string>, bool> fragile;
};

LoneSearcher::LoneSearcher(const System& system, const Process& process, const LinkMap& map)
    : state_(std::make_unique<State>(system, process, map)) {}
LoneSearcher::~LoneSearcher() = default;

LoneSearch LoneSearcher::search(ObjectIndex needer, std::string_view name, PastFirst past_first) {
  LoneSearch lone;
  const SearchResult result = state_->walk.search_for(
      state_->map, needer, name, past_first == PastFirst::GoOn, &lone.trace);
  lone.outcome = result.outcome;
  if (is_found(result.outcome)) lone.path = result.path;
  return lone;
}

bool LoneSearcher::is_fragile(ObjectIndex needer, const Need& need) {
  if (need.resolution != Resolution::ByName && need.resolution != Resolution::BySoname) {
    return false;
  }
  // ld.so, the vDSO and the program are there before any search.
  if (need.target == kNoObject || state_->map.objects[need.target].role != ObjectRole::Library) {
    return false;
  }
  if (need.name.find('/') != std::string_view::npos) return false;
  const auto [at, is_new] =
      state_->fragile.try_emplace({state_->list_owner(needer), std::string(need.name)}, false);
  if (is_new) {
    const SearchResult result =
        state_->walk.search_for(state_->map, needer, need.name, false, nullptr);
    at->second = !is_found(result.outcome);
  }
  return at->second;
}

}  // namespace soresolve
