// The CUDA runtimes of this machine, as `soresolve doctor` finds them.
#pragma once
#include <string>
#include <vector>

#include "command.h"

namespace soresolve::tool {

struct RuntimeHere {
  std::string path;
  Statement what;  ///< what it is a part of: "toolkit /usr/local/cuda-12.1"
};

/// Fails as read_machine().
Result<std::vector<RuntimeHere>> list_runtimes(const WorldOptions& options);

}  // namespace soresolve::tool
