// Text that may go to a terminal: our own words, and strangers' bytes made harmless. That is a type, so that forgetting
// to escape a name does not compile.
//
// A Text comes from a literal of the source, from escaped(), from a number, or from other Texts. What cannot drive a
// terminal, and what can, is decided by printable(). Not here: JSON and the loader's own messages, which are bytes with
// rules of their own and have writers of their own.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/printable.h"

namespace soresolve {

class Text {
 public:
  Text() = default;
  /// Our own words; a string literal, or a constant array of the source.
  template <std::size_t N>
  Text(const char (&literal)[N]) : bytes_(literal) {}
  /// A buffer is not a literal: whatever was written to it is to be escaped.
  template <std::size_t N>
  Text(char (&buffer)[N]) = delete;

  /// Bytes from a file, an environment, a command line or another program, as printable() shows them.
  static Text escaped(std::string_view foreign) { return Text(printable(foreign), Known{}); }
  /// The same of several lines: line ends and tabulators stay.
  static Text escaped_lines(std::string_view foreign) { return Text(printable_lines(foreign), Known{}); }
  static Text number(std::integral auto value) { return Text(std::to_string(value), Known{}); }
  /// The one way round the rule, for code that lays out or colours what was Text before, and for our own words that are
  /// no literals. test/form/check_escaped_text lists who may use it.
  static Text trusted(std::string harmless) { return Text(std::move(harmless), Known{}); }

  Text& operator+=(const Text& more) {
    bytes_ += more.bytes_;
    return *this;
  }
  friend Text operator+(Text first, const Text& second) {
    first += second;
    return first;
  }
  friend bool operator==(const Text&, const Text&) = default;

  [[nodiscard]] const std::string& str() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  struct Known {};
  Text(std::string bytes, Known) : bytes_(std::move(bytes)) {}
  std::string bytes_;
};

}  // namespace soresolve
