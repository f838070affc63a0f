// What a missing C++ symbol was probably meant to be.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "soresolve/link_map.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// For each of `names`, in their order: what nearly is it, at most a few, those of another ABI first. Empty for names
/// that are not mangled. Each symbol table of the process is read once; what cannot be read is passed over.
std::vector<std::vector<NearSymbol>> find_near_symbols(const LinkMap& map, const std::vector<std::string>& names);

}  // namespace soresolve
