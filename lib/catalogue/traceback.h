// Python's traceback, as far as it tells which file was loading what.
//
// Source of the format: CPython Lib/traceback.py:StackSummary.format, Python/traceback.c:tb_displayline.
#pragma once
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/catalogue.h"

namespace soresolve {

class Traceback {
 public:
  /// Takes the next line, cleaned.
  void read(std::string_view line);
  /// The frames that a message in the line read last belongs to, innermost first.
  [[nodiscard]] std::vector<TracebackFrame> frames() const;

 private:
  std::deque<TracebackFrame> frames_;
  std::string prefix_;            ///< of the line `File …`: a log's, and the indentation
  std::size_t lines_behind_ = 0;  ///< since the last frame
};

}  // namespace soresolve
