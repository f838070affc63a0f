// "\r", the text, and the rest of the line erased (ECMA-48, EL). Not a terminal: nothing is written.
#include "progress.h"

#include <unistd.h>

#include <algorithm>

namespace soresolve::tool {
namespace {

constexpr std::chrono::seconds kPatience(1);
constexpr std::chrono::milliseconds kBetween(100);
constexpr std::chrono::seconds kAtMost(5);

/// With what steers a terminal; it is shown on one only.
void write_steering(const Text& text) {
  [[maybe_unused]] const ssize_t done = ::write(STDERR_FILENO, text.str().data(), text.str().size());
}

}  // namespace

StatusLine::StatusLine() : is_terminal_(::isatty(STDERR_FILENO) == 1) {}

bool StatusLine::is_due() const {
  if (!is_terminal_) return false;
  const Clock::time_point now = Clock::now();
  return now - start_ > kPatience && now - shown_ > kBetween;
}

void StatusLine::show(const Text& text) {
  if (!is_due()) return;
  write_steering("\r" + text + "\x1b[K");
  shown_ = Clock::now();
  is_shown_ = true;
}

void StatusLine::clear() {
  if (is_shown_) write_steering("\r\x1b[K");
  is_shown_ = false;
}

bool Progress::step(std::size_t count) {
  if (line_.is_due()) line_.show(what_ + ": " + Text::number(count) + " names so far");
  return line_.running() < kAtMost;
}

void SurveyBar::show(const SurveyProgress& now) {
  const StatusLine::Clock::time_point time = StatusLine::Clock::now();
  if (!now.is_finding && judging_ == StatusLine::Clock::time_point()) {
    judging_ = time;
    first_judged_ = now.judged;
  }
  if (!line_.is_due()) return;
  Text text = Text::number(now.files) + " dynamic files";
  if (now.is_finding) {
    text += " so far";
  } else {
    text += ", " + Text::number(now.judged) + " judged";
    const double seconds = std::chrono::duration<double>(time - judging_).count();
    if (seconds > 0.5 && now.judged > first_judged_) {
      const double rate = static_cast<double>(now.judged - first_judged_) / seconds;
      const double left = static_cast<double>(now.files - std::min(now.files, now.judged)) / rate;
      text += ", " + Text::number(static_cast<unsigned>(rate)) + "/s, at most " +
              Text::number(static_cast<unsigned>(left) + 1) + " s left";
    }
  }
  line_.show(text);
}

}  // namespace soresolve::tool
