// The logical lines of a Python source.
//
// Source: the Python Language Reference, "Lexical analysis": strings, comments, brackets and backslashes join lines.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace soresolve {

/// One logical line.
struct PythonLine {
  std::size_t indent = 0;    ///< in columns; a tab goes to the next eighth
  std::uint32_t number = 0;  ///< of its first physical line, from 1
  std::string_view text;     ///< from its first character; comments and line ends inside it are still there
};

/// The lines that are not empty, in their order.
std::vector<PythonLine> read_python_lines(std::string_view source);

/// The first of `marks` in `text` outside strings, comments and brackets; npos without one.
std::size_t find_outside(std::string_view text, std::string_view mark, std::size_t from = 0);

/// The end of the string literal or comment that begins at `at`; `at` itself where none begins.
std::size_t skip_literal(std::string_view text, std::size_t at);

}  // namespace soresolve
