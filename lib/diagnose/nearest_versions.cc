#include "diagnose/nearest_versions.h"

#include <algorithm>
#include <cstring>

namespace soresolve {
namespace {

std::string_view stem_of(std::string_view name) { return name.substr(0, name.find_first_of("0123456789")); }

bool is_below(const std::string& a, const std::string& b) { return ::strverscmp(a.c_str(), b.c_str()) < 0; }

}  // namespace

std::vector<std::string> nearest_versions(const std::vector<std::string_view>& defined, std::string_view wanted) {
  constexpr std::size_t kEachSide = 2;
  std::vector<std::string> kin;
  for (const std::string_view name : defined) {
    if (stem_of(name) == stem_of(wanted)) kin.emplace_back(name);
  }
  if (kin.empty()) {
    const std::size_t count = std::min(defined.size(), 2 * kEachSide);
    return {defined.begin(), defined.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  std::sort(kin.begin(), kin.end(), is_below);
  const auto place =
      static_cast<std::size_t>(std::lower_bound(kin.begin(), kin.end(), std::string(wanted), is_below) - kin.begin());
  const std::size_t first = place - std::min(place, kEachSide);
  const std::size_t last = std::min(kin.size(), place + kEachSide);
  return {kin.begin() + static_cast<std::ptrdiff_t>(first), kin.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace soresolve
