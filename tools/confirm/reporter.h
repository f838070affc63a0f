// The child's side of the report: a JSON line for each beginning, call and end.
//
// A call is told before it is made, so that what a library dies or hangs in is known.
#pragma once
#include <string_view>

#include "step.h"

namespace soresolve::confirm {

class Reporter {
 public:
  explicit Reporter(int descriptor) : descriptor_(descriptor) {}
  void begin(std::string_view step) const;
  void call(std::string_view function) const;
  void end(std::string_view step, const Outcome& outcome, double milliseconds) const;

 private:
  void write_line(const Json& line) const;
  int descriptor_;
};

}  // namespace soresolve::confirm
