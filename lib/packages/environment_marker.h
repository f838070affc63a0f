// Markers of requirements: does `; python_version < "3.9" and extra == "gpu"` hold for this interpreter?
//
// Source: PyPA "Dependency specifiers" (PEP 508). What is compared stands in METADATA, which anybody may write. Not
// here: variables whose value no file shows (platform_release, platform_version), a marker of which is not known.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace soresolve {

/// The interpreter, on Linux.
struct MarkerEnvironment {
  int minor_number = 0;      ///< of Python 3; 0: not known
  bool is_cpython = true;    ///< false: another implementation
  std::string machine = {};  ///< platform.machine(): "x86_64"; empty: not known
};

/// As `pip check` evaluates it, where no extra is asked for. An empty marker holds. nullopt: not known, or no marker.
/// Bounded: kMostMarkerDepth brackets in each other.
std::optional<bool> evaluate_marker(std::string_view marker, const MarkerEnvironment& environment);

inline constexpr int kMostMarkerDepth = 32;

}  // namespace soresolve
