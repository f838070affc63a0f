// Values as people read them: names of strangers made harmless, numbers with their noun.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace soresolve {

/// Names come from strangers' files: control characters and bytes that are no UTF-8 appear as \xNN, and so does what
/// reverses the direction of writing or has no width, so that they can neither drive a terminal nor hide in a name.
std::string printable(std::string_view text);
/// The same of a text of several lines and columns: its line ends and tabulators stay.
std::string printable_lines(std::string_view text);
/// A document of JSON in which the same characters are escapes of JSON (\uNNNN): to a program it is the same.
std::string printable_json(std::string json);

/// "0x1f".
inline std::string hex(std::uint64_t value) {
  char digits[17];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value, 16);
  return "0x" + std::string(digits, end.ptr);
}

/// "f@V1", or "f" when it has no version.
inline std::string versioned_name(std::string_view name, std::string_view version) {
  return printable(name) + (version.empty() ? "" : "@" + printable(version));
}

}  // namespace soresolve
