// What a container gets from its host's driver, judged: which of several libcuda wins, what stays outside, what needs a
// newer glibc.
#pragma once
#include <vector>

#include "soresolve/diagnose.h"

namespace soresolve {

/// Problems of the driver that is laid over the files of `map`; none where none is.
std::vector<Problem> find_driver_problems(const LinkMap& map, const Dlopens& dlopens);

/// What was assumed of the host, first that there is one: for the notes of each answer.
std::vector<Statement> driver_notes(const DriverMount& driver);

}  // namespace soresolve
