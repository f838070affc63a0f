// What is known of CUDA and of GPU code: releases, drivers, containers of code, contracts. Each part names its source.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/dotted_version.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"

// GPU code inside a file: CUDA fat binary containers, wherever they stand.
//
// Source: the layout as nvcc writes it and the CUDA driver reads it; NVIDIA documents it in parts only
// (cuobjdump's output, fatbinary.h). What is known of it was checked on files of CUDA 11.2 to 13.0.

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

enum class GpuCompression : std::uint8_t { None, Lz4, Zstd };

/// One piece of code.
struct FatbinEntry {
  GpuTarget target;
  std::uint64_t file_offset = 0;         ///< of its header
  std::uint64_t payload_offset = 0;      ///< of the code
  std::uint64_t compressed_bytes = 0;    ///< of the code, without padding; 0 if it is not compressed
  std::uint64_t stored_bytes = 0;        ///< payload in the file, padding included
  std::uint64_t uncompressed_bytes = 0;  ///< as stored if it is not compressed
  std::uint64_t flags = 0;
  GpuCompression compression = GpuCompression::None;
};

struct FatbinContainer {
  std::uint64_t file_offset = 0;
  std::uint64_t payload_bytes = 0;
  std::vector<FatbinEntry> entries;
};

/// Finds all containers of a file, in their order, and calls visit for each. The file is read once, in
/// pieces; code is passed over unread. A container that contradicts itself goes to `damaged`, with what
/// could be read of it in front of the damage, and the search goes on inside it. Errors: Unreadable; LimitReached for
/// files made to be slow.
std::optional<Error> for_each_fatbin(const File& file, std::string_view path,
                                     const std::function<void(const FatbinContainer&)>& visit,
                                     const std::function<void(const Error&)>& damaged);

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

/// Can pieces that are compressed this way be unpacked? (A matter of how soresolve was built.)
bool can_unpack(GpuCompression compression);

/// The first bytes of a piece of code, unpacked: at most `max_bytes`, with memory in proportion to that and to
/// kMaxGpuWindowBytes, whatever the piece claims. Errors: Unsupported (cannot be unpacked here), LimitReached (a window
/// that is too large), Malformed, Unreadable.
Result<std::string> read_gpu_head(const File& file, const FatbinEntry& entry, std::string_view path,
                                  std::size_t max_bytes);
inline constexpr std::size_t kMaxGpuWindowBytes = 8u << 20;

/// What pieces say of themselves once they are unpacked, compared with the headers before them.
struct GpuInside {
  std::uint64_t agreeing = 0;  ///< native code by its e_flags, PTX by its .version and .target
  std::uint64_t differing = 0;
  std::uint64_t not_unpacked = 0;  ///< compressed in a way that is not built in, or with too large a window
  std::uint64_t not_judged = 0;    ///< LTO-IR, other kinds, cubins of unknown flags
  std::uint64_t damaged = 0;       ///< what is compressed cannot be unpacked, or is no code
  std::vector<Error> told;         ///< the first that differ or are damaged
};
Result<GpuInside> look_inside_gpu_code(const File& file, std::string_view path);

}  // namespace SORESOLVE_API

// What CUDA's parts promise each other: releases, drivers, cuDNN, frameworks, library names.
//
// Rows of the tables in lib/cuda/contracts.json; each says where it is from. What a row stands on is
// told with every verdict that uses it.

namespace soresolve SORESOLVE_API {

/// A compute capability: 8.9 is {8, 9}.
struct ComputeCapability {
  int major_number = 0;
  int minor_number = 0;
  auto operator<=>(const ComputeCapability&) const = default;
  [[nodiscard]] std::string to_string() const;
  /// 89 for 8.9, 120 for 12.0: as in sm_89 and in fat binaries.
  [[nodiscard]] std::uint32_t arch() const;
};

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

}  // namespace SORESOLVE_API

// What is known about GPUs and the tools that make code for them: data, each row with its source.
//
// The rows are in lib/cuda/contracts.json, which is compiled in; a file of the same form can replace and
// add rows without a new build.

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

