// Which fix comes first.
#pragma once
#include <string>
#include <vector>

#include "packages/package_owner.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// Gives each fix of the diagnosis its place in the order of choice, and puts them into that order; those of one place
/// keep theirs. `needers`: the files that need what is wrong.
void order_by_choice(const FileSystem& files, const std::vector<std::string>& needers, const PackageOwners& owners,
                     Diagnosis& diagnosis);

}  // namespace soresolve
