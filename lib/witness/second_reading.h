// What a second, independent reader of ELF makes of a file that was read here: the same, or what differs.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "soresolve/statement.h"

namespace soresolve {

/// One fact of which the two readers say different things.
struct ReadingDifference {
  Statement what;   ///< DT_SONAME, dynamic symbol 12
  Statement here;   ///< as this library reads it
  Statement there;  ///< as the other reader does
};

/// All that was compared of one file.
struct SecondReading {
  std::string file;
  std::string reader;                 ///< "LIEF 0.9.0"
  std::size_t definition_count = 0;   ///< DT_VERDEF records here
  std::size_t requirement_count = 0;  ///< vernaux entries here
  std::size_t symbol_count = 0;       ///< dynamic symbols here
  /// False: the file has no section headers, and the other reader finds no symbols without them.
  bool has_symbols = true;
  std::size_t difference_count = 0;
  std::vector<ReadingDifference> differences;  ///< the first kMaxListed
  static constexpr std::size_t kMaxListed = 100;
};

}  // namespace soresolve
