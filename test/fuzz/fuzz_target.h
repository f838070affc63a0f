// What each NAME_fuzz.cc offers: libFuzzer's entry point, and seeds for it.
//
// Linked with replay.cc a target is an ordinary test; linked with libFuzzer (-Dfuzz=enabled, clang)
// it searches on its own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/// Takes one input and aborts if a property does not hold. Always returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace soresolve::test {

/// Inputs that reach deep: well-formed ones, and each kind of damage that has a name.
std::vector<std::string> seeds();

/// Stops the run unless the property holds, in builds without assertions as well.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

/// Which of `count` forms of an answer this input is shown in: each input in one, all inputs together in all. Forms
/// cost more than the answer itself, and few inputs break one form only.
inline std::size_t form_of(const std::uint8_t* data, std::size_t size, std::size_t count) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 16777619u;
  return (hash ^ hash >> 16) % count;
}

/// Reads every byte of a view, so that a sanitizer sees one that borrows from freed memory.
inline void touch(std::string_view text) {
  volatile char sink = 0;
  for (const char c : text) sink = c;
  static_cast<void>(sink);
}

}  // namespace soresolve::test
