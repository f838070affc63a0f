// The rest of a start or of a dlopen, once everything has been found: versions, CPU, symbols.
//
// Source: glibc elf/rtld.c:dl_main from the end of _dl_map_object_deps on: _dl_check_all_versions,
// _rtld_main_check, _dl_relocate_object for each object. Constructors are not run.
#pragma once
#include <cstddef>
#include <vector>

#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// The objects that ask for more than the processor has: those of the start, then each dlopen call's.
std::vector<ObjectIndex> objects_above_cpu(const LinkMap& map);

/// Reads what start_up() needs. Errors: as check_versions and bind_symbols.
Result<StartFacts> read_start_facts(const LinkMap& map, const BindOptions& options = {});

/// Plays the start through. The first lines are what the walk has found (preloads that are ignored;
/// the file that ends it). In a dlopen the last line is what dlerror(3) gives.
Startup start_up(const LinkMap& map, const StartFacts& facts, BindTime bind_time);

/// The same for the n-th dlopen call of the map: `lines` ends in what dlerror(3) gives if it fails.
/// BindTime::Now is RTLD_NOW, AsAsked RTLD_LAZY.
Startup open_up(const LinkMap& map, const StartFacts& facts, std::size_t dlopen_call, BindTime bind_time);

}  // namespace soresolve
