// Both sorts of glibc elf/dl-sort-maps.c: OlderSort is the only one up to 2.34 (later _dl_sort_maps_original),
// sort_depth_first() is _dl_sort_maps_dfs of 2.35; the tunable glibc.rtld.dynamic_sort selects one. Left out:
// DF_1_INITFIRST, the order of destructors. Past 200,000,000 comparisons the older sort stops moving objects.
#include "loader/dependency_sort.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "loader/loader_rules.h"
#include "loader/process.h"
#include "loader/system.h"
#include "loader/tunables.h"

namespace soresolve {
namespace {

constexpr std::string_view kLibcName = "libc.so.6";

/// The direct dependencies of each object, as its own `l_initfini` has them: DT_NEEDED, DT_FILTER
/// and DT_AUXILIARY in the order of the file. The root's list is `of_root`: as a rule empty, as it is
/// being made.
class Graph {
 public:
  Graph(const LinkMap& map, ObjectIndex root, std::span<const ObjectIndex> of_root) {
    begins_.reserve(map.objects.size() + 1);
    for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
      begins_.push_back(targets_.size());
      if (i == root) {
        targets_.insert(targets_.end(), of_root.begin(), of_root.end());
      } else {
        add_targets(map, map.objects[i]);
      }
    }
    begins_.push_back(targets_.size());
  }

  [[nodiscard]] std::size_t size() const { return begins_.size() - 1; }
  [[nodiscard]] std::span<const ObjectIndex> of(ObjectIndex object) const {
    return std::span(targets_).subspan(begins_[object], begins_[object + 1] - begins_[object]);
  }

 private:
  void add_targets(const LinkMap& map, const LoadedObject& object) {
    // A filtee can be walked twice; the list is that of the first time.
    const std::size_t count = std::min(object.needs.size(), object.elf.needs.size());
    for (const Need& need : std::span(object.needs).first(count)) {
      if (need.target == kNoObject) continue;
      if (map.objects[need.target].role == ObjectRole::Placeholder) continue;
      targets_.push_back(need.target);
    }
  }

