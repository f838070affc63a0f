// How long something takes, in milliseconds.
#pragma once
#include <algorithm>
#include <chrono>

namespace soresolve::confirm {

class Stopwatch {
 public:
  [[nodiscard]] double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The shortest of three runs, after one that does not count; 0 if one fails.
template <class Run>
double best_time(Run run) {
  if (!run()) return 0;
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    const Stopwatch watch;
    if (!run()) return 0;
    best = i == 0 ? watch.milliseconds() : std::min(best, watch.milliseconds());
  }
  return best;
}

}  // namespace soresolve::confirm
