// soresolve help, which knows all subcommands.
#pragma once
#include <string>
#include <vector>

#include "subcommand.h"

namespace soresolve::tool {

/// What there is to tell about.
struct Manual {
  std::string usage;
  std::vector<Subcommand> subcommands;  ///< help among them
};

Exit run_help(int argc, char** argv, const Manual& manual);

}  // namespace soresolve::tool