  std::vector<std::size_t> begins_;
  std::vector<ObjectIndex> targets_;
};

/// The sort since 2.35: reverse postorder, from the end of the list. `hidden` is reached
/// through the list only, never as a dependency.
std::vector<ObjectIndex> sort_depth_first(const std::vector<ObjectIndex>& list, const Graph& graph,
                                          ObjectIndex hidden) {
  struct Visit {
    ObjectIndex object;
    std::size_t next;
  };
  std::vector<bool> is_open(graph.size());  // in the list and not visited yet
  for (const ObjectIndex object : list) is_open[object] = true;
  std::vector<ObjectIndex> postorder;
  std::vector<Visit> stack;
  for (auto top = list.rbegin(); top != list.rend(); ++top) {
    if (!is_open[*top]) continue;
    is_open[*top] = false;
    stack.push_back({*top, 0});
    while (!stack.empty()) {
      Visit& visit = stack.back();
      const std::span<const ObjectIndex> targets = graph.of(visit.object);
      while (visit.next < targets.size() && (!is_open[targets[visit.next]] || targets[visit.next] == hidden)) {
        ++visit.next;
      }
      if (visit.next == targets.size()) {
        postorder.push_back(visit.object);
        stack.pop_back();
        continue;
      }
      const ObjectIndex target = targets[visit.next];
      is_open[target] = false;
      stack.push_back({target, 0});
    }
  }
  std::reverse(postorder.begin(), postorder.end());
  return postorder;
}

/// The older sort. Whoever stands first and is needed by one further back moves behind the last of
/// those; whoever is needed by none has its place. In a circle the object behind the one that moves
/// gets the place once it has stood first more often than objects are left.
///
/// The loader moves within an array and looks for needers from its end. Here the objects form a
/// chain with increasing labels, so that a move costs no more than a look at all needers.
class OlderSort {
 public:
  OlderSort(const std::vector<ObjectIndex>& list, const Graph& graph) : nodes_(graph.size()), needers_(graph.size()) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      Node& node = nodes_[list[i]];
      node.is_left = true;
      node.next = i + 1 < list.size() ? list[i + 1] : kNoObject;
      for (const ObjectIndex target : graph.of(list[i])) needers_[target].push_back(list[i]);
    }
    head_ = list.empty() ? kNoObject : list.front();
    left_ = list.size();
    number();
  }

  std::vector<ObjectIndex> run() {
    std::vector<ObjectIndex> sorted;
    sorted.reserve(left_);
    while (head_ != kNoObject) {
      const ObjectIndex first = head_;
      ++visits_of(first);
      looks_ += 1 + needers_[first].size();
      const ObjectIndex last = looks_ > kMaxLooks ? kNoObject : last_needer(first);
      if (last == kNoObject) {
        sorted.push_back(take_head());
        continue;
      }
      head_ = nodes_[first].next;
      insert_behind(last, first);
      // The loader compares before it moves the counts along: this is the new first one's.
      if (visits_of(head_) > left_) sorted.push_back(take_head());
    }
    return sorted;
  }

 private:
  struct Node {
    ObjectIndex next = kNoObject;
    bool is_left = false;      ///< has no place yet
    std::uint64_t label = 0;   ///< increases along the chain
    std::uint32_t visits = 0;  ///< how often it stood first since `round` began
    std::uint32_t round = 0;
  };
  static constexpr std::uint64_t kGap = std::uint64_t{1} << 40;
  static constexpr std::uint64_t kMaxLabel = std::uint64_t{1} << 63;
  /// A second or so; the loader would spend hours on as much.
  static constexpr std::uint64_t kMaxLooks = 200'000'000;

  /// Each place that is given ends a round and clears all counts.
  std::uint32_t& visits_of(ObjectIndex object) {
    Node& node = nodes_[object];
    if (node.round != round_) node.visits = 0;
    node.round = round_;
    return node.visits;
  }

  ObjectIndex take_head() {
    const ObjectIndex taken = head_;
    nodes_[taken].is_left = false;
    head_ = nodes_[taken].next;
    --left_;
    ++round_;
    return taken;
  }

  [[nodiscard]] ObjectIndex last_needer(ObjectIndex object) const {
    ObjectIndex last = kNoObject;
    for (const ObjectIndex needer : needers_[object]) {
      if (!nodes_[needer].is_left || needer == object) continue;
      if (last == kNoObject || nodes_[needer].label > nodes_[last].label) last = needer;
    }
    return last;
  }

  void insert_behind(ObjectIndex anchor, ObjectIndex moved) {
    const ObjectIndex next = nodes_[anchor].next;
    nodes_[anchor].next = moved;
    nodes_[moved].next = next;
    const std::uint64_t before = nodes_[anchor].label;
    const std::uint64_t behind = next == kNoObject ? before + 2 * kGap : nodes_[next].label;
    nodes_[moved].label = before + (behind - before) / 2;
    if (nodes_[moved].label == before || behind > kMaxLabel) number();
  }

  void number() {
    looks_ += left_;
    std::uint64_t label = 0;
    for (ObjectIndex i = head_; i != kNoObject; i = nodes_[i].next) nodes_[i].label = label += kGap;
  }

  std::vector<Node> nodes_;
  std::vector<std::vector<ObjectIndex>> needers_;
  ObjectIndex head_ = kNoObject;
  std::size_t left_ = 0;
  std::uint64_t looks_ = 0;
  std::uint32_t round_ = 1;
};

/// glibc.rtld.dynamic_sort: 1 the older sort, 2 the newer.
bool uses_older_sort(const LoaderRules& rules, const Process& process) {
  if (!rules.sorts_depth_first) return true;
  const Tunables tunables(rules, process);
  return tunables.number("glibc.rtld.dynamic_sort", {1, 2, Tunables::Width::Bits32}) == 1;
}

