// A TOML 1.0 document as plain values, each with its line: what the user's own files are written in.
//
// toml++ reads it; no type of it is known elsewhere. It goes through tables by recursion, so depth is checked before;
// what it takes for granted and a text does not grant is a refusal. Where soresolve is built without it, reading fails
// with Unsupported.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "soresolve/result.h"

namespace soresolve {

/// A local date.
struct TomlDate {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  auto operator<=>(const TomlDate&) const = default;
};

struct TomlNode;
struct TomlEntry;
using TomlArray = std::vector<TomlNode>;
using TomlTable = std::vector<TomlEntry>;  ///< by key

struct TomlNode {
  /// monostate: a number or a time, which nobody wants.
  std::variant<std::monostate, std::string, bool, TomlDate, TomlArray, TomlTable> value;
  std::uint32_t line = 0;  ///< from 1; 0: unknown

  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value); }
  [[nodiscard]] const TomlDate* date() const { return std::get_if<TomlDate>(&value); }
  [[nodiscard]] const TomlArray* array() const { return std::get_if<TomlArray>(&value); }
  [[nodiscard]] const TomlTable* table() const { return std::get_if<TomlTable>(&value); }
};

struct TomlEntry {
  std::string key;
  TomlNode node;
};

/// The document's table. `path` for errors. Errors: Malformed with line and reason; Unsupported.
Result<TomlTable> parse_toml(std::string_view text, std::string_view path);

/// "PATH: line N WHAT".
Error toml_error(std::string_view path, std::uint32_t line, const std::string& what);

}  // namespace soresolve
