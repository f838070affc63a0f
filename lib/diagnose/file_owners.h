// The packages that brought the files which a diagnosis speaks of.
#pragma once
#include <memory>

#include "host/package_owner.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// Adds them to the fatal problems and warnings, and to their candidates. Where there are none, nothing is read.
/// `owners`: shared with other questions; nullptr for none.
void add_owners(const LinkMap& map, Diagnosis& diagnosis, std::shared_ptr<const PackageOwners> owners);

}  // namespace soresolve
