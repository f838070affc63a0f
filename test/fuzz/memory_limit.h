// Memory that a target asks for at once.
#pragma once
#include <cstddef>

namespace soresolve::test {

/// As long as it lives, a request for more than `bytes` ends the run. libFuzzer itself may ask for more, and so may a
/// target that sets no limit. One at a time.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

}  // namespace soresolve::test
