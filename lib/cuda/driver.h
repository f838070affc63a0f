// The NVIDIA driver of a machine, by its files alone: its kernel module and its user-space library.
//
// Sources: the README of NVIDIA's Linux driver ("proc" interface); what is known of the library was
// measured on the drivers 340 to 555.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cuda/contracts.h"
#include "cuda/cuda_library.h"
#include "soresolve/cuda.h"
#include "soresolve/dotted_version.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/statement.h"

namespace soresolve {

/// The loaded kernel module.
struct KernelModule {
  DottedVersion version;
  std::string path;      ///< the file that told
  bool is_open = false;  ///< the open flavour; not told by /sys
};
/// From /proc/driver/nvidia/version, else /sys/module/nvidia/version; nullopt when neither tells.
std::optional<KernelModule> read_kernel_module(const FileSystem& files);

/// Does a node of this name in /dev show a GPU: nvidia0, …? The control node, nvidiactl, does not: a libcuda makes it
/// by itself when root loads it.
bool is_gpu_node(std::string_view name);

/// One libcuda.
struct DriverLibrary {
  CudaLibrary library;
  /// The driver that it is of: 535.261.03; empty where the name has none (WSL, Jetson).
  DottedVersion version;
  DottedVersion cuda;  ///< the newest CUDA it knows, what cuDriverGetVersion answers; empty: not known
  Statement cuda_proof;
  std::optional<Statement> stub;  ///< what gives it away as a stub of a toolkit
  bool is_in_compat_folder = false;
  std::optional<ForwardCompatibility> compatibility;  ///< of a cuda-compat package
};
/// nullopt: no ELF file at `path` (absolute). Where the name tells the driver's version, its CUDA is that of
/// its branch; `Certainty::OwnText` reads it out of the library, which is some 30 MB long.
enum class Certainty : std::uint8_t { ByName, OwnText };
std::optional<DriverLibrary> read_driver_library(const FileSystem& files, const std::string& path,
                                                 const CudaContracts& contracts,
                                                 Certainty certainty = Certainty::ByName);
/// The same of a file that is open already, which is not opened again; `library` and `elf` were read from it.
DriverLibrary read_driver_library(const FileSystem& files, CudaLibrary library, const File& file, const ElfObject& elf,
                                  const CudaContracts& contracts, Certainty certainty);

enum class CompatFit : std::uint8_t {
  Accepted,  ///< it is made for this driver of the host
  Needless,  ///< the host's own driver knows as much
  Refused,   ///< the host's branch is not on its list: error 803
  Unknown,
};
/// Does a forward-compatible libcuda work above the kernel module of the host? (On data-center GPUs;
/// others give error 804.)
CompatFit judge_forward_compatibility(const DriverLibrary& driver, const DottedVersion& module,
                                      const CudaContracts& contracts);

}  // namespace soresolve
