// Makes a tree smaller for as long as it keeps a property.
#pragma once
#include <functional>

#include "differential/tree.h"

namespace soresolve::test {

/// Drops files, tags, list elements, cache entries and variables one by one, each time `still_fails`
/// says that the smaller tree will do. The result is one in which nothing more can be dropped.
Tree reduce_tree(Tree tree, const std::function<bool(const Tree&)>& still_fails);

}  // namespace soresolve::test
