// Two files of one library in a process: each has variables, handles and caches of its own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/scene.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// One TwoCopies problem for each family with more than one file: which object asked for which, and,
/// with `bindings`, whose symbols end where. `bindings` may be null.
std::vector<Problem> find_two_copies(const Scene& scene, const Bindings* bindings);

}  // namespace soresolve
