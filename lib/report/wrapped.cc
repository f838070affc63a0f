// Breaks prose at a column, East Asian characters counted as two (UAX #11, by blocks in use) and without a break before
// closing punctuation. Combining characters and emoji sequences are not joined.
#include "report/wrapped.h"

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"

namespace soresolve {
namespace {

/// What is no UTF-8 counts byte by byte.
Character next_character(std::string_view text) {
  const Character character = first_character(text);
  return character.length == 0 ? Character{1, static_cast<unsigned char>(text.front())} : character;
}

/// East Asian Width W or F, as far as the blocks go that are in use here (UAX #11).
bool is_wide(char32_t code) {
  return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
         (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
         (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
         (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x20000 && code <= 0x3fffd);
}

/// May not begin a line.
bool is_closing(char32_t code) {
  constexpr std::u32string_view kClosing = U"，。；：、！？）》”’…～,.;:!?)";
  return kClosing.find(code) != std::u32string_view::npos;
}

/// May not end a line.
bool is_open_bracket(char32_t code) {
  constexpr std::u32string_view kOpenBrackets = U"（《“‘(";
  return kOpenBrackets.find(code) != std::u32string_view::npos;
}

/// What is not broken: a word, or one East Asian character with the punctuation at it.
std::string_view next_unit(std::string_view text) {
  std::size_t length = 0;
  bool was_open_bracket = true;
  bool was_wide = false;
  while (length < text.size() && text[length] != ' ') {
    const Character next = next_character(text.substr(length));
    const bool may_break =
        length != 0 && !was_open_bracket && !is_closing(next.code) && (was_wide || is_wide(next.code));
    if (may_break) break;
    was_open_bracket = is_open_bracket(next.code);
    was_wide = is_wide(next.code);
    length += next.length;
  }
  return text.substr(0, length);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return text.size();
  std::size_t width = 0;
  while (!text.empty()) {
    const Character next = next_character(text);
    width += is_wide(next.code) ? 2 : 1;
    text.remove_prefix(next.length);
  }
  return width;
}

std::vector<std::string_view> lines_of(std::string_view text, std::size_t indent, std::size_t width) {
  std::vector<std::string_view> lines;
  std::size_t column = indent;
  const char* begin = nullptr;  // of the line; nullptr: nothing is on it yet
  const char* end = nullptr;
  while (!text.empty()) {
    const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(spaces);
    if (text.empty()) break;
    const std::string_view unit = next_unit(text);
    const std::size_t unit_width = display_width(unit);
    if (begin != nullptr && column + spaces + unit_width > width) {
      lines.emplace_back(begin, end);
      begin = nullptr;
      column = indent;
    }
    if (begin == nullptr) {
      begin = unit.data();
    } else {
      column += spaces;
    }
    end = unit.data() + unit.size();
    column += unit_width;
    text.remove_prefix(unit.size());
  }
  if (begin != nullptr) lines.emplace_back(begin, end);
  return lines;
}

}  // namespace soresolve
