// Who in an environment of Python needs a library, by DT_NEEDED alone.
//
// An ImportError has the name of the library that is missing, not that of the module which needs it. Where no traceback
// names that, the modules of the environment in which it was raised are asked.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve {

inline constexpr std::size_t kMostEnvironmentNames = 200000;  ///< that are looked at in all directories
inline constexpr std::size_t kMostEnvironmentFiles = 4000;    ///< whose headers are read

/// Who needs what below `sites` (absolute, no slash at the end): walked once, for questions about many libraries.
class EnvironmentNeeds {
 public:
  EnvironmentNeeds(const FileSystem& files, const std::vector<std::string>& sites);

  /// As environment_needers().
  [[nodiscard]] std::vector<std::string> needers_of(const FileSystem& files, std::string_view library,
                                                    std::size_t most) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> files_of_;  ///< by the needed name, as they were found
};

/// Files below `sites` (absolute, no slash at the end) with an entry DT_NEEDED of this very name, extension modules of
/// Python before libraries, else in the order of the sites, the shallow ones first. At most `most`.
std::vector<std::string> environment_needers(const FileSystem& files, const std::vector<std::string>& sites,
                                             std::string_view library, std::size_t most);

/// "pytorch3d._C" of SITE/pytorch3d/_C.cpython-311-x86_64-linux-gnu.so; empty: no import has such a name, or it is in
/// none of `sites`.
std::string module_name(const std::vector<std::string>& sites, std::string_view file);

}  // namespace soresolve