// Which release of a CUDA library a file is, told by the file and what lies around it.
//
// A SONAME tells the major version at best (libcudart.so.12), and a wheel has no other name. So the bytes
// are asked where they can answer; else the package that has installed the file, else its full name.
// Checked on files of CUDA 11.2 to 13.2, cuDNN 8.5 to 9.26, NCCL 2.28 and 2.32, drivers 340 to 555.

namespace soresolve SORESOLVE_API {

/// A version and how we know it.
struct ToldVersion {
  DottedVersion version;
  Statement proof;  ///< "its code answers 12040 when asked for its version (at file offset 120345)"
  std::optional<std::uint64_t> offset = {};  ///< of what tells, in the library itself
};

struct CudaLibrary {
  std::string family;             ///< "libcudart", "libcudnn_ops"
  std::string path;               ///< as asked for
  std::string real;               ///< without links
  std::string soname;             ///< empty: none
  DottedVersion version;          ///< of the library; as exact as it is known; empty: not known
  DottedVersion cuda;             ///< the CUDA release that it is of; empty: not known
  Statement cuda_proof;           ///< where its version does not tell that release
  std::vector<ToldVersion> told;  ///< all that says something, the surest first
  Statement contradiction;        ///< where the sources differ: which says what
};

/// Is it one of CUDA, cuDNN, NCCL or the driver, by the family of its name?
bool is_cuda_family(std::string_view family);

/// Reads the file at `path` (absolute). nullopt when it cannot be opened or is not an ELF file.
std::optional<CudaLibrary> read_cuda_library(const FileSystem& files, const std::string& path);
/// The same of a file that is open already, which is not opened again; `elf` was read from it.
CudaLibrary read_cuda_library(const FileSystem& files, const std::string& path, const File& file, const ElfObject& elf);

/// The release that cudaRuntimeGetVersion of this libcudart returns, from its code (x86-64): the one number of the form
/// 1000 * major + 10 * minor that is stored through a function's first argument.
std::optional<ToldVersion> read_runtime_release(const File& file, const ElfObject& elf);
/// The version that a part of cuDNN carries as data: cudnn_graph_version, cudnn_ops_infer_version, …
std::optional<ToldVersion> read_cudnn_version(const File& file, const ElfObject& elf, std::string_view path);
/// The release of the compiler inside libnvrtc, libnvJitLink, libnvidia-ptxjitcompiler and, since 450, libcuda.
std::optional<ToldVersion> read_compiler_release(const File& file);

/// What a driver's libcuda from a cuda-compat package says about where it may be used: its note
/// of the owner "NVIDIA Corporation".
struct ForwardCompatibility {
  DottedVersion cuda;                          ///< that it brings; may be empty
  std::vector<std::uint32_t> driver_branches;  ///< of the host that it accepts; empty: any older one
  std::uint64_t file_offset = 0;               ///< of its text
};
/// nullopt: no such note. Malformed notes count as none.
std::optional<ForwardCompatibility> read_forward_compatibility(const File& file);

}  // namespace SORESOLVE_API

// The NVIDIA driver of a machine, told by files alone: its kernel module and its user-space library.
//
// Sources: the README of NVIDIA's Linux driver ("proc" interface); what is known of the library was
// measured on the drivers 340 to 555.

namespace soresolve SORESOLVE_API {

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
/// The library that a file which is open already is of, with all that tells its CUDA; of libcuda, `told` and `cuda`
/// have what its driver supports, from its own text. nullopt: no ELF file, or not one of CUDA's libraries.
std::optional<CudaLibrary> identify_cuda_library(const FileSystem& files, const std::string& path, const File& file,
                                                 const CudaContracts& contracts);
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

}  // namespace SORESOLVE_API

// For which CUDA a framework that lies in a Python environment was built, told by its files.

