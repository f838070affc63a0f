// A line on standard error for what takes long, and the bound of a search's time.
//
// It is shown on a terminal only, and only once a second has passed; it goes away before an answer is written.
#pragma once
#include <chrono>
#include <cstddef>

#include "base/text.h"
#include "soresolve/survey.h"

namespace soresolve::tool {

/// The line itself: at most ten times a second.
class StatusLine {
 public:
  using Clock = std::chrono::steady_clock;

  StatusLine();
  /// Is it time to show something? Then make the text, which may cost more than the question.
  [[nodiscard]] bool is_due() const;
  void show(const Text& text);
  /// Takes the line away.
  void clear();
  [[nodiscard]] Clock::duration running() const { return Clock::now() - start_; }

 private:
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
  bool is_terminal_;
  bool is_shown_ = false;
};

/// A search for names.
class Progress {
 public:
  explicit Progress(Text what) : what_(std::move(what)) {}
  /// Tells how far it has come; false when five seconds are over.
  bool step(std::size_t count);
  void clear() { line_.clear(); }

 private:
  Text what_;
  StatusLine line_;
};

/// A survey: files found, then judged of them, and the time that is left.
class SurveyBar {
 public:
  void show(const SurveyProgress& now);
  void clear() { line_.clear(); }

 private:
  StatusLine line_;
  StatusLine::Clock::time_point judging_ = {};
  std::size_t first_judged_ = 0;
};

}  // namespace soresolve::tool
