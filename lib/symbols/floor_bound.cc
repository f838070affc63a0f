// Bounds on the floor: `glibc<=2.28`, and the policies of wheels (manylinux_2_28, musllinux_1_2) as sets of them with
// the libraries that a wheel may take from the system. Source of kPolicies: PEP 513, 571, 599, 600 and 656; the numbers
// from auditwheel 6.8.2, policy/manylinux-policy.json and musllinux-policy.json, x86_64, read on 2026-11-22. Left out
// of them: symbols of allowed libraries that a policy forbids (its "blacklist"), nodes without a number
// (CXXABI_FLOAT128).
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "symbols/floor.h"
#include "symbols/map_versions.h"
#include "symbols/node_meaning.h"

namespace soresolve {
namespace {

struct Policy {
  std::string_view name;
  std::string_view alias;
  std::string_view glibc;  ///< the highest of each; empty: none at all
  std::string_view glibcxx;
  std::string_view cxxabi;
  std::string_view gcc;
  std::string_view zlib;
};
constexpr Policy kPolicies[] = {
    {"manylinux_2_5", "manylinux1", "2.5", "3.4.8", "1.3.1", "4.2.0", ""},
    {"manylinux_2_12", "manylinux2010", "2.12", "3.4.13", "1.3.3", "4.3.0", "1.2.2.4"},
    {"manylinux_2_17", "manylinux2014", "2.17", "3.4.19", "1.3.7", "4.8.0", "1.2.5.2"},
    {"manylinux_2_24", "", "2.24", "3.4.22", "1.3.10", "4.8.0", "1.2.5.2"},
    {"manylinux_2_26", "", "2.26", "3.4.22", "1.3.10", "4.8.0", "1.2.5.2"},
    {"manylinux_2_27", "", "2.27", "3.4.24", "1.3.11", "7.0.0", "1.2.9"},
    {"manylinux_2_28", "", "2.28", "3.4.24", "1.3.11", "7.0.0", "1.2.9"},
    {"manylinux_2_31", "", "2.31", "3.4.28", "1.3.12", "7.0.0", "1.2.9"},
    {"manylinux_2_34", "", "2.34", "3.4.29", "1.3.13", "7.0.0", "1.2.9"},
    {"manylinux_2_35", "", "2.35", "3.4.30", "1.3.13", "12.0.0", "1.2.9"},
    {"manylinux_2_36", "", "2.36", "3.4.30", "1.3.13", "12.0.0", "1.2.9"},
    {"manylinux_2_37", "", "2.37", "3.4.30", "1.3.13", "12.0.0", "1.2.12"},
    {"manylinux_2_38", "", "2.38", "3.4.30", "1.3.13", "12.0.0", "1.2.12"},
    {"manylinux_2_39", "", "2.39", "3.4.33", "1.3.15", "14.0.0", "1.2.12"},
    {"manylinux_2_40", "", "2.40", "3.4.33", "1.3.15", "14.0.0", "1.2.12"},
    {"manylinux_2_41", "", "2.41", "3.4.33", "1.3.15", "14.0.0", "1.2.12"},
    {"musllinux_1_1", "", "", "", "", "", ""},
    {"musllinux_1_2", "", "", "", "", "", ""},
};

/// What a wheel of manylinux may take from the system. libexpat since 2_12, libmvec since 2_24.
constexpr std::string_view kManylinuxLibraries[] = {
    "libatomic.so.1",  "libgcc_s.so.1", "libstdc++.so.6",      "libm.so.6",           "libanl.so.1",
    "libdl.so.2",      "librt.so.1",    "libc.so.6",           "libnsl.so.1",         "libutil.so.1",
    "libpthread.so.0", "libX11.so.6",   "libXext.so.6",        "libXrender.so.1",     "libICE.so.6",
    "libSM.so.6",      "libGL.so.1",    "libgobject-2.0.so.0", "libgthread-2.0.so.0", "libglib-2.0.so.0",
    "libresolv.so.2",  "libz.so.1"};

bool is_musl(const Policy& policy) { return policy.name.starts_with("musllinux"); }

bool is_allowed(const Policy& policy, std::string_view library) {
  // The loader itself is there wherever the file can be loaded.
  if (library.starts_with("ld-linux") || library.starts_with("ld64.so") || library.starts_with("ld-musl")) return true;
  if (is_musl(policy)) return library == "libc.so" || library == "libz.so.1" || library.starts_with("libc.musl-");
  if (library == "libexpat.so.1") return policy.name != "manylinux_2_5";
  if (library == "libmvec.so.1") return !is_lower_version(policy.glibc, "2.24");
  return std::find(std::begin(kManylinuxLibraries), std::end(kManylinuxLibraries), library) !=
         std::end(kManylinuxLibraries);
}

const Policy* policy_named(std::string_view name) {
  // A tag may have its platform: manylinux_2_28_x86_64.
  for (const std::string_view machine : {"_x86_64", "_aarch64", "_i686", "_ppc64le", "_s390x", "_armv7l", "_riscv64"}) {
    if (name.ends_with(machine)) name.remove_suffix(machine.size());
  }
  const auto* const found = std::find_if(std::begin(kPolicies), std::end(kPolicies), [&](const Policy& policy) {
    return policy.name == name || (!policy.alias.empty() && policy.alias == name);
  });
  return found == std::end(kPolicies) ? nullptr : found;
}

/// zlib has nodes as well, but only policies bound them: the floor is about what a toolchain brings.
std::optional<NodeMeaning> bounded_meaning_of(std::string_view node) {
  if (node.starts_with("ZLIB_")) {
    return NodeMeaning{3, "zlib", "zlib", std::string(node.substr(5)), std::string(node.substr(5))};
  }
  return meaning_of(node);
}

/// `release` cut to as many numbers as `bound` has: a bound of 12 means all of 12.
std::string as_precise_as(std::string_view release, std::string_view bound) {
  const auto numbers = std::count(bound.begin(), bound.end(), '.') + 1;
  std::size_t end = 0;
  for (std::ptrdiff_t i = 0; i < numbers && end != std::string_view::npos; ++i) end = release.find('.', end + (i != 0));
  return std::string(release.substr(0, end));
}

bool is_above(std::string_view number, std::string_view bound) { return is_lower_version(bound, number); }

/// Does the bound leave the node out?
bool exceeds(const FloorBound& bound, const NodeMeaning& meaning) {
  if (const Policy* const policy = policy_named(bound.family)) {
    if (is_musl(*policy)) return meaning.family == "glibc";
    const std::pair<std::string_view, std::string_view> limits[] = {{"glibc", policy->glibc},
                                                                    {"libstdc++ GLIBCXX", policy->glibcxx},
                                                                    {"libstdc++ CXXABI", policy->cxxabi},
                                                                    {"libgcc", policy->gcc},
                                                                    {"zlib", policy->zlib}};
    return std::any_of(std::begin(limits), std::end(limits), [&](const auto& limit) {
      return limit.first == meaning.family && (limit.second.empty() || is_above(meaning.number, limit.second));
    });
  }
  if (bound.family == "glibc" || bound.family == "libgcc") {
    return meaning.family == bound.family && is_above(meaning.number, bound.highest);
  }
  if (bound.family == "glibcxx") {
    return meaning.family == "libstdc++ GLIBCXX" && is_above(meaning.number, bound.highest);
  }
  if (bound.family == "cxxabi") return meaning.family == "libstdc++ CXXABI" && is_above(meaning.number, bound.highest);
  const bool is_of_product = bound.family == "libstdc++" ? meaning.family.starts_with("libstdc++")
                                                         : meaning.product == (bound.family == "cuda"    ? "CUDA"
                                                                               : bound.family == "cudnn" ? "cuDNN"
                                                                                                         : "GCC");
  // A node that is newer than the tables is above whatever they name.
  return is_of_product &&
         (meaning.release.empty() || is_above(as_precise_as(meaning.release, bound.highest), bound.highest));
}

class Gate {
 public:
  Gate(const LinkMap& map, const Bindings& bindings, const FloorBound& bound)
      : map_(map), bindings_(bindings), bound_(bound), policy_(policy_named(bound.family)), versions_(map),
        counts_(map.target_closure()) {}

