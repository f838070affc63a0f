// Is a wheel one for this interpreter, by a tag of its WHEEL file: "cp311-cp311-manylinux_2_17_x86_64"?
//
// Source: PyPA "Platform compatibility tags" (PEP 425, 600, 656). Not here: the release of libc behind manylinux and
// musllinux, which the loader's own rules judge by the files.
#pragma once
#include <optional>
#include <string_view>

#include "loader/loader_rules.h"
#include "packages/environment_marker.h"

namespace soresolve {

/// nullopt: not known, as of builds without the interpreter lock ("cp313t").
std::optional<bool> is_tag_for(std::string_view tag, const MarkerEnvironment& environment, Libc libc);

}  // namespace soresolve
