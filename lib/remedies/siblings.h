// Files of the needer's package that need the same library, although nothing in the map loads them.
//
// torch's libtorch_global_deps.so is opened first, requires no symbol of libcudart.so.12, and any file would do for it;
// the libraries that are opened after it bind to the same copy. So a fix is judged by them as well: the files that the
// package's record lists (packages/package_owner.h) and those in the needer's directory. In a directory of the system,
// where everybody's files lie, there are none. Bounded in files that are opened and in those that judge.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packages/package_owner.h"
#include "soresolve/link_map.h"
#include "soresolve/symbols.h"

namespace soresolve {

class Siblings {
 public:
  Siblings(const LinkMap& map, std::shared_ptr<const PackageOwners> owners);

  /// Of the file at `needer` (a path): those that have `name` among their DT_NEEDED, without what is in the map.
  const std::vector<std::unique_ptr<VersionedLibrary>>& that_need(std::string_view name, const std::string& needer);

 private:
  [[nodiscard]] std::vector<std::string> files_beside(const std::string& needer) const;

  const LinkMap& map_;
  std::shared_ptr<const PackageOwners> owners_;
  std::map<std::pair<std::string, std::string>, std::vector<std::unique_ptr<VersionedLibrary>>> known_;
};

}  // namespace soresolve
