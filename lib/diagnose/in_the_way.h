// Files on the way of a search that the loader passed over, where a person would expect them to be
// taken: of another class or machine, links that lead nowhere, without permission.
#pragma once
#include <vector>

#include "diagnose/scene.h"

namespace soresolve {

/// ForeignFile, BrokenLink and NotReadable: one problem for each kind and library that was searched
/// for, or for each broken directory.
std::vector<Problem> find_files_in_the_way(const Scene& scene);

}  // namespace soresolve
