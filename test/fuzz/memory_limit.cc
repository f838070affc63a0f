// Requests for memory are seen by ASan's hooks where it is there, since an operator new of ours would hide from it
// that memory of `new` is given to `free`; else by such an operator.
#include "fuzz/memory_limit.h"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "fuzz/fuzz_target.h"

#if defined(__SANITIZE_ADDRESS__)
#define SORESOLVE_TEST_HAS_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SORESOLVE_TEST_HAS_ASAN
#endif
#endif

namespace soresolve::test {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> most_bytes = kNoLimit;

void check_request(std::size_t bytes) { require(bytes <= most_bytes, "memory is in proportion to the file"); }

}  // namespace
}  // namespace soresolve::test

#ifdef SORESOLVE_TEST_HAS_ASAN

#include <sanitizer/allocator_interface.h>

soresolve::test::MemoryLimit::MemoryLimit(std::size_t bytes) {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, std::size_t size) { check_request(size); }, [](const volatile void*) {});
  require(installed != 0, "ASan calls when memory is asked for");
  most_bytes = bytes;
}

#else

soresolve::test::MemoryLimit::MemoryLimit(std::size_t bytes) { most_bytes = bytes; }

[[gnu::noinline]] void* operator new(std::size_t size) {
  soresolve::test::check_request(size);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  soresolve::test::require(memory != nullptr, "there is memory");
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#endif

soresolve::test::MemoryLimit::~MemoryLimit() { most_bytes = kNoLimit; }
