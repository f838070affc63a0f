// Names of strangers on a terminal: what is shown as it is, and what as an escape.
//
// Sources: RFC 3629 (UTF-8), ECMA-48 (controls, those of C1 too), Unicode's DerivedCoreProperties.txt for what has no
// width (Default_Ignorable_Code_Point, which has the controls of direction in it) and UAX #14 for ends of lines. Two
// names that look alike are not shown as one. Not here: letters of two scripts that look alike.
#include "base/printable.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace soresolve {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};
/// What drives a terminal, ends a line, turns the direction of writing round, or is not seen at all; in order.
constexpr CodeRange kHidden[] = {
    {0x0, 0x1f},      {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
    {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool is_hidden(char32_t code) {
  const CodeRange* const range =
      std::lower_bound(std::begin(kHidden), std::end(kHidden), code,
                       [](const CodeRange& known, char32_t wanted) { return known.last < wanted; });
  return range != std::end(kHidden) && range->first <= code;
}

constexpr char kDigits[] = "0123456789abcdef";

/// One code unit of UTF-16, as a string of JSON can have it.
void append_escape(std::string& json, unsigned unit) {
  json += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) json += kDigits[unit >> shift & 15];
}

bool is_plain(char c) { return c >= ' ' && c <= '~'; }

}  // namespace

std::string printable(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.length == 0 || is_hidden(character.code)) {
      // Byte by byte, so that a name can be typed again.
      const std::size_t count = std::max<std::size_t>(character.length, 1);
      for (const char byte : text.substr(0, count)) {
        result += "\\x";
        result += kDigits[static_cast<unsigned char>(byte) >> 4];
        result += kDigits[static_cast<unsigned char>(byte) & 15];
      }
      text.remove_prefix(count);
    } else {
      result += text.substr(0, character.length);
      text.remove_prefix(character.length);
    }
  }
  return result;
}

std::string printable_json(std::string json) {
  const auto is_ascii = [](char c) { return c == '\n' || is_plain(c); };
  const auto start = std::find_if_not(json.begin(), json.end(), is_ascii);
  if (start == json.end()) return json;
  std::string result(json.begin(), start);
  std::string_view rest = std::string_view(json).substr(result.size());
  while (!rest.empty()) {
    const Character character = first_character(rest);
    const std::size_t count = std::max<std::size_t>(character.length, 1);
    if (character.length == 0 || character.code < 0x20 || !is_hidden(character.code)) {
      result += rest.substr(0, count);
    } else if (character.code < 0x10000) {
      append_escape(result, character.code);
    } else {
      append_escape(result, 0xd800 + ((character.code - 0x10000) >> 10));
      append_escape(result, 0xdc00 + (character.code & 0x3ff));
    }
    rest.remove_prefix(count);
  }
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t end = text.find_first_of("\n\t");
    result += printable(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    result += text[end];
    text.remove_prefix(end + 1);
  }
}

}  // namespace soresolve
