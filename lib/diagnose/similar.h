// What the system has under names like that of a missing library.
#pragma once
#include <string_view>
#include <vector>

#include "soresolve/diagnose.h"

namespace soresolve {

/// "libcudart" of libcudart.so.11.0; the whole name when it has no ".so".
std::string_view library_stem(std::string_view name);

/// Libraries with the same stem: from the cache, from the directories that `trace` searched, and
/// from `further` directories (absolute, without a trailing slash). Sorted by name; one entry per
/// path.
std::vector<SimilarLibrary> similar_libraries(const System& system, std::string_view name,
                                              const SearchTrace& trace,
                                              const std::vector<std::string>& further);

/// Files of exactly this name that the search tags of other objects of the map lead to: sentences
/// that say where, and why that does not help `needer`.
std::vector<std::string> found_by_others(const LinkMap& map, LoneSearcher& searcher,
                                         ObjectIndex needer, std::string_view name);

}  // namespace soresolve
