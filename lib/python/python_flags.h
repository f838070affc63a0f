// Names that a Python source gives one value or another, by what could be imported: HAS_X = True, and False in the
// handler. What they are stands fast only when it is known which import fails.
//
// Source: the Python Language Reference, "The try statement", "Boolean operations", "Comparisons".
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "python/python_lines.h"
#include "python/python_source.h"

namespace soresolve {

using PythonFlags = std::set<std::string, std::less<>>;

/// The names to which a handler of the source assigns, and those that decide whether it raises. Without those that a
/// function declares global.
PythonFlags python_flags(const std::vector<PythonLine>& lines);

/// Of such names that are assigned in handlers.
PythonFlags assigned_in_handlers(const std::vector<PythonLine>& lines);

/// The name that a line assigns to, and the expression; an empty name where it does not assign to one name alone.
struct PythonAssignment {
  std::string_view name;
  std::string_view value;  ///< empty: it is changed (x += 1)
};
PythonAssignment python_assignment(std::string_view line);

/// Does a condition consist of these names, of brackets, and of not, and, or, is, None, True, False alone?
bool is_of_flags(std::string_view condition, const PythonFlags& flags);

/// Such a condition, where `value_of` says what its names are; nullopt: that is not known.
std::optional<bool> decide_by_flags(std::string_view condition,
                                    const std::function<PythonValue(std::string_view name)>& value_of);

}  // namespace soresolve
