// Changes of B that could make it answer as A, each a command and what that command does to a tree in memory: what is
// printed is what was tried.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/overlay_file_system.h"
#include "compare/compare_file.h"

namespace soresolve {

/// B with changes, none of which is ever made.
struct ChangedRoot {
  std::shared_ptr<OverlayFileSystem> files;
  WorldSettings settings;  ///< of processes there
};

/// One command, and what it does. False: it would fail.
struct RootChange {
  CommandText command;
  std::function<bool(ChangedRoot&)> apply;
};
using RootChanges = std::vector<RootChange>;

/// Between which roots, and for which file.
struct ChangeQuestion {
  const ComparedWorld& a;
  const ComparedWorld& b;
  const LinkMap& in_a;
  std::shared_ptr<const FileSystem> files_a;
  FileIds ids;
  Replaces replaces;
};

/// What could fix one cause, the smallest first: a variable, a mode, a link, ldconfig, a file out of the way, and only
/// then a file of A. `now`: B as it has become; `rules`: of its loader.
std::vector<RootChanges> find_root_changes(const ChangeQuestion& question, const DifferenceCause& cause,
                                           const ChangedRoot& now, const LoaderRules& rules);

}  // namespace soresolve
