// Bindings with all names and with those that are needed have to be the same but for the names.
#pragma once
#include <optional>
#include <string>

#include "soresolve/bindings.h"

namespace soresolve::test {

/// What distinguishes `lean`, bound with SymbolNames::WhereNeeded, from `all`, bound with all names;
/// nullopt: nothing that must not.
std::optional<std::string> difference(const Bindings& all, const Bindings& lean);

}  // namespace soresolve::test
