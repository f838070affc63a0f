// SHA-256 and MD5 of files, as package managers record them. For comparing with what a record says, not for secrecy.
//
// Sources: FIPS 180-4 (SHA-256), RFC 1321 (MD5). Not here: any other digest, signatures.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "soresolve/file_system.h"

namespace soresolve {

enum class DigestKind : std::uint8_t { Md5, Sha256 };

/// Takes bytes in pieces of any size.
class Digest {
 public:
  explicit Digest(DigestKind kind);
  void add(std::span<const std::byte> bytes);
  /// In hexadecimal, lower case. Nothing can be added afterwards.
  [[nodiscard]] std::string finish();

 private:
  static constexpr std::size_t kBlockBytes = 64;
  void take(const std::byte* blocks, std::size_t count);
  void take_sha256(const std::byte* block);
  void take_md5(const std::byte* block);

  DigestKind kind_;
  std::array<std::uint32_t, 8> state_{};
  std::array<std::byte, kBlockBytes> block_{};
  std::size_t in_block_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Of the whole content. Errors: those of reading.
Result<std::string, Errno> read_digest(const File& file, DigestKind kind);

}  // namespace soresolve
