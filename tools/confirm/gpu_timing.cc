// Times work between two events of the driver, in turns, and takes medians. A single launch between two readings of the
// clock of the host measures the host: the call, its line in the report, the wait (0.025 ms of an empty call). Source:
// CUDA Driver API "Event Management". Streams other than the default one are not timed.
#include "gpu_timing.h"

#include <cuda.h>

#include <algorithm>
#include <array>
#include <vector>

#include "stopwatch.h"

namespace soresolve::confirm {
namespace {

constexpr double kWarmUpMs = 20;
constexpr double kRoundMs = 100;  // a round of something slow has fewer runs
constexpr int kRuns = 20;
constexpr int kRounds = 7;

/// The two events, and the driver's functions, looked up once.
class EventPair {
 public:
  explicit EventPair(Library& driver)
      : driver_(driver), record_(driver.peek<decltype(cuEventRecord)>("cuEventRecord")),
        wait_(driver.peek<decltype(cuEventSynchronize)>("cuEventSynchronize")),
        elapsed_(driver.peek<Elapsed>("cuEventElapsedTime")) {
    if (elapsed_ == nullptr) elapsed_ = driver.peek<Elapsed>("cuEventElapsedTime_v2");
    auto* const create = driver_.peek<decltype(cuEventCreate)>("cuEventCreate");
    if (create == nullptr || record_ == nullptr || wait_ == nullptr || elapsed_ == nullptr) return;
    is_ready_ = std::all_of(events_.begin(), events_.end(), [&](CUevent& event) {
      return driver_.check("cuEventCreate", create(&event, CU_EVENT_DEFAULT));
    });
  }

  /// One run of `count`.
  std::optional<double> milliseconds(const Queue& queue, int count) {
    if (!is_ready_ || !driver_.check("cuEventRecord", record_(events_[0], nullptr))) return std::nullopt;
    for (int i = 0; i < count; ++i) {
      if (!queue()) return std::nullopt;
    }
    float time = 0;
    if (!driver_.check("cuEventRecord", record_(events_[1], nullptr)) ||
        !driver_.check("cuEventSynchronize", wait_(events_[1])) ||
        !driver_.check("cuEventElapsedTime", elapsed_(&time, events_[0], events_[1]))) {
      return std::nullopt;
    }
    return static_cast<double>(time) / count;
  }

 private:
  using Elapsed = CUresult(float*, CUevent, CUevent);
  Library& driver_;
  decltype(cuEventRecord)* record_;
  decltype(cuEventSynchronize)* wait_;
  Elapsed* elapsed_;
  std::array<CUevent, 2> events_{};
  bool is_ready_ = false;
};

/// How many runs a round has; 0 if one fails.
int warm_up(EventPair& events, const Queue& queue) {
  const Stopwatch watch;
  double one = 0;
  do {
    const Stopwatch single;
    if (!events.milliseconds(queue, 1)) return 0;
    one = single.milliseconds();
  } while (watch.milliseconds() < kWarmUpMs);
  return std::clamp(static_cast<int>(kRoundMs / std::max(one, 0.001)), 1, kRuns);
}

double median(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

std::optional<TwoTimes> compare_times(Session& session, const Queue& first, const Queue& second) {
  EventPair events(session.library("driver"));
  const int first_runs = warm_up(events, first);
  const int second_runs = first_runs == 0 ? 0 : warm_up(events, second);
  if (second_runs == 0) return std::nullopt;
  std::vector<double> first_times;
  std::vector<double> second_times;
  for (int round = 0; round < kRounds; ++round) {
    const std::optional<double> one = events.milliseconds(first, first_runs);
    const std::optional<double> other = one ? events.milliseconds(second, second_runs) : std::nullopt;
    if (!other) return std::nullopt;
    first_times.push_back(*one);
    second_times.push_back(*other);
  }
  return TwoTimes{median(first_times), median(second_times)};
}

}  // namespace soresolve::confirm
