// Memory of the GPU by the resolved runtime's calls, or by the driver's where there is no runtime.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session.h"

namespace soresolve::confirm {

/// An address on the GPU; 0: none.
using GpuAddress = std::uint64_t;

/// All calls share the primary context of the device. The first failure stops those behind it. What is
/// allocated goes with the process.
class GpuMemory {
 public:
  explicit GpuMemory(Session& session);

  /// Makes the planned device the current one.
  bool set_up();
  GpuAddress allocate(std::size_t bytes);
  GpuAddress upload(std::span<const float> values);
  GpuAddress upload_bytes(std::span<const std::byte> bytes);
  /// Memory for so many floats, all of them poison.
  GpuAddress poisoned(std::size_t count);
  bool poison(GpuAddress address, std::size_t count);
  std::vector<float> download(GpuAddress address, std::size_t count);
  bool synchronize();

  [[nodiscard]] bool has_failed() const { return api_->has_failed(); }
  /// The step's end for what has failed.
  [[nodiscard]] Outcome failure_outcome(Outcome so_far) const;

  struct Room {
    std::size_t free = 0;
    std::size_t total = 0;
    /// So little that what a library says when it fails may come of it.
    [[nodiscard]] bool is_tight() const { return free < std::min(std::size_t{1} << 30, total / 4); }
  };
  /// The device's memory; nothing before there is a context, or if it cannot be asked any more.
  [[nodiscard]] std::optional<Room> room() const;

 private:
  bool upload_to(GpuAddress address, const void* bytes, std::size_t count);
  [[nodiscard]] bool has_runtime() const;

  Session& session_;
  Library* api_;
};

/// The pointer that library functions take.
template <class T>
T* pointer_to(GpuAddress address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

}  // namespace soresolve::confirm
