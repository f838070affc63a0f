// Does a file belong to the one that would use it?
//
// A library out of another project's environment goes with that environment, and one of another release fits by
// accident. Both may work, and are said to, but come after what would be installed in their place.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/diagnose.h"
#include "soresolve/link_map.h"

namespace soresolve {

class Belonging {
 public:
  /// Own are the environments of the map's files, of its program, those that the process has activated
  /// ($VIRTUAL_ENV, $CONDA_PREFIX), and what is below the directories that the user names.
  Belonging(const LinkMap& map, const std::vector<std::string>& named);

  /// Why `candidate` is foreign to those who ask for `name`; empty: it is not.
  [[nodiscard]] Statement judge(const Candidate& candidate, std::string_view name);

 private:
  const LinkMap& map_;
  std::vector<std::string> named_;
  std::set<std::string> own_;
};

/// Another number behind ".so" than that of `name`, which it is not called either.
bool is_other_release(const Candidate& candidate, std::string_view name);

}  // namespace soresolve
