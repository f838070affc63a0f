// Opens the libraries of one load by their paths, and compares what the process has then.
#pragma once
#include "session.h"

namespace soresolve::confirm {

/// What the probe was started with, before anything is opened.
Outcome compare_start(Session& session);

Outcome run_load(Session& session, const PlannedLoad& load);

}  // namespace soresolve::confirm
