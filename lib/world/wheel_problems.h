// Problems of an import that its process does not show: what the metadata of its wheels says and is not so.
#pragma once
#include <vector>

#include "soresolve/diagnose.h"
#include "soresolve/python.h"

namespace soresolve {

/// WheelFileGone, WheelRequirement and WheelTags. Of an import that fails those that its exception is about.
std::vector<Problem> find_wheel_problems(const PythonImport& import);

}  // namespace soresolve
