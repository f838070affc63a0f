// What programs in the sandbox print, line by line, without what differs from run to run.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "support/sandbox.h"

namespace soresolve::test {

/// Borrows from `text`.
std::vector<std::string_view> split_lines(std::string_view text);

/// The line without the " (0x…)" at its end.
std::string without_address(std::string_view line);

/// "exit 0", "signal", "blocks", "spins": as in LoaderAnswer.
std::string end_of(const RunResult& run);

}  // namespace soresolve::test
