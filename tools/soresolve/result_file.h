// A report in a file of the user's own: whole, or not there at all.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "soresolve/result.h"

namespace soresolve::tool {

/// Calls `make` with what takes the report piece by piece, into a file beside `path`, which then takes its name.
/// On an error (no room, no permission) nothing is left of it, and what was at `path` stays. A link is followed; a
/// device or a pipe is written to.
std::optional<Error> write_result_file(const std::string& path,
                                       const std::function<void(const std::function<void(std::string_view)>&)>& make);

}  // namespace soresolve::tool
