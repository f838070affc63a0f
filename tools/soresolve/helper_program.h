// The programs of this installation that are run by the command, not by people.
#pragma once
#include <string>

#include "soresolve/result.h"

namespace soresolve::tool {

struct HelperProgram {
  const char* name;          ///< "soresolve-confirm"
  const char* build_folder;  ///< beside the command's own folder in a build
  const char* built_where;   ///< "where the headers of CUDA are"
};

/// Beside this program, or in the libexec folder of the same installation. Fails with NotFound and the
/// places that were tried.
Result<std::string> find_helper(const HelperProgram& helper);

}  // namespace soresolve::tool
