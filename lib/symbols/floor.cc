// The highest version node that each family's users require; for CUDA the release that first has a function counts as
// well. Source: glibc's nodes carry the release; libstdc++ manual "ABI Policy and Guidelines";
// symbols/cuda_releases.cc. Left out: weak requirements, symbols without a version, more than 256 families.
#include "soresolve/symbols.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "symbols/cuda_releases.h"
#include "symbols/map_versions.h"

namespace soresolve {
namespace {

constexpr int kCudaOrder = 4;              ///< NodeMeaning::order from which on families are libraries
constexpr std::size_t kMaxFamilies = 256;  ///< more only a made-up file has

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What a node says of the release that it needs.
struct NodeMeaning {
  int order = 0;  ///< of the families in the answer
  std::string family;
  std::string product;
  std::string number;  ///< compared within the family
  std::string release;
};

struct NamedRelease {
  std::string_view number;
  std::string_view release;
};
constexpr NamedRelease kGlibcxx[] = {
    {"3.4", "3.4.0"},     {"3.4.9", "4.2.0"},   {"3.4.10", "4.3.0"},  {"3.4.11", "4.4.0"},  {"3.4.14", "4.5.0"},
    {"3.4.15", "4.6.0"},  {"3.4.17", "4.7.0"},  {"3.4.18", "4.8.0"},  {"3.4.19", "4.8.3"},  {"3.4.20", "4.9.0"},
    {"3.4.21", "5.1.0"},  {"3.4.22", "6.1.0"},  {"3.4.23", "7.1.0"},  {"3.4.24", "7.2.0"},  {"3.4.25", "8.1.0"},
    {"3.4.26", "9.1.0"},  {"3.4.27", "9.2.0"},  {"3.4.28", "9.3.0"},  {"3.4.29", "11.1.0"}, {"3.4.30", "12.1.0"},
    {"3.4.31", "13.1.0"}, {"3.4.32", "13.2.0"}, {"3.4.33", "14.1.0"}, {"3.4.34", "15.1.0"}};
constexpr NamedRelease kCxxabi[] = {
    {"1.3", "3.4.0"},     {"1.3.3", "4.4.0"},   {"1.3.4", "4.5.0"},  {"1.3.5", "4.6.0"},  {"1.3.6", "4.7.0"},
    {"1.3.7", "4.8.0"},   {"1.3.8", "4.9.0"},   {"1.3.9", "5.1.0"},  {"1.3.10", "6.1.0"}, {"1.3.11", "7.1.0"},
    {"1.3.13", "11.1.0"}, {"1.3.14", "13.1.0"}, {"1.3.15", "14.1.0"}};
/// Nodes of glibc that are not named by a release.
constexpr NamedRelease kGlibcAbi[] = {{"GLIBC_ABI_DT_RELR", "2.36"},
                                      {"GLIBC_ABI_GNU_TLS", "2.43"},
                                      {"GLIBC_ABI_GNU2_TLS", "2.43"},
                                      {"GLIBC_ABI_DT_X86_64_PLT", "2.43"}};

template <std::size_t Count>
std::string release_of(const NamedRelease (&releases)[Count], std::string_view number) {
  const auto known = std::find_if(std::begin(releases), std::end(releases),
                                  [&](const NamedRelease& row) { return row.number == number; });
  return known == std::end(releases) ? std::string() : std::string(known->release);
}

/// The number behind `prefix`, if the node is made of both.
std::string_view number_after(std::string_view node, std::string_view prefix) {
  if (!node.starts_with(prefix) || node.size() == prefix.size() || !is_digit(node[prefix.size()])) {
    return {};
  }
  return node.substr(prefix.size());
}

std::optional<NodeMeaning> meaning_of(std::string_view node) {
  if (const auto number = number_after(node, "GLIBC_"); !number.empty()) {
    return NodeMeaning{0, "glibc", "glibc", std::string(number), std::string(number)};
  }
  if (const std::string release = release_of(kGlibcAbi, node); !release.empty()) {
    return NodeMeaning{0, "glibc", "glibc", release, release};
  }
  if (const auto number = number_after(node, "GLIBCXX_"); !number.empty()) {
    return NodeMeaning{1, "libstdc++ GLIBCXX", "GCC", std::string(number), release_of(kGlibcxx, number)};
  }
  if (const auto number = number_after(node, "CXXABI_"); !number.empty()) {
    return NodeMeaning{2, "libstdc++ CXXABI", "GCC", std::string(number), release_of(kCxxabi, number)};
  }
  if (const auto number = number_after(node, "GCC_"); !number.empty()) {
    return NodeMeaning{3, "libgcc", "GCC", std::string(number), std::string(number)};
  }
  if (const auto cuda = parse_cuda_node(node)) {
    return NodeMeaning{cuda->product == "CUDA" ? kCudaOrder : kCudaOrder + 1,
                       std::string(cuda->product) + " " + std::string(cuda->stem), std::string(cuda->product),
                       cuda->release, cuda->release};
  }
  return std::nullopt;
}

bool is_glibcs_own(const LoadedObject& object, const VersionTables& tables) {
  static constexpr std::string_view kNames[] = {
      "libc.so.",      "libm.so.",          "libmvec.so.",          "libpthread.so.", "libdl.so.",
      "librt.so.",     "libutil.so.",       "libanl.so.",           "libresolv.so.",  "libBrokenLocale.so.",
      "libnsl.so.1",   "libthread_db.so.",  "libnss_compat.so.",    "libnss_dns.so.", "libnss_files.so.",
      "libnss_db.so.", "libnss_hesiod.so.", "libc_malloc_debug.so."};
  const std::string_view soname = object.elf.soname.value_or("");
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return soname.starts_with(name); }) ||
         std::any_of(tables.defs.begin(), tables.defs.end(),
                     [](const VersionDef& def) { return def.name == "GLIBC_PRIVATE"; });
}

