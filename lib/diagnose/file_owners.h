// The packages that brought the files which a diagnosis speaks of.
#pragma once
#include "host/package_owner.h"
#include "soresolve/diagnose.h"

namespace soresolve {

/// Adds them to the fatal problems and warnings, and to their candidates. Where there are none, nothing is read.
void add_owners(const LinkMap& map, Diagnosis& diagnosis, const PackageOwners& owners);

}  // namespace soresolve
