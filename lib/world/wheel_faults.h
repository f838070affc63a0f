// Is what the metadata of wheels says so? Of the wheel that has a module, and of those that it requires, and those in
// turn: what the module needs may be imported late, or by native code that nobody reads.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "loader/loader_rules.h"
#include "packages/environment_marker.h"
#include "packages/package_owner.h"
#include "soresolve/file_system.h"
#include "soresolve/python.h"

namespace soresolve {

/// An import that was made.
struct WheelQuestion {
  std::string file;                ///< of the module, or of its package
  std::vector<std::string> sites;  ///< sys.path
  MarkerEnvironment environment;
  Libc libc = Libc::Glibc;
};

struct WheelFaults {
  std::vector<WheelFault> list;  ///< that of the module's own wheel first
  bool is_cut = false;           ///< a bound was met before everything was compared
};

/// None where no wheel has the file: what conda or a distribution has installed is theirs, whatever lies beside it.
/// Bounded: kMostFaultyWheels wheels, kMostWheelQuestions directories and files that are looked for.
WheelFaults find_wheel_faults(const FileSystem& files, const PackageOwners& owners, const WheelQuestion& question);

inline constexpr std::size_t kMostFaultyWheels = 64;
inline constexpr std::size_t kMostWheelQuestions = 2000;

}  // namespace soresolve
