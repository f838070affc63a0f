// Characters of a text that may be UTF-8, or anything else: names in files are bytes.
//
// Source: RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace soresolve {

/// The character at the start of a text; of length 0 where there is no valid UTF-8.
struct Character {
  std::size_t length = 0;
  char32_t code = 0;
};

inline Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return {};
  char32_t code = length == 1 ? first : first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[length] || is_surrogate || code > 0x10ffff) return {};
  return {length, code};
}

/// The bytes of one character, as they come: surrogates, too.
inline std::string utf8_of(char32_t code) {
  const auto rest = [&](unsigned shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), rest(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), rest(6), rest(0)};
  return {static_cast<char>(0xf0 | (code >> 18 & 7)), rest(12), rest(6), rest(0)};
}

}  // namespace soresolve