  Result<FloorVerdict> run() {
    verdict_.bound = bound_;
    for (ObjectIndex object = 0; object < map_.objects.size(); ++object) {
      const ObjectRole role = map_.objects[object].role;
      if (!counts_[object] || (role != ObjectRole::Main && role != ObjectRole::Library)) continue;
      if (policy_ != nullptr && !is_inside(object)) continue;
      const Result<VersionTables>& tables = versions_.of(object);
      if (tables) {
        look_at(object, *tables);
      } else if (tables.error().code == ErrorCode::Unreadable) {
        return Unexpected{tables.error()};
      }
      if (policy_ != nullptr) look_for_foreign(object);
    }
    bindings_.for_each([&](const Bindings::Event& event) {
      if (event.binding != nullptr && !event.binding->is_loaders_own) look_at(*event.binding);
    });
    return std::move(verdict_);
  }

 private:
  /// Is it a part of what is released? A file that was found by an RPATH or RUNPATH comes along; what the system's
  /// directories have is the system's.
  [[nodiscard]] bool is_inside(ObjectIndex object) const {
    if (object == map_.subject_root()) return true;
    const SearchStep step = map_.objects[object].found.step;
    const ObjectIndex owner = map_.objects[object].found.owner;
    if (!counts_[object] || (owner != kNoObject && !counts_[owner])) return false;
    return step == SearchStep::Rpath || step == SearchStep::Runpath;
  }

