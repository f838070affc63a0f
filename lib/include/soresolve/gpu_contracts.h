// What is known about GPUs and the tools that make code for them: data, each row with its source.
//
// The rows are in lib/cuda/contracts.json, which is compiled in; a file of the same form can replace and
// add rows without a new build.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/cuda_contracts.h"
#include "soresolve/fatbin.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve SORESOLVE_API {

/// "8.9", "89", "sm_89", "compute_120"; nullopt for anything else.
std::optional<ComputeCapability> parse_capability(std::string_view text);

struct GpuChip {
  ComputeCapability capability;
  std::string architecture;
  std::vector<std::string> boards;  ///< names, and ranges: "RTX 4050 to 4090", "GTX 10xx"
  std::string first_toolkit;        ///< the first CUDA release that makes code for it
  std::string last_toolkit;         ///< the last; "current"
  std::string source;
  bool operator==(const GpuChip&) const = default;
};

/// Which CUDA release knows a version of PTX: a driver of that release compiles it.
struct PtxRelease {
  std::uint16_t isa_major = 0;
  std::uint16_t isa_minor = 0;
  std::string cuda;
  std::string source;
  bool operator==(const PtxRelease&) const = default;
};

struct GpuContracts {
  std::map<std::string, std::string> sources;            ///< what the short names stand for
  std::vector<GpuChip> chips;                            ///< by capability
  std::vector<PtxRelease> ptx_releases;                  ///< by version
  std::vector<std::vector<ComputeCapability>> families;  ///< chips that run each other's 'f' code
  CudaContracts cuda;                                    ///< releases, drivers, cuDNN, frameworks
  bool operator==(const GpuContracts&) const = default;
};

/// What is compiled in.
const GpuContracts& built_in_contracts();

/// Rows in the form of lib/cuda/contracts.json, put over `base`: one with a known key replaces that row.
/// Errors: Malformed, with the line or the row and what is wrong with it (a row without a source, too).
Result<GpuContracts> read_contracts(std::string_view json, std::string_view path, const GpuContracts& base);
/// The same from the file `path` (absolute), `shown` in errors. Further errors: Unreadable, LimitReached.
Result<GpuContracts> read_contracts_file(const FileSystem& files, std::string_view path, std::string_view shown,
                                         const GpuContracts& base);

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

/// How code gets to run on a device, the better way first.
enum class GpuRun : std::uint8_t {
  Native,    ///< as it is
  Compiled,  ///< PTX, which the driver compiles
  Linked,    ///< LTO-IR, which nvJitLink has to link first
  Not,
};
std::string_view name_of(GpuRun run);
GpuRun how_it_runs(const GpuContracts& contracts, const GpuTarget& target, ComputeCapability device);

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

}  // namespace SORESOLVE_API
