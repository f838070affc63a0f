// The files that a message may be about.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/catalogue.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Files of `files` that the message may be about, the likeliest first, at most 32: those that it
/// names, and the extension modules which the lines of its traceback import. Relative names are
/// taken from `cwd`.
std::vector<std::string> named_files(const FileSystem& files, std::string_view cwd, const Recognised& message);

}  // namespace soresolve
