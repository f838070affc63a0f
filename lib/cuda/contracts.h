// What is known about GPUs and CUDA's releases, drivers, cuDNN, frameworks and library names: data, each row with its
// source.
//
// The rows are in lib/cuda/contracts.json, which is compiled in; a file of the same form can replace and add rows
// without a new build. The source of a row is reported with every verdict that uses it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/cuda.h"
#include "soresolve/dotted_version.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

/// A release of the CUDA toolkit and the driver that came with it: with that one or a newer one
/// everything of it works.
struct CudaToolkit {
  DottedVersion release;  ///< "12.4"
  std::string update;     ///< "U1"; empty: the first one
  DottedVersion driver;   ///< Linux x86-64
  std::string source;
  bool operator==(const CudaToolkit&) const = default;
};

/// The oldest driver on which programs of any release of a major version of CUDA run (minor-version
/// compatibility); what is new in later releases may still be refused.
struct MinorCompatibility {
  std::uint32_t cuda_major = 0;
  DottedVersion driver;
  std::string source;
  bool operator==(const MinorCompatibility&) const = default;
};

/// The newest CUDA that a branch of the driver knows: what cuDriverGetVersion answers.
struct DriverBranch {
  std::uint32_t branch = 0;  ///< 535 of 535.261.03
  DottedVersion cuda;
  std::string source;
  bool operator==(const DriverBranch&) const = default;
};

/// The last branch of the driver that still drives these chips.
struct LastBranch {
  ComputeCapability from;
  ComputeCapability to;
  std::uint32_t branch = 0;
  std::string source;
  bool operator==(const LastBranch&) const = default;
};

/// With which CUDA, driver and chips a range of cuDNN releases works.
struct CudnnSupport {
  DottedVersion from;  ///< first and last release of cuDNN
  DottedVersion to;
  DottedVersion cuda_from;
  DottedVersion cuda_to;
  DottedVersion driver;  ///< at least; empty: not told
  std::optional<ComputeCapability> capability_from;
  std::optional<ComputeCapability> capability_to;
  std::string source;
  bool operator==(const CudnnSupport&) const = default;
};

/// A sub-library that cuDNN opens by itself.
struct CudnnPart {
  std::uint32_t major_number = 0;  ///< of cuDNN
  std::string soname;
  DottedVersion since;  ///< empty: from the first release of that major version on
  std::string source;
  bool operator==(const CudnnPart&) const = default;
};

/// A build of a framework as its project publishes it.
struct FrameworkBuild {
  std::string name;       ///< "torch"
  DottedVersion release;  ///< "2.5"
  DottedVersion cuda;
  DottedVersion cudnn;                          ///< empty: not told
  std::vector<ComputeCapability> capabilities;  ///< with native code in it; empty: not told
  std::optional<ComputeCapability> ptx;         ///< with PTX
  std::string backend;                          ///< "cu126": the newest wheels of the index of this name; else empty
  std::string source;
  bool operator==(const FrameworkBuild&) const = default;
};

/// The name that a library has in a range of CUDA releases.
struct CudaLibraryName {
  std::string soname;
  DottedVersion from;
  DottedVersion to;
  std::string node;  ///< its version node; empty: it has none
  std::string source;
  bool operator==(const CudaLibraryName&) const = default;
};

struct CudaContracts {
  std::vector<CudaToolkit> toolkits;                    ///< by release, then driver
  std::vector<MinorCompatibility> minor_compatibility;  ///< by major version
  std::vector<DriverBranch> driver_branches;            ///< by branch
  std::vector<LastBranch> last_branches;
  std::vector<CudnnSupport> cudnn_support;  ///< by release
  std::vector<CudnnPart> cudnn_parts;
  std::vector<FrameworkBuild> frameworks;  ///< by name, release, CUDA
  std::vector<CudaLibraryName> libraries;
  bool operator==(const CudaContracts&) const = default;
};

/// The CUDA that a driver knows, by its branch: the row itself or the newest older branch. Null for one
/// older than all rows.
const DriverBranch* find_branch(const CudaContracts& contracts, const DottedVersion& driver);

/// The driver that came with the first package of a release. Null if no row has that release.
const CudaToolkit* find_toolkit(const CudaContracts& contracts, const DottedVersion& release);

enum class RuntimeFit : std::uint8_t {
  Full,     ///< the driver knows this release of CUDA
  Minor,    ///< it is older, but new enough for the major version; what is newer than it fails one by one
  Refused,  ///< error 35, the driver version is insufficient
  Unknown,  ///< no row has it
};

/// May a runtime of `release` run on a driver that knows `driver_cuda` and is `driver`? (Either may be
/// empty.) With the row that decides.
struct RuntimeVerdict {
  RuntimeFit fit = RuntimeFit::Unknown;
  std::string needs;  ///< "driver 525.60.13 or newer", "CUDA 10.2 or newer"; empty for Full
  std::string source;
};
RuntimeVerdict judge_runtime(const CudaContracts& contracts, const DottedVersion& release, const DottedVersion& driver,
                             const DottedVersion& driver_cuda);

/// The oldest driver that runs programs of this release of CUDA; empty if no row has it.
DottedVersion oldest_driver(const CudaContracts& contracts, const DottedVersion& release);

/// Rows of that framework and release (2.5 for 2.5.1), for that CUDA if it is not empty.
std::vector<const FrameworkBuild*> find_builds(const CudaContracts& contracts, std::string_view name,
                                               const DottedVersion& release, const DottedVersion& cuda);

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

/// Rows in the form of lib/cuda/contracts.json, put over `base`: one with a known key replaces that row.
/// Errors: Malformed, with the line or the row and what is wrong with it (a row without a source, too).
Result<GpuContracts> read_contracts(std::string_view json, std::string_view path, const GpuContracts& base);
/// The same from the file `path` (absolute), `shown` in errors. Further errors: Unreadable, LimitReached.
Result<GpuContracts> read_contracts_file(const FileSystem& files, std::string_view path, std::string_view shown,
                                         const GpuContracts& base);

/// How code gets to run on a device, the better way first.
enum class GpuRun : std::uint8_t {
  Native,    ///< as it is
  Compiled,  ///< PTX, which the driver compiles
  Linked,    ///< LTO-IR, which nvJitLink has to link first
  Not,
};
std::string_view name_of(GpuRun run);
GpuRun how_it_runs(const GpuContracts& contracts, const GpuTarget& target, ComputeCapability device);

}  // namespace soresolve
