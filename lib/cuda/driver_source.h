// The host's side: which files of a driver there are, before anything passes them into a container.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/cuda.h"
#include "soresolve/elf.h"

namespace soresolve {

/// What `ldconfig -p` of the host has for one name.
struct HostCacheEntry {
  std::string name;
  std::string path;  ///< as the cache has it; its last part is the name that apptainer gives it
  std::string real;  ///< in DriverSource::files
};

/// A driver on its host.
struct DriverSource {
  DottedVersion version;
  ElfTarget target;
  std::shared_ptr<const FileSystem> files;
  std::string directory;                ///< of libcuda.so.VERSION, in `files`
  std::string host_directory;           ///< the same on the host
  std::vector<HostCacheEntry> entries;  ///< the first of each name, sorted by name
  bool is_assumed = false;              ///< known from the built-in table, not from files
  bool has_cache = false;               ///< they were read from an ld.so.cache, not taken from the directories
  std::string module_text;              ///< of /proc/driver/nvidia/version; empty: not told
};

/// Of the directory or the release that `settings` name; `machine`: e_machine of the libraries of the built-in table.
/// Errors: Usage, for words that name neither, for a directory without a driver or with several; Unreadable.
Result<DriverSource> read_driver_source(const DriverSettings& settings, std::uint16_t machine);

}  // namespace soresolve
