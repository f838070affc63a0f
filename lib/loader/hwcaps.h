// Capability subdirectories that are tried inside every search directory.
//
// Source: glibc elf/dl-hwcaps.c:_dl_important_hwcaps.
#pragma once
#include <string>
#include <vector>

#include "loader/cpu.h"
#include "loader/loader_rules.h"

namespace soresolve {

/// The built-in glibc-hwcaps names that `cpu` can use, best first.
std::vector<std::string> active_hwcaps(const LoaderRules& rules, const Cpu& cpu);

/// The subdirectories in the order in which they are tried, each with a trailing slash; the last one
/// is "", the directory itself.
std::vector<std::string> capability_subdirectories(const LoaderRules& rules, const Cpu& cpu);

}  // namespace soresolve
