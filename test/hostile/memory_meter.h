// How much memory the program has asked for, at most, since it was last asked.
//
// With AddressSanitizer all of malloc counts, by its hooks; else what goes through operator new.
#pragma once
#include <cstddef>

namespace soresolve::test {

constexpr bool is_built_with_asan() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return true;
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
  return true;
#else
  return false;
#endif
}

/// Makes the present amount the peak, and returns it.
std::size_t start_metering();
/// The most at one time since then, in bytes.
std::size_t peak_bytes();

}  // namespace soresolve::test
