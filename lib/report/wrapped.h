// Lines of prose, no wider than a terminal.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace soresolve {

/// Columns that valid UTF-8 takes on a terminal: two for East Asian characters.
std::size_t display_width(std::string_view text);

/// The lines of `text`, each of at most `width` columns, broken at spaces and between East Asian characters (not before
/// closing punctuation); parts of `text`, without the spaces at their ends. `indent` columns before each line count.
std::vector<std::string_view> lines_of(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace soresolve
