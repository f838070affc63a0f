// Questions about GPU code and CUDA's libraries: which targets a file has code for and whether a device runs it, which
// release a library is, and the driver of the host that a file is to run on.
//
// The rows of lib/cuda/contracts.json are what is known about GPUs and releases. Sources of the rules: lib/cuda/*.h.
#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/dotted_version.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"

// GPU code inside a file: CUDA fat binary containers, wherever they stand.
//
// Source: the layout as nvcc writes it and the CUDA driver reads it; NVIDIA documents it in parts only
// (cuobjdump's output, fatbinary.h). What is known of it was checked on files of CUDA 11.2 to 13.0.

namespace soresolve {
/// The rows about GPUs and CUDA (cuda/contracts.h).
struct GpuContracts;
/// What pieces of code say of themselves once they are unpacked (cuda/fatbin.h).
struct GpuInside;
/// What a container gets from its host's driver (cuda/driver_mount.h).
struct DriverMount;
}  // namespace soresolve

namespace soresolve SORESOLVE_API {

/// Kinds of code, by the number of an entry; others are shown as numbers.
inline constexpr std::uint16_t kGpuPtx = 1;
inline constexpr std::uint16_t kGpuCubin = 2;
inline constexpr std::uint16_t kGpuLtoIr = 8;

/// What a piece of code is for.
struct GpuTarget {
  std::uint16_t kind = 0;
  std::uint32_t arch = 0;       ///< 90 for compute capability 9.0, 120 for 12.0
  char suffix = '\0';           ///< 'a': that chip only; 'f': its family
  std::uint16_t isa_major = 0;  ///< PTX: of its .version; else 0
  std::uint16_t isa_minor = 0;
  auto operator<=>(const GpuTarget&) const = default;
};
/// "sm_90a", "compute_90", "lto_75", "kind 64 for 90".
std::string name_of(const GpuTarget& target);

/// All pieces for one target.
struct GpuTargetSum {
  GpuTarget target;
  std::uint64_t entries = 0;
  std::uint64_t containers = 0;  ///< that have at least one
  std::uint64_t stored_bytes = 0;
  std::uint64_t uncompressed_bytes = 0;
};

/// Containers that offer the same choice of targets. A kernel lives in one container: if none of its
/// targets suits the device, what others offer does not help.
struct GpuChoice {
  std::vector<GpuTarget> targets;  ///< sorted, each once
  std::uint64_t containers = 0;
};

/// The GPU code of one file.
struct GpuCode {
  std::uint64_t containers = 0;
  std::uint64_t entries = 0;
  std::vector<GpuTargetSum> targets;  ///< by kind (native code first), arch, suffix, PTX version
  std::vector<GpuChoice> choices;
  std::vector<Error> damages;  ///< the first ones
  std::uint64_t damage_count = 0;
};
Result<GpuCode> read_gpu_code(const File& file, std::string_view path);

/// A compute capability: 8.9 is {8, 9}.
struct ComputeCapability {
  int major_number = 0;
  int minor_number = 0;
  auto operator<=>(const ComputeCapability&) const = default;
  [[nodiscard]] std::string to_string() const;
  /// 89 for 8.9, 120 for 12.0: as in sm_89 and in fat binaries.
  [[nodiscard]] std::uint32_t arch() const;
};

/// What is compiled in.
const GpuContracts& built_in_contracts();

/// A GPU that code is judged for.
struct GpuDevice {
  ComputeCapability capability;
  std::string name;    ///< as asked for
  std::string source;  ///< where the capability is from
};
/// By capability or by the name of a board. Errors: Usage, with the nearest names.
Result<GpuDevice> find_device(const GpuContracts& contracts, std::string_view name);
/// The GPUs that this machine's driver shows in /proc/driver/nvidia. Errors: NotFound.
Result<std::vector<std::string>> list_devices(const FileSystem& files);

/// What a file's GPU code comes to on one device.
struct GpuVerdict {
  std::uint64_t native = 0;  ///< containers, by the best that they offer
  std::uint64_t compiled = 0;
  std::uint64_t linked = 0;
  std::uint64_t none = 0;
  /// The PTX that needs the newest driver among those that would be compiled, and what it needs;
  /// empty if no release is known that has it.
  std::optional<GpuTarget> newest_ptx;
  std::string needs_driver_of_cuda;
  std::vector<GpuChoice> without;  ///< the containers that offer nothing
  /// Is there anything in it that runs? Where nothing does, every kernel of it fails with error 209 (no
  /// kernel image is available for execution on the device).
  [[nodiscard]] bool runs() const { return native + compiled + linked != 0; }
};
GpuVerdict judge_gpu_code(const GpuContracts& contracts, const GpuCode& code, const GpuDevice& device);

// Which release of a CUDA library a file is, told by the file and what lies around it.
//
// A SONAME tells the major version at best (libcudart.so.12), and a wheel has no other name. So the bytes
// are asked where they can answer; else the package that has installed the file, else its full name.
// Checked on files of CUDA 11.2 to 13.2, cuDNN 8.5 to 9.26, NCCL 2.28 and 2.32, drivers 340 to 555.

/// A version and how we know it.
struct ReportedVersion {
  DottedVersion version;
  Statement proof;  ///< "its code answers 12040 when asked for its version (at file offset 120345)"
  std::optional<std::uint64_t> offset = {};  ///< of what tells, in the library itself
};

struct CudaLibrary {
  std::string family;                     ///< "libcudart", "libcudnn_ops"
  std::string path;                       ///< as asked for
  std::string real;                       ///< without links
  std::string soname;                     ///< empty: none
  DottedVersion version;                  ///< of the library; as exact as it is known; empty: not known
  DottedVersion cuda;                     ///< the CUDA release that it is of; empty: not known
  Statement cuda_proof;                   ///< where its version does not tell that release
  std::vector<ReportedVersion> reported;  ///< all that says something, the surest first
  Statement contradiction;                ///< where the sources differ: which says what
};

/// Reads the file at `path` (absolute). nullopt when it cannot be opened or is not an ELF file.
std::optional<CudaLibrary> read_cuda_library(const FileSystem& files, const std::string& path);

// The driver of the host that an image is to run on: which of its files a container gets, and where.
//
// Sources: libnvidia-container, nvidia-container-toolkit and apptainer; each row of lib/cuda/drivers.toml names the
// file and the release. Nothing is mounted: what is said here is seen through an overlay.

/// What passes the host's driver into the container.
enum class DriverMode : std::uint8_t {
  Toolkit,    ///< nvidia-container-toolkit, libnvidia-container: docker run --gpus
  Cdi,        ///< its CDI specification: --device nvidia.com/gpu=all
  Apptainer,  ///< apptainer --nv
};
std::string_view name_of(DriverMode mode);  ///< "toolkit", "cdi", "apptainer"

/// The host that a file is to run on.
struct DriverSettings {
  /// A directory with a driver's libraries, or the root of a host with one, which a World takes from a file as well (a
  /// snapshot, an image: open_place()); or the release of a driver, "550.54.14", known only from the built-in table;
  /// empty: nothing is passed in.
  std::string driver;
  std::shared_ptr<const FileSystem> files = {};  ///< a tree of the caller's own instead of that directory
  DriverMode mode = DriverMode::Toolkit;
  DottedVersion release = {};  ///< of what passes it in: "1.17.4"; empty: the newest of the built-in table
};

}  // namespace SORESOLVE_API
