// What musl's loader does for names that libc no longer has.
//
// Source: musl 1.2.4 ldso/dynlink.c:get_lfs64.
#pragma once
#include <string_view>

#include "loader/loader_rules.h"

namespace soresolve {

/// "open" for "open64", of the names that musl looks up in its libc once more; empty for all others.
std::string_view name_without_lfs64(std::string_view name, const LoaderRules& rules);

}  // namespace soresolve
