// Opens the device files of NVIDIA's kernel driver without waiting for the GPU to come up, and holds them. Source:
// open(2) with O_NONBLOCK, which the driver since 515 takes as leave to start the GPU in the background.
#include "held_devices.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace soresolve::confirm {
namespace {

constexpr int kMostDevices = 16;  // as many as a machine of today has; a container may show 7 without 0 to 6

}  // namespace

HeldDevices::HeldDevices() {
  for (int i = 0; i < kMostDevices; ++i) {
    const std::string path = "/dev/nvidia" + std::to_string(i);
    const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0) open_.push_back(file);
  }
}

HeldDevices::~HeldDevices() {
  for (const int file : open_) ::close(file);
}

}  // namespace soresolve::confirm
