// How deep brackets stand in each other.
//
// What is as deep as a stranger likes is copied, written and destroyed by recursion sooner or later: JSON from a
// process that runs strangers' code is measured before it is read.
#pragma once
#include <cstddef>
#include <string_view>

namespace soresolve {

/// Do `[` and `{` stand in each other more than `limit` times, outside of strings? For any bytes, JSON or not.
inline bool is_nested_deeper(std::string_view json, std::size_t limit) {
  std::size_t depth = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') is_in_string = !is_in_string;
    if (is_in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      if (++depth > limit) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace soresolve
