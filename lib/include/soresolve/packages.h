// Packages: which one brought a file.
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
  Rpm,    ///< rpmdb.sqlite
};
std::string_view name_of(PackageRecord by);  ///< "dpkg", "conda-meta", "RECORD", "rpm"

/// The package that brought a file.
struct PackageOwner {
  std::string name;
  std::string version;  ///< empty: the record does not have it; of rpm with release and machine
  PackageRecord by = PackageRecord::Dpkg;
  std::string record;  ///< the file that says so
  bool operator==(const PackageOwner&) const = default;
};
/// As its package manager writes it: "glibc-2.34-60.el9.x86_64" of rpm, else "libc6 2.36-9".
std::string full_name_of(const PackageOwner& owner);

}  // namespace SORESOLVE_API
