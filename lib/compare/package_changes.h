// Differences of a whole tree by the packages that bring the files.
#pragma once
#include <memory>

#include "soresolve/compare.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Fills in `packages` and, of each cause, whose change it follows from. Where no record of packages is on either side
/// nothing happens.
void fold_by_package(TreeComparison& tree, const std::shared_ptr<const FileSystem>& files_a,
                     const std::shared_ptr<const FileSystem>& files_b);

}  // namespace soresolve
