// Has the cache of ld.so been overtaken by the directories that it lists?
#pragma once
#include <string>
#include <vector>

#include "loader/system.h"

namespace soresolve {

/// The directories of the cache's entries that changed after it was written, and those that are gone ("… (is gone)").
struct ChangedDirectory {
  std::string path;
  bool is_gone = false;
};
std::vector<ChangedDirectory> changed_since_cache(const System& system);

}  // namespace soresolve
