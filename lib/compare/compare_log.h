// A log of LD_DEBUG: what it shows of one process, and the first difference from what is predicted for the same
// program.
#pragma once
#include <cstddef>
#include <string>

#include "compare/loader_log.h"
#include "soresolve/link_map.h"
#include "soresolve/statement.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// The first difference between a log and the prediction for the same program; sentence empty: there is none.
struct LogComparison {
  std::size_t libraries = 0;  ///< compared
  std::size_t bindings = 0;   ///< compared
  std::string missing = {};   ///< a library that is found neither there nor here: the last one
  std::size_t later = 0;      ///< libraries of the log that the start does not request: opened with dlopen
  Statement difference;
};
LogComparison compare_with_log(const LoggedProcess& process, const LinkMap& map, const Bindings* bindings);

}  // namespace soresolve
