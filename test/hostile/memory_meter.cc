// Counts by AddressSanitizer's hooks where there are any, else by replacing operator new and delete; malloc's own
// overhead and memory that is mapped directly are not counted.
#include "hostile/memory_meter.h"
#include "loader/load.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SORESOLVE_TEST_HAS_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SORESOLVE_TEST_HAS_ASAN
#endif

#ifdef SORESOLVE_TEST_HAS_ASAN
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>
#endif

namespace soresolve::test {
namespace {

std::atomic<std::size_t> present = 0;
std::atomic<std::size_t> peak = 0;

void count(std::size_t bytes) {
  const std::size_t now = present += bytes;
  std::size_t most = peak;
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
}

#ifdef SORESOLVE_TEST_HAS_ASAN
void on_malloc(const volatile void*, std::size_t bytes) { count(bytes); }
void on_free(const volatile void* memory) {
  if (memory != nullptr) present -= __sanitizer_get_allocated_size(const_cast<const void*>(memory));
}
[[maybe_unused]] const int kIsInstalled = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
#endif

}  // namespace

std::size_t start_metering() { return peak = present.load(); }
std::size_t peak_bytes() { return peak; }

#ifndef SORESOLVE_TEST_HAS_ASAN
namespace {
void* take(std::size_t bytes) {
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) std::abort();
  count(::malloc_usable_size(memory));
  return memory;
}
void give_back(void* memory) {
  present -= ::malloc_usable_size(memory);
  std::free(memory);
}
}  // namespace
#endif

}  // namespace soresolve::test

#ifndef SORESOLVE_TEST_HAS_ASAN
void* operator new(std::size_t bytes) { return soresolve::test::take(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return soresolve::test::take(bytes); }
void operator delete(void* memory) noexcept { soresolve::test::give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { soresolve::test::give_back(memory); }
#endif
