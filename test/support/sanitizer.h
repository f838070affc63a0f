// Does AddressSanitizer look on, and how often a test then repeats what it makes anew each time.
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

/// `count`, or a fifth of it with AddressSanitizer, which takes many times as long.
constexpr std::size_t rounds(std::size_t count) { return is_built_with_asan() ? (count + 4) / 5 : count; }

}  // namespace soresolve::test
