// Asks the kernel for pages of 2 MiB before large link maps are bound (madvise(2), MADV_HUGEPAGE; mallopt(3)). An
// optimisation only: every call may fail without effect on the answer.
#include "large_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace soresolve::tool {
namespace {

constexpr std::size_t kLargePageBytes = 2 << 20;
constexpr std::size_t kHeapBytes = 8 << 20;

/// Only what is large is worth a page of 2 MiB: the symbols of small files fit into little memory.
bool is_large(const LinkMap& map) {
  constexpr std::uint64_t kLargeFilesBytes = 64 << 20;
  std::uint64_t size_bytes = 0;
  for (const LoadedObject& object : map.objects) size_bytes += object.status.size_bytes;
  return size_bytes >= kLargeFilesBytes;
}

}  // namespace

void prepare_heap(const LinkMap& map) {
  if (!is_large(map)) return;
  // What is freed stays in the heap, and its end does not move to and fro.
  mallopt(M_MMAP_THRESHOLD, 4 * kHeapBytes);
  mallopt(M_TRIM_THRESHOLD, 4 * kHeapBytes);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  void* volatile block = std::malloc(kHeapBytes);  // volatile, or the compiler leaves both calls out
  std::free(block);
  const std::uintptr_t first = (end + kLargePageBytes - 1) & ~(kLargePageBytes - 1);
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(sbrk(0)) & ~(kLargePageBytes - 1);
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace soresolve::tool
