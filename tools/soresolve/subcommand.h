// One row of the table of subcommands, which stands in main.cc.
#pragma once
#include <string_view>

#include "command.h"

namespace soresolve::tool {

struct Subcommand {
  std::string_view name;
  std::string_view summary;  ///< one line
  Exit (*run)(int argc, char** argv);
};

}  // namespace soresolve::tool
