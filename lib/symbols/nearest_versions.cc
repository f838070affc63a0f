// The neighbours of a missing version among those with the same stem, by strverscmp(3). A hint only: no order of
// versions is defined by the loader. Never another family while there is one: libstdc++ ends its list with a dozen
// CXXABI nodes, and whoever lacks a GLIBCXX one learns nothing from them.
#include "symbols/nearest_versions.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace soresolve {
namespace {

std::string_view stem_of(std::string_view name) { return name.substr(0, name.find_first_of("0123456789")); }

bool is_below(const std::string& a, const std::string& b) { return ::strverscmp(a.c_str(), b.c_str()) < 0; }

}  // namespace

NearestVersions::NearestVersions(std::vector<std::string_view> defined) : defined_(std::move(defined)) {
  for (const std::string_view name : defined_) kin_[stem_of(name)].emplace_back(name);
  for (auto& [stem, kin] : kin_) std::sort(kin.begin(), kin.end(), is_below);
}

NearestVersions::NearestVersions(const VersionTables& tables)
    : NearestVersions([&] {
        std::vector<std::string_view> names;
        for (const VersionDef& def : tables.defs) {
          if (!def.base) names.push_back(def.name);
        }
        return names;
      }()) {}

std::vector<std::string> NearestVersions::around(std::string_view wanted, std::size_t each_side) const {
  std::vector<std::string> nearest;
  const auto found = kin_.find(stem_of(wanted));
  if (found == kin_.end()) return nearest;
  const std::vector<std::string>& kin = found->second;
  const auto place =
      static_cast<std::size_t>(std::lower_bound(kin.begin(), kin.end(), std::string(wanted), is_below) - kin.begin());
  const std::size_t below = std::min(place, each_side);
  const std::size_t above = std::min(kin.size() - place, each_side);
  for (std::size_t step = 0; step < std::max(below, above); ++step) {
    if (step < below) nearest.push_back(kin[place - step - 1]);
    if (step < above) nearest.push_back(kin[place + step]);
  }
  return nearest;
}

NearestVersions::Side NearestVersions::side_of(std::string_view wanted) const {
  const auto found = kin_.find(stem_of(wanted));
  if (found == kin_.end()) return Side::None;
  const std::string name(wanted);
  const bool has_older = is_below(found->second.front(), name);
  const bool has_newer = is_below(name, found->second.back());
  return has_older && has_newer ? Side::Both : has_older ? Side::Older : Side::Newer;
}

std::vector<std::string> NearestVersions::family_of(std::string_view wanted) const {
  return around(wanted, std::numeric_limits<std::size_t>::max());
}

std::vector<std::string> NearestVersions::to(std::string_view wanted) const {
  constexpr std::size_t kEachSide = 2;
  if (kin_.contains(stem_of(wanted))) return around(wanted, kEachSide);
  const std::size_t count = std::min(defined_.size(), 2 * kEachSide);
  return {defined_.begin(), defined_.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace soresolve
