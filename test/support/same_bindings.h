// Bindings with and without the references to a referrer's own symbols have to be the same otherwise.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "soresolve/bindings.h"

namespace soresolve::test {

/// What distinguishes `lean`, bound with OwnReferences::Counted, from `all`, bound with all told;
/// nullopt: nothing that must not. `openings`: how many the map has.
std::optional<std::string> difference(const Bindings& all, const Bindings& lean,
                                      std::size_t openings = 0);

/// Does a reference bind to the very symbol of the referrer that it names?
bool is_own(const SymbolBinding& binding);

}  // namespace soresolve::test
