// Containers of GPU code as nvcc writes them, and ones that lie (see soresolve/cuda.h).
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "soresolve/cuda.h"
#include "support/byte_writer.h"

namespace soresolve::test {

inline constexpr std::uint64_t kPlainGpuFlags = 0x11;  // 64-bit, Linux host

/// One piece of code in a container.
struct GpuPiece {
  std::uint16_t kind = kGpuCubin;
  std::uint32_t arch = 80;
  std::uint64_t flags = kPlainGpuFlags;
  std::uint64_t payload_bytes = 32;
  std::uint64_t unpacked_bytes = 0;
  std::uint32_t header_bytes = 64;
  std::uint16_t major = 1;
  std::uint16_t minor = 8;
  std::uint32_t compressed_bytes = 0;
  std::string payload = {};  ///< the code itself, in place of payload_bytes of anything
};

inline std::string bytes_of(const GpuPiece& piece, std::uint64_t announced_bytes) {
  ByteWriter header(Endian::Little, Bits::Elf64);
  header.u16(piece.kind);
  header.u16(0x101);
  header.u32(piece.header_bytes);
  header.u64(announced_bytes);
  header.u32(piece.compressed_bytes);
  header.u32(0);
  header.u16(piece.minor);
  header.u16(piece.major);
  header.u32(piece.arch);
  header.u64(0);
  header.u64(piece.flags);
  header.u64(0);
  header.u64(piece.unpacked_bytes);
  std::string bytes = header.take();
  bytes.resize(std::max<std::size_t>(piece.header_bytes, bytes.size()));
  return bytes + (piece.payload.empty() ? std::string(piece.payload_bytes, 'c') : piece.payload);
}
inline std::string bytes_of(const GpuPiece& piece) {
  return bytes_of(piece, piece.payload.empty() ? piece.payload_bytes : piece.payload.size());
}

inline std::string container_of(const std::string& payload, std::uint64_t announced_bytes) {
  ByteWriter header(Endian::Little, Bits::Elf64);
  header.u32(0xba55ed50);
  header.u16(1);
  header.u16(16);
  header.u64(announced_bytes);
  return header.take() + payload;
}
inline std::string container_of(const std::vector<GpuPiece>& pieces) {
  std::string payload;
  for (const GpuPiece& piece : pieces) payload += bytes_of(piece);
  return container_of(payload, payload.size());
}

}  // namespace soresolve::test
