// How long two pieces of work take on the GPU, one beside the other: by events, without what the probe does between.
#pragma once
#include <functional>
#include <optional>

#include "session.h"

namespace soresolve::confirm {

/// Queues one run on the default stream and does not wait; false if that fails.
using Queue = std::function<bool()>;

/// Medians of all rounds, for one run.
struct TwoTimes {
  double first_ms = 0;
  double second_ms = 0;
};

/// Both are run until the chip's clock is up (20 ms each), then in turns, 20 runs between two events each. The
/// device's context has to be current. Nothing once a queue fails, or an event, whose failure is in the driver's
/// library. Announces no call of its own.
std::optional<TwoTimes> compare_times(Session& session, const Queue& first, const Queue& second);

}  // namespace soresolve::confirm
