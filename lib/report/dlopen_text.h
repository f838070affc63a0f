// What is opened later, as text.
#pragma once
#include <string>

#include "soresolve/dlopens.h"
#include "soresolve/report.h"

namespace soresolve {

/// A section of its own: each opener with what it opens; empty if nothing is opened. Folded, a long list
/// is cut to what will not be there.
std::string dlopens_text(const Dlopens& dlopens, const WhyOptions& options);

/// "dlopen, required, likely"
std::string dlopen_label(const Dlopen& opened);

}  // namespace soresolve