  void look_at(ObjectIndex needer, const VersionTables& tables) {
    const OwnFamilies own(map_.objects[needer], tables);
    for (const VersionNeed& need : tables.needs) {
      const auto meaning = bounded_meaning_of(need.name);
      if (!meaning || own.has(*meaning)) continue;
      std::string_view release = meaning->release;
      if (!exceeds(bound_, *meaning)) {
        if (bound_.family == "cuda" && meaning->product == "CUDA")
          functions_.emplace(std::pair(needer, need.name), std::pair(*meaning, need.file));
        continue;
      }
      if (verdict_.excesses.size() == kMaxExcesses) {
        ++verdict_.left_out;
        continue;
      }
      by_need_.emplace(std::pair(needer, need.name), verdict_.excesses.size());
      verdict_.excesses.push_back({.node = std::string(need.name),
                                   .file = std::string(need.file),
                                   .release = std::string(release),
                                   .product = meaning->product,
                                   .needer = needer,
                                   .is_weak = need.weak});
    }
  }

  /// The symbols that carry a node which is too new; for CUDA also functions that are newer than their node.
  void look_at(const SymbolBinding& binding) {
    if (binding.version.empty()) return;
    auto [at, end] = by_need_.equal_range({binding.referrer, binding.version});
    // Several files may have a node of that name: the one that the symbol was found in.
    const auto fits = std::find_if(at, end, [&](const auto& entry) {
      return binding.is_bound() && map_.objects[binding.provider].matches_name(verdict_.excesses[entry.second].file);
    });
    if (fits != end) at = fits;
    if (at != end) return add(verdict_.excesses[at->second], binding);
    const auto known = functions_.find({binding.referrer, binding.version});
    if (known == functions_.end()) return;
    const std::string release = release_of_function(known->second.first.family, binding.symbol);
    if (release.empty() || !is_above(as_precise_as(release, bound_.highest), bound_.highest)) return;
    if (verdict_.excesses.size() == kMaxExcesses) {
      ++verdict_.left_out;
      return;
    }
    verdict_.excesses.push_back({.node = std::string(binding.version),
                                 .file = std::string(known->second.second),
                                 .release = release,
                                 .product = "CUDA",
                                 .needer = binding.referrer,
                                 .is_weak = binding.is_weak});
    add(verdict_.excesses.back(), binding);
  }

