// Lines on how an answer came about, on standard error: --trace, -v, SORESOLVE_LOG.
#pragma once
#include <memory>

#include "soresolve/log.h"

namespace soresolve::tool {

/// Writes lines of this level and those above it.
std::shared_ptr<Log> make_log(LogLevel lowest);

}  // namespace soresolve::tool
