// Reads the kernel module's version from /proc or /sys, and the driver's from its file name, note or compiler text.
// Source: README of NVIDIA's Linux driver; CUDA Compatibility guide for forward compatibility; drivers 340 to 555.
// Device nodes are only named here; whether a GPU works is not known from files.
#include "soresolve/cuda.h"

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "cuda/contracts.h"
#include "cuda/cuda_library.h"
#include "cuda/cuda_release.h"
#include "cuda/driver.h"
#include "cuda/stub_sign.h"
#include "loader/load.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kMaxTextBytes = 64 << 10;

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 …" or "… Open Kernel Module for
/// x86_64  555.42.06  Release Build …": the first version behind the words.
std::optional<KernelModule> parse_proc(std::string_view text) {
  constexpr std::string_view kWords = "Kernel Module";
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t words = line.find(kWords);
  if (words == std::string_view::npos) return std::nullopt;
  const bool is_open = line.substr(0, words).ends_with("Open ");
  for (const std::string_view word : words_in(line.substr(words + kWords.size()))) {
    std::optional<DottedVersion> version = parse_dotted(word);
    if (version && version->parts.size() >= 2) return KernelModule{*std::move(version), {}, is_open};
  }
  return std::nullopt;
}

/// The compiler that the driver loads for PTX lies beside it and has its release for a text; libcuda
/// itself has it since 450.
std::optional<ReportedVersion> release_of_compiler(const FileSystem& files, const std::string& real,
                                                   const DottedVersion& driver) {
  if (driver.empty()) return std::nullopt;
  const std::string path = path_in(directory_of(real), "libnvidia-ptxjitcompiler.so." + driver.text);
  const Result<OpenedObject> opened = open_object(files, path, path);
  std::optional<ReportedVersion> reported = opened ? read_compiler_release(*opened->file) : std::nullopt;
  if (reported) reported->proof = say("name-reason", {{"name", path}, {"reason", reported->proof}});
  return reported;
}

}  // namespace

std::optional<KernelModule> read_kernel_module(const FileSystem& files) {
  constexpr std::string_view kProc = "/proc/driver/nvidia/version";
  constexpr std::string_view kSys = "/sys/module/nvidia/version";
  if (const std::optional<std::string> text = read_small_file(files, kProc, kMaxTextBytes)) {
    if (std::optional<KernelModule> module = parse_proc(*text)) {
      module->path = kProc;
      return module;
    }
  }
  const std::optional<std::string> text = read_small_file(files, kSys, kMaxTextBytes);
  std::optional<DottedVersion> version =
      text ? parse_dotted(std::string_view(*text).substr(0, text->find('\n'))) : std::nullopt;
  if (!version) return std::nullopt;
  return KernelModule{*std::move(version), std::string(kSys), false};
}

bool is_gpu_node(std::string_view name) {
  constexpr std::string_view kStart = "nvidia";
  return name.starts_with(kStart) && name.size() > kStart.size() &&
         name.find_first_not_of("0123456789", kStart.size()) == std::string_view::npos;
}

std::optional<DriverLibrary> read_driver_library(const FileSystem& files, const std::string& path,
                                                 const CudaContracts& contracts, Certainty certainty) {
  const Result<OpenedObject> opened = open_object(files, path, path);
  if (!opened) return std::nullopt;
  return read_driver_library(files, read_cuda_library(files, path, *opened->file, opened->elf), *opened->file,
                             opened->elf, contracts, certainty);
}

DriverLibrary read_driver_library(const FileSystem& files, CudaLibrary library, const File& file, const ElfObject& elf,
                                  const CudaContracts& contracts, Certainty certainty) {
  DriverLibrary driver;
  driver.library = std::move(library);
  driver.stub = stub_sign(files, driver.library.path, &elf);
  if (driver.stub) return driver;  // it has no version
  const std::string& real = driver.library.real;
  driver.is_in_compat_folder = directory_of(real).ends_with("/compat") || real.find("/compat/") != std::string::npos;
  // Libraries of WSL and Jetson are libcuda.so.1.1: that is no driver's version.
  if (driver.library.version.major_number() >= 100) driver.version = driver.library.version;
  // An ordinary driver's library is where its package or its container put it, and has no note.
  if (driver.is_in_compat_folder || driver.version.empty()) driver.compatibility = read_forward_compatibility(file);
  const DriverBranch* const branch = driver.version.empty() ? nullptr : find_branch(contracts, driver.version);
  const bool is_read =
      certainty == Certainty::OwnText || branch == nullptr || branch->branch != driver.version.major_number();
  std::optional<ReportedVersion> reported = is_read ? read_compiler_release(file) : std::nullopt;
  if (is_read && !reported) reported = release_of_compiler(files, real, driver.version);
  if (reported) {
    driver.cuda = reported->version.first(2);
    driver.cuda_proof = reported->proof;
  } else if (branch != nullptr) {
    driver.cuda = branch->cuda;
    driver.cuda_proof = say("branch-knows-cuda", {{"branch", branch->branch}, {"source", branch->source}});
  }
  return driver;
}

std::optional<CudaLibrary> identify_cuda_library(const FileSystem& files, const std::string& path, const File& file,
                                                 const CudaContracts& contracts) {
  const Result<ElfObject> elf = ElfObject::read(file, path);
  if (!elf) return std::nullopt;
  CudaLibrary library = read_cuda_library(files, path, file, *elf);
  if (!is_cuda_family(library.family)) return std::nullopt;
  if (library.family != "libcuda") {
    auto release = library.cuda.empty() ? find_cuda_release(files, library, contracts) : std::nullopt;
    if (release) {
      library.cuda = std::move(release->version);
      library.cuda_proof = std::move(release->proof);
    }
    return library;
  }
  const DriverLibrary driver = read_driver_library(files, library, file, *elf, contracts, Certainty::OwnText);
  library.cuda = driver.cuda;
  if (!driver.cuda.empty()) {
    const Statement supports = say("supports-cuda", {{"version", driver.cuda.text}, {"proof", driver.cuda_proof}});
    library.reported.push_back({driver.version, supports});
  }
  return library;
}

CompatFit judge_forward_compatibility(const DriverLibrary& driver, const DottedVersion& module,
                                      const CudaContracts& contracts) {
  if (module.empty()) return CompatFit::Unknown;
  if (driver.version == module) return CompatFit::Accepted;
  const DottedVersion brings =
      driver.compatibility && !driver.compatibility->cuda.empty() ? driver.compatibility->cuda : driver.cuda;
  const DriverBranch* const host = find_branch(contracts, module);
  const bool is_listed = driver.compatibility && !driver.compatibility->driver_branches.empty();
  if (host != nullptr && !brings.empty() && host->cuda >= brings) return CompatFit::Needless;
  if (is_listed) {
    const std::vector<std::uint32_t>& branches = driver.compatibility->driver_branches;
    const bool is_on_list = std::find(branches.begin(), branches.end(), module.major_number()) != branches.end();
    return is_on_list ? CompatFit::Accepted : CompatFit::Refused;
  }
  if (driver.version.empty()) return CompatFit::Unknown;
  return module.major_number() < driver.version.major_number() ? CompatFit::Accepted : CompatFit::Needless;
}

}  // namespace soresolve
