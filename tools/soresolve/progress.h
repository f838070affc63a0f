// A line on standard error for what takes long, and the bound of its time.
#pragma once
#include <chrono>
#include <cstddef>

#include "base/text.h"

namespace soresolve::tool {

/// Shown on a terminal only, and only once 0.3 s have passed.
class Progress {
 public:
  explicit Progress(Text what);
  /// Tells how far it has come; false when five seconds are over.
  bool step(std::size_t count);
  /// Takes the line away.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  Text what_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
  bool is_terminal_;
  bool is_shown_ = false;
};

}  // namespace soresolve::tool
