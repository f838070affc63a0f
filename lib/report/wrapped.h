// Lines of prose, no wider than a terminal.
#pragma once
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace soresolve {

/// Columns that valid UTF-8 takes on a terminal: two for East Asian characters.
std::size_t display_width(std::string_view text);

/// Breaks `text` into lines of at most `width` columns, at spaces and between East Asian characters (not before closing
/// punctuation). Each of them begins at column `indent`, which counts. Parts of `text`, without the spaces at their
/// ends.
std::vector<std::string_view> lines_of(std::string_view text, std::size_t indent, std::size_t width);

/// `text` with spaces behind it up to `width` columns; longer texts stay as they are.
std::string padded(std::string_view text, std::size_t width);
template <std::same_as<Text> T>
Text padded(const T& text, std::size_t width) {
  return Text::trusted(padded(std::string_view(text.str()), width));
}

}  // namespace soresolve