namespace soresolve SORESOLVE_API {

struct InstalledFramework {
  std::string name;          ///< "torch", "tensorflow", "onnxruntime"
  std::string site;          ///< the site directory
  std::string told_by;       ///< path of the file that tells
  std::string version;       ///< "2.5.1+cu124"
  DottedVersion release;     ///< "2.5.1"
  DottedVersion cuda;        ///< that it was built with; empty: none, or not told
  DottedVersion cudnn;       ///< likewise, where the file tells it
  bool is_for_cuda = false;  ///< built for CUDA, whichever
};

/// torch below `site` (absolute): torch/version.py, as torch's build writes it.
std::optional<InstalledFramework> read_torch_build(const FileSystem& files, const std::string& site);
/// TensorFlow: tensorflow/python/platform/build_info.py.
std::optional<InstalledFramework> read_tensorflow_build(const FileSystem& files, const std::string& site);

/// What a text file of a framework says of its build. `NAME = 'TEXT'` or `'NAME': 'TEXT'`; an empty name is not looked
/// for.
struct BuildFacts {
  std::string version;
  DottedVersion cuda;
  DottedVersion cudnn;
};
BuildFacts read_build_facts(const FileSystem& files, const std::string& path, std::string_view version_name,
                            std::string_view cuda_name, std::string_view cudnn_name);

/// The site directory of a torch library: what stands before torch/lib/NAME; empty for others.
std::string torch_site_of(std::string_view real_path);

}  // namespace SORESOLVE_API

// The driver of the host that an image is to run on: which of its files a container gets, and where.
//
// Sources: libnvidia-container, nvidia-container-toolkit and apptainer; each row of lib/cuda/drivers.toml names the
// file and the release. Nothing is mounted: what is said here is seen through an overlay.

namespace soresolve SORESOLVE_API {

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

/// "toolkit", "cdi" or "apptainer", and with "=1.17.4" its release, into `settings`. Errors: Usage.
Result<DriverSettings> with_driver_mode(DriverSettings settings, std::string_view word);

/// One library of the host in the container.
struct PassedLibrary {
  std::string path;    ///< in the container
  std::string source;  ///< on the host, below what was named
};

/// A library of the host that stays outside.
struct WithheldLibrary {
  std::string name;        ///< its file name on the host
  std::string soname;      ///< may be empty
  std::string_view lacks;  ///< the capability that it takes: "utility"; empty: no rule passes it in
};

/// A libcuda that lies in the image, though it is part of a driver.
struct OwnDriverLibrary {
  std::string path;
  DottedVersion version;  ///< by its name
};

/// The image's own libcuda of a cuda-compat package, beside the host's.
struct CompatChoice {
  std::string directory;  ///< without links
  DottedVersion version;  ///< of its libcuda; empty: unknown
  bool is_enabled = false;
  Statement reason;  ///< the rule that decides
};

/// What a container gets from its host's driver.
struct DriverMount {
  DriverMode mode = DriverMode::Toolkit;
  DottedVersion rules;                    ///< the release whose rules were followed
  std::string source;                     ///< where those rules stand
  DottedVersion version;                  ///< of the driver
  std::string place;                      ///< the directory that was named; empty: rows alone tell of the driver
  std::vector<std::string> capabilities;  ///< NVIDIA_DRIVER_CAPABILITIES, where they count
  std::vector<PassedLibrary> libraries;   ///< by path
  std::vector<WithheldLibrary> withheld;  ///< by name
  std::vector<OwnDriverLibrary> own;      ///< of the image, outside of cuda-compat; by path
  std::vector<std::string> foreign;       ///< CUDA libraries of no driver in a directory that is for one; by path
  std::optional<CompatChoice> compat;
  bool is_cache_rebuilt = false;            ///< ldconfig ran
  std::optional<std::string> library_path;  ///< what LD_LIBRARY_PATH becomes
  std::vector<Statement> notes;             ///< what else was assumed
  /// The files of the same container, started with other NVIDIA_DRIVER_CAPABILITIES. Errors: as mount_driver().
  std::function<Result<std::shared_ptr<const FileSystem>>(const std::string& capabilities)> files_with = {};

  [[nodiscard]] bool is_assumed() const { return place.empty(); }
  /// The library that was passed in to `path` (without links); nullptr: none.
  [[nodiscard]] const PassedLibrary* find(std::string_view path) const;
};

/// May a library of that SONAME and driver export the function, where the library is known by rows only? Of libcuda
/// rows have the names of nine drivers; of others none.
bool may_export(const DottedVersion& driver, std::string_view soname, std::string_view symbol);

}  // namespace SORESOLVE_API
