// What names a package's source may give it, and what modules: where it is not spelled, nothing is said to be missing.
// And where a name of it comes from.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace soresolve {

/// May this source of a package give it the name?
bool may_give_name(std::string_view source, std::string_view name);

/// May it put modules into the package that are no files?
bool may_make_modules(std::string_view source);

/// Where a name of a module comes from, as its source says at its margin; the last one counts.
struct PythonOrigin {
  bool is_function = false;  ///< defined there
  std::uint32_t level = 0;   ///< else of "from ..module import name as …": the dots, and the two
  std::string module = {};
  std::string name = {};  ///< empty, where it is no function: neither of both
};
PythonOrigin python_origin(std::string_view source, std::string_view name);

/// May anything in the source open a library, itself or by a function that its name announces?
bool may_open_libraries(std::string_view source);

/// The text before line `line`, which is counted from 1.
std::string_view lines_before(std::string_view text, std::uint32_t line);

}  // namespace soresolve
