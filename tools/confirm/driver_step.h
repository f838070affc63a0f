// The driver and the runtime: do they answer, and as the contracts predict?
#pragma once
#include "session.h"

namespace soresolve::confirm {

/// cuDriverGetVersion, cuInit, and the device with its compute capability by attributes.
Outcome run_driver(Session& session);

/// The runtime's version, its device list, and its view of the same device. Never through the struct of
/// device properties, whose layout changes from release to release.
Outcome run_runtime(Session& session);

/// 12040 is "12.4".
std::string release_text(int number);

}  // namespace soresolve::confirm