/// What an object is released with itself: of that it may need what it likes.
class OwnFamilies {
 public:
  OwnFamilies(const LoadedObject& object, const VersionTables& tables) {
    if (is_glibcs_own(object, tables)) names_.insert("glibc");
    for (const VersionDef& def : tables.defs) {
      // Others than glibc have its nodes, too: libcrypt.so.1.
      const auto meaning = meaning_of(def.name);
      if (meaning && meaning->product != "glibc") names_.insert(name_of(*meaning));
    }
  }
  [[nodiscard]] bool has(const NodeMeaning& meaning) const { return names_.contains(name_of(meaning)); }

 private:
  /// The libraries of CUDA come together, as do those of cuDNN; libgcc and libstdc++ need not.
  static std::string name_of(const NodeMeaning& meaning) {
    return meaning.order >= kCudaOrder ? meaning.product : meaning.family;
  }
  std::set<std::string, std::less<>> names_;
};

struct Candidate {
  NodeMeaning meaning;
  Floor floor;
  bool is_unbound = false;  ///< the function that sets the floor is not there
};

class FloorFinder {
 public:
  FloorFinder(const LinkMap& map, const Bindings& bindings) : map_(map), bindings_(bindings), versions_(map) {}

  Result<std::vector<Floor>> run() {
    for (ObjectIndex object = 0; object < map_.objects.size(); ++object) {
      if (map_.objects[object].role == ObjectRole::Loader) continue;  // glibc's own
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

  void look_at(ObjectIndex consumer, const VersionTables& tables) {
    if (tables.needs.empty()) return;
    const OwnFamilies own(map_.objects[consumer], tables);
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
      candidate.floor.consumer = consumer;
      candidates_.insert_or_assign(key, std::move(candidate));
    }
  }

  /// An example for the node; for CUDA the functions may set a higher floor than it.
  void look_at(const SymbolBinding& binding) {
    if (binding.version.empty()) return;
    const auto known = by_node_.find(binding.version);
    if (known == by_node_.end()) return;
    Candidate& candidate = *known->second;
    Floor& floor = candidate.floor;
    const std::string release = release_of_function(floor.family, binding.symbol);
    if (!release.empty() && is_lower_version(floor.release, release) && !binding.is_weak) {
      floor.release = release;
      floor.symbol = binding.symbol;
      floor.consumer = binding.referrer;
      floor.is_set_by_symbol = true;
      candidate.is_unbound = !binding.is_bound();
    } else if (floor.symbol.empty() && binding.referrer == floor.consumer) {
      floor.symbol = binding.symbol;
    }
  }

  static std::string release_of_function(std::string_view family, std::string_view symbol) {
    if (family == "CUDA libcudart") return std::string(cuda_runtime_release(symbol));
    return family == "CUDA libnvJitLink" ? nvjitlink_release(symbol) : std::string();
  }

  /// What is there for the file that the node is required from.
  void find_here(Candidate& candidate) {
    Floor& floor = candidate.floor;
    for (ObjectIndex i = 0; i < map_.objects.size() && floor.provider == kNoObject; ++i) {
      if (map_.objects[i].role != ObjectRole::Placeholder && map_.objects[i].goes_by(floor.file)) {
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
