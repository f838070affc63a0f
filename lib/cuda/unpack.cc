// The beginning of a compressed piece of GPU code, by lz4 and zstd. What was read of the layout: LZ4 pieces are raw
// blocks without a frame, zstd pieces are frames.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "cuda/fatbin.h"
#include "soresolve/cuda.h"

#ifdef SORESOLVE_HAS_LZ4
#include <lz4.h>
#endif
#ifdef SORESOLVE_HAS_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

namespace soresolve {
namespace {

Unexpected<Error> refuse(ErrorCode code, std::string_view path, const FatbinEntry& entry, std::string what) {
  return Unexpected{Error{code, std::string(path), entry.payload_offset, std::move(what)}};
}

/// Up to `count` bytes of the piece as it is stored.
Result<std::string> read_stored(const File& file, const FatbinEntry& entry, std::string_view path,
                                std::uint64_t count) {
  std::string bytes(static_cast<std::size_t>(std::min(count, entry.stored_bytes)), '\0');
  const Result<std::size_t, Errno> got = file.read_at(entry.payload_offset, std::as_writable_bytes(std::span(bytes)));
  if (!got) return refuse(ErrorCode::Unreadable, path, entry, errno_text(got.error(), ErrnoText::FromDlerror));
  bytes.resize(*got);
  return bytes;
}

#ifdef SORESOLVE_HAS_LZ4
Result<std::string> unpack_lz4(const File& file, const FatbinEntry& entry, std::string_view path,
                               std::size_t max_bytes) {
  // A block grows by 1/255 at worst, so this input is enough for that output.
  const std::uint64_t wanted =
      std::min<std::uint64_t>(entry.compressed_bytes, 2 * static_cast<std::uint64_t>(max_bytes) + 1024);
  const Result<std::string> stored = read_stored(file, entry, path, wanted);
  if (!stored) return stored;
  const std::size_t room = static_cast<std::size_t>(std::min<std::uint64_t>(max_bytes, entry.uncompressed_bytes));
  std::string unpacked(room, '\0');
  const int size = LZ4_decompress_safe_partial(stored->data(), unpacked.data(), static_cast<int>(stored->size()),
                                               static_cast<int>(room), static_cast<int>(room));
  if (size < 0) return refuse(ErrorCode::Malformed, path, entry, "has a piece of GPU code whose LZ4 block is damaged");
  unpacked.resize(static_cast<std::size_t>(size));
  return unpacked;
}
#endif

#ifdef SORESOLVE_HAS_ZSTD
Result<std::string> unpack_zstd(const File& file, const FatbinEntry& entry, std::string_view path,
                                std::size_t max_bytes) {
  constexpr int kWindowLog = 23;
  static_assert(kMaxGpuWindowBytes == std::size_t{1} << kWindowLog);
  constexpr std::uint64_t kPieceBytes = 64 << 10;
  constexpr std::uint64_t kMaxInputBytes = 1 << 20;  // the first block is at most 128 KiB long
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (stream == nullptr || ZSTD_isError(ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, kWindowLog))) {
    return refuse(ErrorCode::LimitReached, path, entry, "cannot be unpacked: zstd has no room");
  }
  std::string unpacked(max_bytes, '\0');
  ZSTD_outBuffer output{unpacked.data(), unpacked.size(), 0};
  FatbinEntry rest = entry;
  rest.stored_bytes = std::min<std::uint64_t>(entry.compressed_bytes, kMaxInputBytes);
  while (output.pos < output.size && rest.stored_bytes != 0) {
    const Result<std::string> piece = read_stored(file, rest, path, kPieceBytes);
    if (!piece) return piece;
    if (piece->empty()) break;
    ZSTD_inBuffer input{piece->data(), piece->size(), 0};
    while (input.pos < input.size && output.pos < output.size) {
      const std::size_t left = ZSTD_decompressStream(stream.get(), &output, &input);
      if (ZSTD_isError(left)) {
        if (ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge) {
          return refuse(ErrorCode::LimitReached, path, entry,
                        "has a piece of GPU code whose zstd window is larger than " +
                            std::to_string(kMaxGpuWindowBytes) + " bytes");
        }
        return refuse(ErrorCode::Malformed, path, entry, "has a piece of GPU code whose zstd frame is damaged");
      }
      if (left == 0) rest.stored_bytes = piece->size();  // the frame is over
      if (left == 0) break;
    }
    rest.payload_offset += piece->size();
    rest.stored_bytes -= piece->size();
  }
  unpacked.resize(output.pos);
  return unpacked;
}
#endif

}  // namespace

bool can_unpack(GpuCompression compression) {
  switch (compression) {
    case GpuCompression::None: return true;
    case GpuCompression::Lz4:
#ifdef SORESOLVE_HAS_LZ4
      return true;
#else
      return false;
#endif
    case GpuCompression::Zstd:
#ifdef SORESOLVE_HAS_ZSTD
      return true;
#else
      return false;
#endif
  }
  return false;
}

Result<std::string> read_gpu_head(const File& file, const FatbinEntry& entry, std::string_view path,
                                  std::size_t max_bytes) {
  if (entry.compression == GpuCompression::None) return read_stored(file, entry, path, max_bytes);
  if (entry.compressed_bytes == 0 || entry.compressed_bytes > entry.stored_bytes) {
    return refuse(ErrorCode::Malformed, path, entry,
                  "has a piece of GPU code that announces more compressed bytes than it has");
  }
#ifdef SORESOLVE_HAS_LZ4
  if (entry.compression == GpuCompression::Lz4) return unpack_lz4(file, entry, path, max_bytes);
#endif
#ifdef SORESOLVE_HAS_ZSTD
  if (entry.compression == GpuCompression::Zstd) return unpack_zstd(file, entry, path, max_bytes);
#endif
  return refuse(ErrorCode::Unsupported, path, entry,
                "has a piece of GPU code that this soresolve was built without a way to unpack");
}

}  // namespace soresolve
