// Version names that look like one that is missing.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace soresolve {

/// Those of `defined` with the same letters before the first digit, two below and two above `wanted`
/// in the order of version numbers; the first four of the list if no letters agree.
std::vector<std::string> nearest_versions(const std::vector<std::string_view>& defined, std::string_view wanted);

}  // namespace soresolve
