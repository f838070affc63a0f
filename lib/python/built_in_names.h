// Names that every module of Python has.
#pragma once
#include <string_view>

namespace soresolve::python {

/// A name that every module has, in some release: Library Reference, "Built-in Functions", "Built-in Constants".
/// Classes of exceptions by their form.
bool may_be_built_in(std::string_view name);

}  // namespace soresolve::python
