// The lists of packages that a root's own package manager has fetched: which package has a library, by its name. They
// have no files in them, so the name of the package is derived from the SONAME and looked for.
//
// Source: Debian Policy 8.1 (names of packages of shared libraries), apt's lists ("Package:" of deb822), which may be
// compressed. Not here: libraries whose package is called otherwise (what_brings.toml), rpm's and apk's lists.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/file_system.h"

namespace soresolve {

/// What the policy would call the package of a library, best first: libgtk-4.so.1 is libgtk-4-1, libaio.so.1 libaio1.
/// Empty: it is no name of a shared library, or one without a number, which belongs to no release.
std::vector<std::string> policy_names(std::string_view soname);

/// For each of the libraries the package that a list here has under one of those names; those that none has are left
/// out. Reads 128 MiB of lists at most, all together.
std::map<std::string, std::string, std::less<>> packages_in_lists(const FileSystem& files,
                                                                  const std::vector<std::string>& libraries);

}  // namespace soresolve
