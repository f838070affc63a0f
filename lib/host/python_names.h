// What names a package's source may give it, and what modules: where it is not spelled, nothing is said to be missing.
#pragma once
#include <cstdint>
#include <string_view>

namespace soresolve {

/// May this source of a package give it the name?
bool may_give_name(std::string_view source, std::string_view name);

/// May it put modules into the package that are no files?
bool may_make_modules(std::string_view source);

/// The text before line `line`, which is counted from 1.
std::string_view lines_before(std::string_view text, std::uint32_t line);

}  // namespace soresolve
