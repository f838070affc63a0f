// What the machine says of its files: the package that brought one.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "soresolve/api.h"

namespace soresolve {
/// Finds the packages of files; World::owners() has one.
class PackageOwners;
}  // namespace soresolve

namespace soresolve SORESOLVE_API {

/// By whose record a file is of a package.
enum class PackageRecord : std::uint8_t {
  Dpkg,   ///< /var/lib/dpkg/info/*.list
  Conda,  ///< conda-meta/*.json
  Wheel,  ///< RECORD beside the package
};
std::string_view name_of(PackageRecord by);  ///< "dpkg", "conda-meta", "RECORD"

/// The package that brought a file.
struct PackageOwner {
  std::string name;
  std::string version;  ///< empty: the record does not have it
  PackageRecord by = PackageRecord::Dpkg;
  std::string record;  ///< the file that says so
  bool operator==(const PackageOwner&) const = default;
};

}  // namespace SORESOLVE_API
