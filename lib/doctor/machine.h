// What the doctor's checks have in common: the files of the machine, and what is known of it already.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/contracts.h"
#include "cuda/driver.h"
#include "cuda/driver_mount.h"
#include "loader/system.h"
#include "soresolve/cuda.h"
#include "soresolve/doctor.h"
#include "soresolve/world.h"

namespace soresolve {

enum class PlatformKind : std::uint8_t { Plain, Container, Wsl, Jetson, NixOs };

/// A GPU that the driver shows.
struct ShownGpu {
  std::string name;                 ///< "NVIDIA GeForce RTX 4090"
  std::optional<GpuDevice> device;  ///< empty: no row knows it
};

struct Machine {
  const DoctorOptions& options;
  WorldSettings settings;
  std::shared_ptr<const FileSystem> files;
  std::shared_ptr<const System> system;  ///< null: no loader is installed here
  std::string loader_problem;            ///< then: why
  std::string cwd;
  PlatformKind platform = PlatformKind::Plain;
  std::string platform_sign;       ///< what shows it: "/.dockerenv is there"
  std::vector<std::string> nodes;  ///< of /dev, those of NVIDIA
  bool has_dev = false;            ///< there is anything in /dev
  std::optional<KernelModule> module;
  std::vector<ShownGpu> gpus;
  std::string driver_path;  ///< libcuda.so.1 of a plain program; empty: none
  std::optional<DriverLibrary> driver;
  std::shared_ptr<const DriverMount> mount = {};  ///< what the host brings in by --driver; else null

  [[nodiscard]] const CudaContracts& contracts() const { return options.contracts.get().cuda; }
  /// The driver's version by its library, else by its module; empty: neither tells.
  [[nodiscard]] DottedVersion driver_version() const;
  [[nodiscard]] DottedVersion driver_cuda() const;
  /// Is there a libcuda that is no stub?
  [[nodiscard]] bool has_driver() const;
  /// As find_torch_backend(); "cpu" on Jetson, for which PyTorch's indexes have no wheels.
  [[nodiscard]] std::string torch_backend() const;
  /// Where a plain program that opens `name` finds it, with `env` ("LD_LIBRARY_PATH=…") in its environment;
  /// empty: nowhere.
  [[nodiscard]] std::string find(const std::string& name, const std::vector<std::string>& env = {}) const;
  /// The same without links.
  [[nodiscard]] std::string find_real(const std::string& name, const std::vector<std::string>& env = {}) const;
};

Result<Machine> read_machine(const WorldSettings& settings, const DoctorOptions& options);

/// The elements of LD_LIBRARY_PATH.
std::vector<std::string> library_path_of(const Environment& environment);

}  // namespace soresolve
