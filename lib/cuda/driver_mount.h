// Lays over an image what a container of it gets from its host's driver.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/loader_rules.h"
#include "soresolve/cuda.h"
#include "soresolve/dotted_version.h"
#include "soresolve/file_system.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"

namespace soresolve {

/// One library of the host in the container.
struct PassedLibrary {
  std::string path;    ///< in the container
  std::string source;  ///< on the host, below what was named
};

/// A library of the host that stays outside.
struct WithheldLibrary {
  std::string name;        ///< its file name on the host
  std::string soname;      ///< may be empty
  std::string_view lacks;  ///< the capability that it takes: "utility"; empty: no rule passes it in
};

/// A libcuda that lies in the image, though it is part of a driver.
struct OwnDriverLibrary {
  std::string path;
  DottedVersion version;  ///< by its name
};

/// The image's own libcuda of a cuda-compat package, beside the host's.
struct CompatChoice {
  std::string directory;  ///< without links
  DottedVersion version;  ///< of its libcuda; empty: unknown
  bool is_enabled = false;
  Statement reason;  ///< the rule that decides
};

/// What a container gets from its host's driver.
struct DriverMount {
  DriverMode mode = DriverMode::Toolkit;
  DottedVersion rules;                    ///< the release whose rules were followed
  std::string source;                     ///< where those rules stand
  DottedVersion version;                  ///< of the driver
  std::string place;                      ///< the directory that was named; empty: rows alone tell of the driver
  std::vector<std::string> capabilities;  ///< NVIDIA_DRIVER_CAPABILITIES, where they count
  std::vector<PassedLibrary> libraries;   ///< by path
  std::vector<WithheldLibrary> withheld;  ///< by name
  std::vector<OwnDriverLibrary> own;      ///< of the image, outside of cuda-compat; by path
  std::vector<std::string> foreign;       ///< CUDA libraries of no driver in a directory that is for one; by path
  std::optional<CompatChoice> compat;
  bool is_cache_rebuilt = false;            ///< ldconfig ran
  std::optional<std::string> library_path;  ///< what LD_LIBRARY_PATH becomes
  std::vector<Statement> notes;             ///< what else was assumed
  /// The files of the same container, started with other NVIDIA_DRIVER_CAPABILITIES. Errors: as mount_driver().
  std::function<Result<std::shared_ptr<const FileSystem>>(const std::string& capabilities)> files_with = {};

  [[nodiscard]] bool is_assumed() const { return place.empty(); }
  /// The library that was passed in to `path` (without links); nullptr: none.
  [[nodiscard]] const PassedLibrary* find(std::string_view path) const;
};

/// May a library of that SONAME and driver export the function, where the library is known by rows only? Of libcuda
/// rows have the names of nine drivers; of others none.
bool may_export(const DottedVersion& driver, std::string_view soname, std::string_view symbol);

/// The image as its container sees it.
struct MountedDriver {
  std::shared_ptr<const FileSystem> files;
  std::shared_ptr<const DriverMount> mount;
};

/// `environment`: of the container, for NVIDIA_DRIVER_CAPABILITIES and LD_LIBRARY_PATH. `release`: as read_system()
/// takes it. Errors: Usage, for a driver that is none and for capabilities that no container is started with;
/// Unreadable.
Result<MountedDriver> mount_driver(std::shared_ptr<const FileSystem> image, const DriverSettings& settings,
                                   const Environment& environment, GlibcVersion release = {});

/// "toolkit", "cdi" or "apptainer", and with "=1.17.4" its release, into `settings`. Errors: Usage.
Result<DriverSettings> with_driver_mode(DriverSettings settings, std::string_view word);

}  // namespace soresolve
