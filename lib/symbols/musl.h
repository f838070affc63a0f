// What musl's loader does in another way: the rest of a start, or of one dlopen (everything that is wrong is printed,
// and only then does it end), and names that its libc no longer has.
//
// Source: musl 1.2 ldso/dynlink.c:reloc_all, do_relocs, error; 1.2.4 get_lfs64.
#pragma once
#include <cstddef>
#include <string_view>

#include "loader/loader_rules.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// How a start dies that a mere list survives: behind all relocations the loader looks malloc up.
inline constexpr std::string_view kDiesOfMalloc =
    "has neither DT_HASH nor DT_GNU_HASH: the loader dies when it looks malloc up";

/// What its messages call an object: the program by the path that was executed, whatever its argv[0].
std::string_view musl_name_of(const LinkMap& map, ObjectIndex object);

Startup start_up_musl(const LinkMap& map, const StartFacts& facts, std::size_t dlopen_call, BindTime bind_time);

/// "open" for "open64", of the names that musl looks up in its libc once more; empty for all others.
std::string_view name_without_lfs64(std::string_view name, const LoaderRules& rules);

}  // namespace soresolve
