// Lines of prose, no wider than a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace soresolve {

/// Columns that valid UTF-8 takes on a terminal: two for East Asian characters.
std::size_t display_width(std::string_view text);

/// Breaks `text` into lines of at most `width` columns, at spaces and between East Asian characters
/// (not before closing punctuation). All lines but the first begin with `indent` spaces, which count;
/// the first begins where the caller already is, at column `indent`. Ends without a line end.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 100);

/// `text` with spaces behind it up to `width` columns; longer texts stay as they are.
std::string padded(std::string_view text, std::size_t width);

}  // namespace soresolve
