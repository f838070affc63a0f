// The few names that several pages write alike.
#pragma once
#include <cstddef>

#include "soresolve/document.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// The object's path, or the program's name.
Statement name_of_object(const LinkMap& map, ObjectIndex object);

/// How an object was found: "RUNPATH of _C.so", "LD_LIBRARY_PATH", "ld.so.cache".
Statement step_words(const LinkMap& map, SearchStep step, ObjectIndex owner);

/// Lines of the loader's own, each as it is.
void add_loaders_lines(Page& page, std::string_view text);

/// How many entries of a long list are shown unless everything is asked for.
inline constexpr std::size_t kListShown = 12;

}  // namespace soresolve