  static void add(FloorExcess& excess, const SymbolBinding& binding) {
    const std::string symbol(binding.symbol);
    if (excess.symbols.size() == kMaxSymbols) return;
    const bool is_known = std::any_of(excess.symbols.begin(), excess.symbols.end(),
                                      [&](const FloorSymbol& known) { return known.name == symbol; });
    if (!is_known) excess.symbols.push_back({symbol, binding.is_weak});
  }

  void look_for_foreign(ObjectIndex needer) {
    for (const Need& need : map_.objects[needer].needs) {
      if (need.kind != NeedKind::Needed) continue;
      const bool is_here = need.target != kNoObject && map_.objects[need.target].role != ObjectRole::Placeholder;
      if (is_here && (is_inside(need.target) || map_.objects[need.target].role == ObjectRole::Loader)) continue;
      if (!is_allowed(*policy_, need.name)) verdict_.foreign.push_back({std::string(need.name), needer});
    }
  }

  static constexpr std::size_t kMaxExcesses = 4096;
  static constexpr std::size_t kMaxSymbols = 1024;

  using Key = std::pair<ObjectIndex, std::string_view>;

  const LinkMap& map_;
  const Bindings& bindings_;
  const FloorBound& bound_;
  const Policy* policy_;
  MapVersions versions_;
  std::vector<bool> counts_;  ///< what is asked about: not the program that only opens it
  FloorVerdict verdict_;
  std::multimap<Key, std::size_t> by_need_;
  std::map<Key, std::pair<NodeMeaning, std::string_view>> functions_;  ///< with the file of the node
};

}  // namespace

bool FloorVerdict::is_met() const {
  return foreign.empty() && left_out == 0 &&
         std::all_of(excesses.begin(), excesses.end(), [](const FloorExcess& excess) { return excess.is_weak; });
}

std::optional<FloorBound> parse_floor_bound(std::string_view text) {
  if (policy_named(text) != nullptr) return FloorBound{std::string(text), std::string(text), {}};
  const std::size_t at = text.find("<=");
  if (at == std::string_view::npos) return std::nullopt;
  std::string family(text.substr(0, at));
  std::string_view highest = text.substr(at + 2);
  while (!family.empty() && family.back() == ' ') family.pop_back();
  while (highest.starts_with(' ')) highest.remove_prefix(1);
  std::transform(family.begin(), family.end(), family.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  // As people write them: GLIBCXX_3.4.25 is the node, libstdc++ 9 the release of GCC.
  for (const std::string_view prefix : {"GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_"}) {
    if (highest.starts_with(prefix)) highest.remove_prefix(prefix.size());
  }
  if (family == "libstdcxx" || family == "libstdc++.so.6") family = "libstdc++";
  if (family == "libc" || family == "libc.so.6") family = "glibc";
  static constexpr std::string_view kFamilies[] = {"glibc",     "glibcxx", "cxxabi", "libgcc",
                                                   "libstdc++", "gcc",     "cuda",   "cudnn"};
  const bool is_known = std::find(std::begin(kFamilies), std::end(kFamilies), family) != std::end(kFamilies);
  const bool is_number = !highest.empty() && highest.find_first_not_of("0123456789.") == std::string_view::npos &&
                         highest.front() != '.' && highest.back() != '.';
  if (!is_known || !is_number) return std::nullopt;
  return FloorBound{std::string(text), std::move(family), std::string(highest)};
}

Result<FloorVerdict> judge_floor(const LinkMap& map, const Bindings& bindings, const FloorBound& bound) {
  return Gate(map, bindings, bound).run();
}

}  // namespace soresolve
