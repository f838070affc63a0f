// Which release of a CUDA library a file is: what each kind of file says.
//
// Checked on files of CUDA 11.2 to 13.2, cuDNN 8.5 to 9.26, NCCL 2.28 and 2.32, drivers 340 to 555.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/contracts.h"
#include "soresolve/cuda.h"
#include "soresolve/dotted_version.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Is it one of CUDA, cuDNN, NCCL or the driver, by the family of its name?
bool is_cuda_family(std::string_view family);
/// The same of a file that is open already, which is not opened again; `elf` was read from it.
CudaLibrary read_cuda_library(const FileSystem& files, const std::string& path, const File& file, const ElfObject& elf);
/// The library that a file which is open already is of, with all that tells its CUDA; of libcuda, `told` and `cuda`
/// have what its driver supports, from its own text. nullopt: no ELF file, or not one of CUDA's libraries.
std::optional<CudaLibrary> identify_cuda_library(const FileSystem& files, const std::string& path, const File& file,
                                                 const CudaContracts& contracts);

/// The release that cudaRuntimeGetVersion of this libcudart returns, from its code (x86-64): the one number of the form
/// 1000 * major + 10 * minor that is stored through a function's first argument.
std::optional<ReportedVersion> read_runtime_release(const File& file, const ElfObject& elf);
/// The version that a part of cuDNN carries as data: cudnn_graph_version, cudnn_ops_infer_version, …
std::optional<ReportedVersion> read_cudnn_version(const File& file, const ElfObject& elf, std::string_view path);
/// The release of the compiler inside libnvrtc, libnvJitLink, libnvidia-ptxjitcompiler and, since 450, libcuda.
std::optional<ReportedVersion> read_compiler_release(const File& file);

/// What a driver's libcuda from a cuda-compat package says about where it may be used: its note
/// of the owner "NVIDIA Corporation".
struct ForwardCompatibility {
  DottedVersion cuda;                          ///< that it brings; may be empty
  std::vector<std::uint32_t> driver_branches;  ///< of the host that it accepts; empty: any older one
  std::uint64_t file_offset = 0;               ///< of its text
};
/// nullopt: no such note. Malformed notes count as none.
std::optional<ForwardCompatibility> read_forward_compatibility(const File& file);

}  // namespace soresolve
