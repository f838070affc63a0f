// The lists of packages that a root's own package manager has fetched: which package has a library, by its name. They
// have no files in them, so the name of the package is derived from the SONAME and looked for.
//
// Source: Debian Policy 8.1 (names of packages of shared libraries), apt's lists ("Package:" of deb822), which may be
// compressed. Not here: libraries whose package is called otherwise (what_brings.toml), rpm's and apk's lists.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve {

/// What the policy would call the package of a library, best first: libgtk-4.so.1 is libgtk-4-1, libaio.so.1 libaio1.
/// Empty: it is no name of a shared library.
std::vector<std::string> policy_names(std::string_view soname);

class PackageLists {
 public:
  explicit PackageLists(const FileSystem& files) : files_(files) {}
  /// nullopt: no list here has one of those names. The first call reads the lists, 64 MiB of each at most.
  std::optional<std::string> package_of(std::string_view soname);

 private:
  void read();

  const FileSystem& files_;
  std::optional<std::vector<std::string>> libraries_;  ///< names that begin with "lib", in order
};

}  // namespace soresolve
