// What the system has under names like that of a missing library.
#pragma once
#include <string_view>
#include <vector>

#include "soresolve/diagnose.h"

namespace soresolve {

/// "libcudart" of libcudart.so.11.0; the whole name when it has no ".so".
std::string_view library_stem(std::string_view name);

/// Libraries with the same stem: from the cache, and from the directories that `trace` searched.
/// Sorted by name; one entry per path.
std::vector<SimilarLibrary> similar_libraries(const System& system, std::string_view name,
                                              const SearchTrace& trace);

}  // namespace soresolve
