// A number that a text spells, and nothing but the number: "12" is one; "", "+12", " 12", "12a" and what the type
// cannot hold are none. Not here: versions (soresolve/dotted_version.h) and what strtoul takes (loader/tunables.h).
#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace soresolve {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace soresolve
