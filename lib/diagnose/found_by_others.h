// What the search tags of other objects lead to.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "loader/load.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// Files of exactly this name that the search tags of other objects of the map lead to: sentences
/// that say where, and why that does not help `needer`.
std::vector<Evidence> found_by_others(const LinkMap& map, LoneSearcher& searcher, ObjectIndex needer,
                                      std::string_view name);

}  // namespace soresolve
