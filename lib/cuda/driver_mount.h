// Lays over an image what a container of it gets from its host's driver.
#pragma once
#include <memory>

#include "loader/loader_rules.h"
#include "soresolve/cuda.h"
#include "soresolve/link_map.h"

namespace soresolve {

/// The image as its container sees it.
struct MountedDriver {
  std::shared_ptr<const FileSystem> files;
  std::shared_ptr<const DriverMount> mount;
};

/// `environment`: of the container, for NVIDIA_DRIVER_CAPABILITIES and LD_LIBRARY_PATH. `release`: as read_system()
/// takes it. Errors: Usage, for a driver that is none and for capabilities that no container is started with;
/// Unreadable.
Result<MountedDriver> mount_driver(std::shared_ptr<const FileSystem> image, const DriverSettings& settings,
                                   const Environment& environment, GlibcVersion release = {});

}  // namespace soresolve