/// The program, or what dlopen(3) opened.
ObjectIndex root_of(const LinkMap& map) {
  if (map.process->start != Start::Dlopen) return 0;
  for (const Need& need : map.main().needs) {
    const bool is_there = need.target != kNoObject && map.objects[need.target].role != ObjectRole::Placeholder;
    if (need.kind == NeedKind::Dlopen && is_there) return need.target;
  }
  return kNoObject;
}

/// The first object that was loaded with the SONAME of libc: the loader takes it for its libc.
ObjectIndex find_libc(const LinkMap& map, std::uint32_t space = 0) {
  const auto found = std::find_if(map.objects.begin(), map.objects.end(), [space](const auto& object) {
    return object.space == space && (object.role == ObjectRole::Library || object.role == ObjectRole::Main) &&
           object.elf.soname == kLibcName;
  });
  return found == map.objects.end() ? kNoObject : static_cast<ObjectIndex>(found - map.objects.begin());
}

/// Up to 2.31 dlopen(3) sorted anew, by the list of all objects from the opened one on that are not relocated
/// yet, which are those that this dlopen call (0: the start) has loaded; the opened one's own dependencies are then
/// all of `sorted`.
std::vector<ObjectIndex> sorted_for_old_dlopen(const LinkMap& map, ObjectIndex root, std::size_t dlopen_call,
                                               std::span<const ObjectIndex> sorted) {
  if (dlopen_call != 0) return OlderSort(map.dlopen_calls[dlopen_call - 1].listed, Graph(map, root, sorted)).run();
  const ObjectIndex end = map.loaded_by(0).second;
  std::vector<ObjectIndex> list;
  for (auto at = std::find(map.list_order.begin(), map.list_order.end(), root); at != map.list_order.end(); ++at) {
    if (*at < end && map.objects[*at].role == ObjectRole::Library) list.push_back(*at);
  }
  return OlderSort(list, Graph(map, root, sorted)).run();
}

/// `hidden` is reached through the list only, never as a dependency.
std::vector<ObjectIndex> sort_list(const LinkMap& map, ObjectIndex root, ObjectIndex hidden,
                                   std::vector<ObjectIndex> list) {
  // Filtees of the program stand before it in the search list.
  const auto root_at = std::find(list.begin(), list.end(), root);
  if (root_at == list.end()) return {};
  std::rotate(list.begin(), root_at, root_at + 1);

  const LoaderRules& rules = map.system->rules;
  const bool is_fixed = !(rules.sorts_libc_as_program && root == find_libc(map, map.objects[root].space));
  const Graph graph(map, root, {});
  if (uses_older_sort(rules, *map.process)) {
    if (!is_fixed) return OlderSort(list, graph).run();
    std::vector<ObjectIndex> sorted = OlderSort({list.begin() + 1, list.end()}, graph).run();
    sorted.insert(sorted.begin(), root);
    return sorted;
  }
  std::vector<ObjectIndex> sorted = sort_depth_first(list, graph, hidden);
  if (is_fixed && rules.forces_root_first) {
    const auto at = std::find(sorted.begin(), sorted.end(), root);
    std::rotate(sorted.begin(), at, at + 1);
  }
  return sorted;
}

}  // namespace

std::vector<ObjectIndex> dependency_sorted(const LinkMap& map) {
  const ObjectIndex root = root_of(map);
  // Only a program that the kernel has started is known as such here.
  const ObjectIndex hidden = map.process->start == Start::Kernel ? root : kNoObject;
  return sort_list(map, root, hidden, map.search_list);
}

std::vector<ObjectIndex> dlopen_sorted(const LinkMap& map, std::size_t dlopen_call) {
  const DlopenCall& made = map.dlopen_calls[dlopen_call - 1];
  if (made.root == kNoObject) return {};
  return sort_list(map, made.root, kNoObject, made.search_list);
}

