// The two neighbours on each side of a missing version among those with the same stem, by strverscmp(3). A hint only:
// no order of versions is defined by the loader.
#include "diagnose/nearest_versions.h"

#include <algorithm>
#include <cstring>

namespace soresolve {
namespace {

std::string_view stem_of(std::string_view name) { return name.substr(0, name.find_first_of("0123456789")); }

bool is_below(const std::string& a, const std::string& b) { return ::strverscmp(a.c_str(), b.c_str()) < 0; }

}  // namespace

NearestVersions::NearestVersions(std::vector<std::string_view> defined) : defined_(std::move(defined)) {
  for (const std::string_view name : defined_) kin_[stem_of(name)].emplace_back(name);
  for (auto& [stem, kin] : kin_) std::sort(kin.begin(), kin.end(), is_below);
}

std::vector<std::string> NearestVersions::to(std::string_view wanted) const {
  constexpr std::size_t kEachSide = 2;
  const auto found = kin_.find(stem_of(wanted));
  if (found == kin_.end()) {
    const std::size_t count = std::min(defined_.size(), 2 * kEachSide);
    return {defined_.begin(), defined_.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  const std::vector<std::string>& kin = found->second;
  const auto place =
      static_cast<std::size_t>(std::lower_bound(kin.begin(), kin.end(), std::string(wanted), is_below) - kin.begin());
  const std::size_t first = place - std::min(place, kEachSide);
  const std::size_t last = std::min(kin.size(), place + kEachSide);
  return {kin.begin() + static_cast<std::ptrdiff_t>(first), kin.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace soresolve
