// Native files of a package that its import does not load: Python opens them when something of the package is used.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "loader/load.h"
#include "packages/package_owner.h"
#include "python/python_finder.h"
#include "soresolve/python.h"

namespace soresolve {

/// Who asks: an interpreter, and where it has found the package.
struct ImportedPackage {
  const PythonModule& module;                ///< of the package's own name: the part before the first dot
  const std::vector<std::string>& suffixes;  ///< of extension modules, in their order
};

/// Files that a record or the package's directory has, that are made for the machine of `target`, and that no other of
/// them needs: the package's extension modules, and libraries. Those for other interpreters are left out. `loaded`:
/// what the import has loaded. Bounded: kMaxPackageEntries names, kMaxPackageFiles files.
std::vector<OnDemandFile> native_files_of(const FileSystem& files, const PackageOwners& owners,
                                          const ImportedPackage& package, const ElfTarget& target,
                                          const LinkMap& loaded);

inline constexpr std::size_t kMaxPackageEntries = 50000;
inline constexpr std::size_t kMaxPackageFiles = 2000;

}  // namespace soresolve
