// Keeps the GPUs awake from one process to the next.
//
// Without persistence mode the kernel's driver shuts a GPU down when the last process closes it, and starting it takes
// a second or more: each group of a confirmation would wait for that. Source: NVIDIA Driver Persistence, "Legacy": the
// device files are held open. Nothing is loaded for it.
#pragma once
#include <vector>

namespace soresolve::confirm {

class HeldDevices {
 public:
  /// Opens /dev/nvidia0 and on, as far as they are there and may be opened.
  HeldDevices();
  ~HeldDevices();
  HeldDevices(const HeldDevices&) = delete;
  HeldDevices& operator=(const HeldDevices&) = delete;

 private:
  std::vector<int> open_;
};

}  // namespace soresolve::confirm
