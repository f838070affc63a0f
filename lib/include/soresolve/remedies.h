// What would help: other files that could serve, and changes that have been tried.
//
// Every remedy is applied to an overlay of the world and the question is
// asked again there: search, versions and symbols. Nothing is changed on the machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/diagnose.h"
#include "soresolve/link_map.h"
#include "soresolve/packages.h"
#include "soresolve/python.h"

namespace soresolve SORESOLVE_API {

/// Which fixes are wanted. What a remedy changes: the environment of a process, the machine's
/// configuration, or single files and links.
enum class FixFor : std::uint8_t { All, Environment, System, File };

struct RemedyOptions {
  FixFor fix_for = FixFor::All;
  std::vector<std::string> search;  ///< directories to look through, with all below them
  std::size_t max_entries = 50000;  ///< names that are looked at in directories
  /// Called now and then with the number of names seen so far; false: the time is up.
  std::function<bool(std::size_t)> goes_on = {};
  std::shared_ptr<const PackageOwners> owners = {};  ///< World::owners(); none: they are read for this diagnosis
  const PythonImport* import = nullptr;              ///< the import that the map is of; none: it is of a file
  /// Of an import: how it ends in a world with changes. A fix of its first failure alone fixes a part.
  ImportEnd import_end = {};
  std::string import_wheel = {};  ///< PythonImport::wheel
};

/// The fix that works and changes least; else a broken package installed again, else what fixes a part, else what
/// would be installed, else what leads into another environment or release. nullptr: there is none that can be typed.
/// With `library` a change that fixes a part, or that is installed, has to be one for that library.
const Remedy* best_remedy(const Diagnosis& diagnosis, std::string_view library = {});

}  // namespace SORESOLVE_API
