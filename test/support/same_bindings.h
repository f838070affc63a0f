// Bindings with and without the references that a referrer could serve itself have to be the same
// otherwise.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "soresolve/symbols.h"

namespace soresolve::test {

/// What distinguishes `lean`, bound with OwnReferences::Counted, from `all`, bound with all told;
/// nullopt: nothing that must not. `dlopen_calls`: how many the map has.
std::optional<std::string> difference(const Bindings& all, const Bindings& lean, std::size_t dlopen_calls = 0);

/// Is the reference bound, and has the loader nothing to say of it, whatever it does with others?
bool is_quiet(const SymbolBinding& binding);

}  // namespace soresolve::test
