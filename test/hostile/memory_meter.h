// How much memory the program has asked for, at most, since it was last asked.
//
// With AddressSanitizer all of malloc counts, by its hooks; else what goes through operator new.
#pragma once
#include <cstddef>

#include "support/sanitizer.h"

namespace soresolve::test {

/// Makes the present amount the peak, and returns it.
std::size_t start_metering();
/// The most at one time since then, in bytes.
std::size_t peak_bytes();

}  // namespace soresolve::test
