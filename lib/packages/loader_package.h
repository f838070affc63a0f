// The package of a distribution that brings a dynamic loader.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/command_text.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// What is to be typed on the distribution that `files` is, so that it gets the loader `interpreter` (a path of
/// PT_INTERP). Empty: no package of it is known to have this very path, or the files show no distribution.
std::vector<CommandText> commands_for_loader(const FileSystem& files, std::string_view interpreter);

}  // namespace soresolve