namespace {

/// musl ldso/dynlink.c:__dls3, dlopen: in the order of the list, the loader (once more) in its place, the program
/// last.
std::vector<ObjectIndex> musl_order(const LinkMap& map, const std::vector<ObjectIndex>& list, std::size_t dlopen_call) {
  const auto [first, end] = map.loaded_by(dlopen_call);
  std::vector<ObjectIndex> order;
  for (const ObjectIndex index : list) {
    const ObjectRole role = map.objects[index].role;
    const bool is_relocated = role == ObjectRole::Library || (role == ObjectRole::Loader && dlopen_call == 0);
    if (is_relocated && index >= first && index < end) order.push_back(index);
  }
  if (dlopen_call == 0 && map.process->start != Start::Dlopen) order.push_back(0);
  return order;
}

}  // namespace

std::vector<ObjectIndex> dlopen_call_order(const LinkMap& map, std::size_t dlopen_call) {
  const LoaderRules& rules = map.system->rules;
  if (rules.libc == Libc::Musl) return musl_order(map, map.list_order, dlopen_call);
  std::vector<ObjectIndex> sorted = dlopen_sorted(map, dlopen_call);
  if (sorted.empty()) return sorted;
  if (rules.dlopen_sorts_anew) {
    sorted = sorted_for_old_dlopen(map, map.dlopen_calls[dlopen_call - 1].root, dlopen_call, sorted);
  }
  const auto [first, end] = map.loaded_by(dlopen_call);
  const ObjectIndex libc = find_libc(map, map.dlopen_calls[dlopen_call - 1].space);
  std::vector<ObjectIndex> order;
  const bool is_libc_first = rules.relocates_libc_first && libc >= first && libc < end;
  if (is_libc_first) order.push_back(libc);
  for (auto at = sorted.rbegin(); at != sorted.rend(); ++at) {
    const bool is_new = *at >= first && *at < end && map.objects[*at].role == ObjectRole::Library;
    if (is_new && !(is_libc_first && *at == libc)) order.push_back(*at);
  }
  return order;
}

std::vector<ObjectIndex> relocation_order(const LinkMap& map) {
  if (map.system->rules.libc == Libc::Musl) return musl_order(map, map.list_order, 0);
  const LoaderRules& rules = map.system->rules;
  const bool is_dlopen = map.process->start == Start::Dlopen;
  const ObjectIndex libc = find_libc(map);
  std::vector<ObjectIndex> sorted = dependency_sorted(map);
  if (is_dlopen && rules.dlopen_sorts_anew && !sorted.empty()) {
    sorted = sorted_for_old_dlopen(map, root_of(map), 0, sorted);
  }
  std::vector<ObjectIndex> order;
  if (sorted.empty()) return order;
  const bool is_libc_first = rules.relocates_libc_first && libc != kNoObject;
  if (is_libc_first) order.push_back(libc);
  ObjectIndex loader = kNoObject;
  for (auto at = sorted.rbegin(); at != sorted.rend(); ++at) {
    const ObjectRole role = map.objects[*at].role;
    if (role == ObjectRole::Loader) loader = *at;
    const bool is_relocated = role == ObjectRole::Library || (role == ObjectRole::Main && !is_dlopen);
    if (is_relocated && !(is_libc_first && *at == libc)) order.push_back(*at);
  }
  if (is_dlopen) return order;
  if (rules.always_lists_loader) {
    const auto is_loader = [](const auto& object) { return object.role == ObjectRole::Loader; };
    const auto at = std::find_if(map.objects.begin(), map.objects.end(), is_loader);
    loader =
        libc == kNoObject || at == map.objects.end() ? kNoObject : static_cast<ObjectIndex>(at - map.objects.begin());
  }
  if (loader != kNoObject) order.push_back(loader);
  return order;
}

}  // namespace soresolve
