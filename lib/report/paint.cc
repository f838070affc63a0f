#include "report/paint.h"

#include <algorithm>

namespace soresolve {
namespace {

/// Length of the valid UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  std::size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2
                     : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (first == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
  if (first == 0xed && byte(1) >= 0xa0) return 0;  // surrogates
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) >= 0x90) return 0;
  if (first == 0xc2 && length == 2 && byte(1) < 0xa0) return 0;  // C1 controls
  // U+2028…202e and U+2066…2069: ends of lines and paragraphs, and of the direction of writing.
  if (first == 0xe2 && byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) return 0;
  if (first == 0xe2 && byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9) return 0;
  return length;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  const bool is_plain = std::all_of(text.begin(), text.end(),
                                    [](char c) { return c >= ' ' && c <= '~'; });
  if (is_plain) return std::string(text);
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const unsigned char first = static_cast<unsigned char>(text.front());
    const std::size_t length = first < 0x20 || first == 0x7f ? 0 : utf8_length(text);
    if (length == 0) {
      result += "\\x";
      result += kDigits[first >> 4];
      result += kDigits[first & 15];
      text.remove_prefix(1);
    } else {
      result += text.substr(0, length);
      text.remove_prefix(length);
    }
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

std::string display_name(const LinkMap& map, ObjectIndex object) {
  if (object == kNoObject) return "the program";
  return printable(map.objects[object].name());
}

std::string proof_line(std::string_view head, std::string_view content) {
  constexpr std::size_t kColumn = 14;
  std::string text = "  " + std::string(head);
  text.resize(kColumn, ' ');
  return text + std::string(content) + "\n";
}

std::string describe_step(const LinkMap& map, SearchStep step, ObjectIndex owner) {
  std::string text(name_of(step));
  if (owner != kNoObject) text += " of " + display_name(map, owner);
  return text;
}

}  // namespace soresolve
