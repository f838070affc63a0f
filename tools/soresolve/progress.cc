// Writes "N names so far" on a terminal after 300 ms, and ends a search after 5 s. Not a terminal: nothing is written.
#include "progress.h"

#include <unistd.h>

#include "command.h"

namespace soresolve::tool {
namespace {

constexpr std::chrono::milliseconds kPatience(300);
constexpr std::chrono::milliseconds kBetween(100);
constexpr std::chrono::seconds kAtMost(5);

/// With what steers a terminal; it is shown on one only.
void write_steering(const Text& text) {
  [[maybe_unused]] const ssize_t done = ::write(STDERR_FILENO, text.str().data(), text.str().size());
}

}  // namespace

Progress::Progress(Text what) : what_(std::move(what)), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

bool Progress::step(std::size_t count) {
  const Clock::time_point now = Clock::now();
  if (is_terminal_ && now - start_ > kPatience && now - shown_ > kBetween) {
    write_steering("\r" + what_ + ": " + Text::number(count) + " names so far\x1b[K");
    shown_ = now;
    is_shown_ = true;
  }
  return now - start_ < kAtMost;
}

void Progress::clear() {
  if (is_shown_) write_steering("\r\x1b[K");
  is_shown_ = false;
}

}  // namespace soresolve::tool
