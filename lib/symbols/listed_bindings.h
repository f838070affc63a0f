// Names of objects in a list of bindings.
#pragma once
#include <string_view>

#include "loader/process.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// The program as argv[0], all others by their paths.
inline std::string_view binding_name(const LinkMap& map, ObjectIndex object) {
  return object == 0 ? std::string_view(map.process->argv0) : map.objects[object].path;
}

}  // namespace soresolve
