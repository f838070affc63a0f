// Compares the time of ld.so.cache with that of each directory that it lists (stat(2), st_mtime). A directory that
// changes without its time, or a file that is replaced in place, is not noticed.
#include "diagnose/stale_cache.h"

#include <set>
#include <string_view>

#include "base/path.h"
#include "loader/system.h"

namespace soresolve {

std::vector<ChangedDirectory> changed_since_cache(const System& system) {
  if (!system.cache_status || !system.has_cache) return {};
  std::set<std::string, std::less<>> directories;
  for (std::size_t i = 0; i < system.cache.size(); ++i) {
    const std::optional<CacheEntry> entry = system.cache.entry(i);
    if (!entry) continue;
    const std::string_view value = entry->value;
    directories.emplace(directory_of(value));
  }
  std::vector<ChangedDirectory> newer;
  for (const std::string& directory : directories) {
    if (!directory.starts_with('/')) continue;
    const Result<FileStatus, Errno> status = system.files->status(directory);
    if (!status) {
      newer.push_back({directory, true});
    } else if (status->modified_ns > system.cache_status->modified_ns) {
      newer.push_back({directory, false});
    }
  }
  return newer;
}

}  // namespace soresolve
