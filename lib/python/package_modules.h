// What a wheel brings: the modules to import, and its native libraries.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "python/python_environment.h"
#include "soresolve/file_system.h"

namespace soresolve {

struct PackageParts {
  std::string record;                  ///< its RECORD; empty: no wheel has the name, a module has
  std::vector<std::string> modules;    ///< at its top, as after import, by name
  std::vector<std::string> libraries;  ///< absolute paths of shared libraries, in the record's order
};

/// The list of the files of an installed wheel.
struct WheelRecord {
  std::string site;  ///< the directory that its paths are relative to
  std::string path;
  std::string text;
};

/// Of the wheel of this name in these directories, the first that can be read. Bounded: kMaxRecordBytes.
std::optional<WheelRecord> find_record(const FileSystem& files, const std::vector<std::string>& sites,
                                       std::string_view name);

/// Of the wheel of this name ("scikit-learn"; PEP 503: case, dots and underscores do not matter) in sys.path, the first
/// one; else of the module or package of this name. nullopt: there is neither. Bounded: kMaxPackageParts of each.
std::optional<PackageParts> find_package(const FileSystem& files, const PythonEnvironment& python,
                                         const std::string& cwd, std::string_view name);

inline constexpr std::size_t kMaxPackageParts = 5000;

}  // namespace soresolve
