// GPU code inside a file, piece by piece: CUDA fat binary containers, wherever they stand.
//
// Source: the layout as nvcc writes it and the CUDA driver reads it; NVIDIA documents it in parts only
// (cuobjdump's output, fatbinary.h). What is known of it was checked on files of CUDA 11.2 to 13.0.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/cuda.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

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
  std::vector<Error> reported;     ///< the first that differ or are damaged
};
Result<GpuInside> look_inside_gpu_code(const File& file, std::string_view path);

}  // namespace soresolve
