// The child's side of the report: a JSON line for each beginning, call and end.
//
// A call is told before it is made, so that what a library dies or hangs in is known. Each line has the key that the
// supervisor gave this process: the libraries in it know the descriptor, but have to search memory for the key.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "step.h"

namespace soresolve::confirm {

class Reporter {
 public:
  Reporter(int descriptor, std::string key) : descriptor_(descriptor), key_(std::move(key)) {}
  void begin(std::string_view step) const;
  void call(std::string_view function) const;
  void end(std::string_view step, const Outcome& outcome, double milliseconds) const;
  /// All steps are through, and this process is about to end.
  void finish() const;

 private:
  void write_line(Json line) const;
  int descriptor_;
  std::string key_;
};

}  // namespace soresolve::confirm
