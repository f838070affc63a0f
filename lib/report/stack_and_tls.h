// What makes a library loadable in one process and not in another: executable stacks, static TLS.
#pragma once
#include <vector>

#include "soresolve/report.h"

namespace soresolve {

/// One sentence for each object that asks for an executable stack or, in the closure of a library,
/// for thread-local storage at a fixed place.
std::vector<Statement> stack_and_tls_notes(const CheckReport& report);

}  // namespace soresolve
