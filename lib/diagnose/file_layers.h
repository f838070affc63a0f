// What the layers of an image did to the files that a diagnosis speaks of.
#pragma once
#include "soresolve/diagnose.h"

namespace soresolve {

/// Adds it to the fatal problems and warnings, where the root is an image: the layer that took a missing library away,
/// looked for where others of the process lie; those that brought the file that it is about and the first that needs
/// it.
void add_layers(const LinkMap& map, Diagnosis& diagnosis);

}  // namespace soresolve
