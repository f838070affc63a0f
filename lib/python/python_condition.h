// Conditions of `if` in a Python source that are decided by the platform and the release.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "python/python_source.h"

namespace soresolve {

/// Names of a module to which True, False, None, 0 or 1 has been assigned; nullopt: something else, or not always.
using PythonConstants = std::map<std::string, std::optional<bool>, std::less<>>;

/// What is known of a part of a condition besides; nullopt: nothing.
using PythonFact = std::function<std::optional<bool>(std::string_view atom)>;

/// Is the condition true on Linux with this Python? nullopt: it depends on more (a variable, the environment, what
/// else is installed).
std::optional<bool> decide_condition(std::string_view text, const PythonPlatform& platform,
                                     const PythonConstants& constants, const PythonFact& fact = {});

}  // namespace soresolve
