// Packages and other archives as trees of files, alone or over another tree.
//
// Sources: deb(5); PyPA "Binary distribution format" for `NAME.data`; conda's package formats 1 and 2; the kernel's
// Documentation/driver-api/early-userspace/buffer-format.rst for several cpio archives in a row.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "place/archive_tree.h"
#include "soresolve/place.h"

namespace soresolve {

struct PackageTree {
  std::shared_ptr<const FileSystem> files;
  PlaceKind kind = PlaceKind::Archive;
  std::string format;
  std::vector<std::string> notes;
  std::vector<PlaceGap> gaps = {};
};

/// What one archive brings. Errors: as open_place().
Result<PackageTree> read_package(const ByteRange& range, const std::string& name);

/// Where in `base` its package manager would put it: the site-packages of a Python for a wheel, the prefix of conda for
/// its packages, / for anything else. `python`, `env`: as for site_packages().
std::string directory_for(const PackageTree& package, const FileSystem& base, const std::string& python,
                          const std::vector<std::string>& env);

/// `upper` unpacked into `directory` of `base`: links of the base are followed, as tar and dpkg do.
std::shared_ptr<const FileSystem> unpacked_over(std::shared_ptr<const FileSystem> base,
                                                const std::shared_ptr<const FileSystem>& upper,
                                                const std::string& directory);

}  // namespace soresolve
