// The CUDA libraries of one process, with their releases, and the driver that it would take.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/cuda_library.h"
#include "soresolve/dlopens.h"
#include "soresolve/driver.h"
#include "soresolve/framework_build.h"
#include "soresolve/link_map.h"
#include "soresolve/process.h"
#include "soresolve/system.h"

namespace soresolve {

struct CudaMember {
  CudaLibrary library;
  ObjectIndex object = kNoObject;  ///< in the map; kNoObject: it is opened later
  std::string opener;              ///< who opens it later
};

struct CudaProcess {
  std::vector<CudaMember> members;      ///< in the map's order, then those that are opened later
  std::optional<DriverLibrary> driver;  ///< the libcuda.so.1 that the runtime gets; nullopt: none
  std::optional<KernelModule> module;
  std::vector<InstalledFramework> frameworks;  ///< whose libraries are in the process

  [[nodiscard]] std::vector<const CudaMember*> of(std::string_view family) const;
};

/// Has the process any, by their names?
bool has_cuda(const LinkMap& map, const Dlopens& dlopens);

/// Reads each CUDA library of the process once. nullopt if there is none.
std::optional<CudaProcess> read_cuda_process(const System& system, const Process& process, const LinkMap& map,
                                             const Dlopens& dlopens, const CudaContracts& contracts);

}  // namespace soresolve
