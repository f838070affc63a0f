// In which order the loader relocates what it has loaded; the first error of that order is the one
// that a start reports.
//
// Source: glibc elf/dl-deps.c:_dl_map_object_deps and elf/dl-sort-maps.c:_dl_sort_maps (the sorted
// list, `l_initfini`), elf/rtld.c:dl_main and elf/dl-open.c:dl_open_worker_begin (what walks it).
// Constructors run in the order of the same list; DF_1_INITFIRST and the sort of destructors are left
// out.
#pragma once
#include <vector>

#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// The list that the loader sorts by dependency: each object before what it needs, as far as circles
/// allow. The program (in a dlopen the opened object) comes first, except that a libc.so.6 which is
/// the program stands where the sort puts it. Holds all of `map.search_list`, ld.so and the vDSO
/// included if something needs them; empty for a dlopen that failed.
///
/// Two users walk it from its end, without ld.so: tracing with LD_WARN, and the test of the CPU's ISA
/// level. In a circle-ridden map of thousands of objects, over which the loader itself would sort for
/// hours (up to 2.34), the sort is broken off.
std::vector<ObjectIndex> dependency_sorted(const LinkMap& map);

/// What a start or dlopen relocates, first one first. The vDSO needs no relocation. ld.so comes last
/// if it binds its own symbols anew: up to 2.40 when something needs it, since then when a libc is
/// loaded. (From 2.32 to 2.40 that is preceded by a search for malloc, which is fatal without a libc.)
std::vector<ObjectIndex> relocation_order(const LinkMap& map);

/// What the n-th dlopen call of the map relocates, first one first: of what it has loaded.
std::vector<ObjectIndex> dlopen_call_order(const LinkMap& map, std::size_t dlopen_call);
/// The sorted list of the n-th dlopen call; empty if it failed.
std::vector<ObjectIndex> dlopen_sorted(const LinkMap& map, std::size_t dlopen_call);

}  // namespace soresolve
