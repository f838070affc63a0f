// The rest of a start, or of one dlopen, as musl's loader makes it: everything that is wrong is printed, and only then
// does it end.
//
// Source: musl 1.2 ldso/dynlink.c:reloc_all, do_relocs, error.
#pragma once
#include <cstddef>

#include "soresolve/symbols.h"

namespace soresolve {

Startup start_up_musl(const LinkMap& map, const StartFacts& facts, std::size_t opening, BindTime bind_time);

}  // namespace soresolve
