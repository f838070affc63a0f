// For which CUDA is a library made, where its name does not say it?
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cuda/contracts.h"
#include "soresolve/cuda.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// The major release of CUDA that all rows of this SONAME are of: 12 for libcublas.so.12. 0: the name is in no row, or
/// in several releases (libcusparse.so.12 is one of CUDA 12 and of 13).
std::uint32_t cuda_major_of_name(const CudaContracts& contracts, std::string_view soname);

/// 12 of "nvidia-cudnn-cu12"; 0 without such an end.
std::uint32_t cuda_major_of_wheel(std::string_view wheel);

/// The release of the CUDA runtime that is linked into a library, from its code as read_runtime_release() does it
/// (x86-64): the one its makers built it with. Not of cuFFT and cuFile, which carry an older one.
std::optional<ReportedVersion> read_carried_runtime(const File& file, const ElfObject& elf);

/// Which CUDA the library at `real` is made for, as exact as it is known, the surest first: its own SONAME, the names
/// of what it needs, its texts, the wheel or toolkit that it lies in, the runtime that it carries, and of a part of
/// cuDNN without one what lies beside it. `library` was read from it.
std::optional<ReportedVersion> find_cuda_release(const FileSystem& files, const CudaLibrary& library,
                                                 const CudaContracts& contracts);

}  // namespace soresolve
