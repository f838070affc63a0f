// The highest version node that each family's users require; for CUDA the release that first has a function counts as
// well. Source: glibc's nodes carry the release; libstdc++ manual "ABI Policy and Guidelines";
// symbols/cuda_releases.cc. Left out: weak requirements, symbols without a version, more than 256 families.
#include "soresolve/symbols.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "symbols/floor.h"
#include "symbols/map_versions.h"
#include "symbols/node_meaning.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxFamilies = 256;  ///< more only a made-up file has

struct Candidate {
  NodeMeaning meaning;
  Floor floor;
  bool is_unbound = false;  ///< the function that sets the floor is not there
};

class FloorFinder {
 public:
  FloorFinder(const LinkMap& map, const Bindings& bindings)
      : map_(map), bindings_(bindings), versions_(map), counts_(map.target_closure()) {}

  Result<std::vector<Floor>> run() {
    for (ObjectIndex object = 0; object < map_.objects.size(); ++object) {
      if (!counts_[object] || map_.objects[object].role == ObjectRole::Loader) continue;  // that one is glibc's own
      const Result<VersionTables>& tables = versions_.of(object);
      if (tables) {
        look_at(object, *tables);
      } else if (tables.error().code == ErrorCode::Unreadable) {
        return Unexpected{tables.error()};
      }
    }
    for (auto& [key, candidate] : candidates_) by_node_.emplace(candidate.floor.node, &candidate);
    bindings_.for_each([&](const Bindings::Event& event) {
      if (event.binding != nullptr && !event.binding->is_loaders_own) look_at(*event.binding);
    });
    std::vector<Floor> floors;
    for (auto& [key, candidate] : candidates_) {
      find_here(candidate);
      floors.push_back(std::move(candidate.floor));
    }
    return floors;
  }

 private:
  using Key = std::pair<int, std::string>;

  void look_at(ObjectIndex needer, const VersionTables& tables) {
    if (tables.needs.empty()) return;
    const OwnFamilies own(map_.objects[needer], tables);
    for (const VersionNeed& need : tables.needs) {
      if (need.weak) continue;
      auto meaning = meaning_of(need.name);
      if (!meaning || own.has(*meaning)) continue;
      const Key key{meaning->order, meaning->family};
      const auto known = candidates_.find(key);
      if (known != candidates_.end() && !is_lower_version(known->second.meaning.number, meaning->number)) {
        continue;
      }
      if (known == candidates_.end() && candidates_.size() == kMaxFamilies) continue;
      Candidate candidate{*meaning, {}, false};
      candidate.floor.family = meaning->family;
      candidate.floor.product = meaning->product;
      candidate.floor.release = meaning->release;
      candidate.floor.node = need.name;
      candidate.floor.file = need.file;
      candidate.floor.needer = needer;
      candidates_.insert_or_assign(key, std::move(candidate));
    }
  }

  /// An example for the node; for CUDA the functions may set a higher floor than it.
  void look_at(const SymbolBinding& binding) {
    if (binding.version.empty() || !counts_[binding.referrer]) return;
    const auto known = by_node_.find(binding.version);
    if (known == by_node_.end()) return;
    Candidate& candidate = *known->second;
    Floor& floor = candidate.floor;
    const std::string release = release_of_function(floor.family, binding.symbol);
    if (!release.empty() && is_lower_version(floor.release, release) && !binding.is_weak) {
      floor.release = release;
      floor.symbol = binding.symbol;
      floor.needer = binding.referrer;
      floor.is_set_by_symbol = true;
      candidate.is_unbound = !binding.is_bound();
    } else if (floor.symbol.empty() && binding.referrer == floor.needer) {
      floor.symbol = binding.symbol;
    }
  }

  /// What is there for the file that the node is required from.
  void find_here(Candidate& candidate) {
    Floor& floor = candidate.floor;
    for (ObjectIndex i = 0; i < map_.objects.size() && floor.provider == kNoObject; ++i) {
      if (map_.objects[i].role != ObjectRole::Placeholder && map_.objects[i].matches_name(floor.file)) {
        floor.provider = i;
      }
    }
    if (floor.provider == kNoObject) return;
    const Result<VersionTables>& tables = versions_.of(floor.provider);
    if (!tables) return;
    floor.is_met = tables->defs.empty();
    std::string highest;
    for (const VersionDef& def : tables->defs) {
      if (def.name == floor.node) floor.is_met = true;
      const auto meaning = meaning_of(def.name);
      if (!meaning || def.base || meaning->family != floor.family) continue;
      // Only the nodes of a release name one: GLIBC_ABI_… may come with an older one.
      if (floor.product == "glibc" && !def.name.starts_with("GLIBC_" + meaning->number)) continue;
      if (!floor.here.empty() && !is_lower_version(highest, meaning->number)) continue;
      highest = meaning->number;
      floor.here = def.name;
    }
    if (candidate.is_unbound) floor.is_met = false;
  }

  const LinkMap& map_;
  const Bindings& bindings_;
  MapVersions versions_;
  std::vector<bool> counts_;  ///< a program that only opens the file needs what it needs by itself
  std::map<Key, Candidate> candidates_;
  std::map<std::string_view, Candidate*> by_node_;
};

}  // namespace

bool is_lower_version(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto part_of = [](std::string_view& text) {
      const std::size_t dot = std::min(text.find('.'), text.size());
      std::string_view part = text.substr(0, dot);
      text.remove_prefix(std::min(dot + 1, text.size()));
      while (part.size() > 1 && part.front() == '0') part.remove_prefix(1);
      return part;
    };
    const std::string_view left = part_of(a);
    const std::string_view right = part_of(b);
    // Numbers without leading zeros: the longer one is higher.
    if (left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
  }
  return a.empty() && !b.empty();
}

Result<std::vector<Floor>> find_floors(const LinkMap& map, const Bindings& bindings) {
  return FloorFinder(map, bindings).run();
}

}  // namespace soresolve
