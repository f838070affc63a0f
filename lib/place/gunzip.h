// What gzip has packed, with the sums that it ends with: libarchive passes over them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "place/byte_source.h"
#include "soresolve/result.h"

namespace soresolve {

/// Members one behind the other, as gzip(1) takes them; what follows the last one is left. Source: RFC 1952.
class Gunzip {
 public:
  /// The source is borrowed.
  Gunzip(ByteSource& source, std::string name);
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// nullptr: this build has no zlib.
  static std::unique_ptr<Gunzip> make(ByteSource& source, const std::string& name);
  /// The next piece, valid until the next call; empty at the end. Errors: Malformed, also for another CRC-32 or size
  /// than the member's trailer has; Truncated, also within the trailer; Unreadable.
  Result<std::span<const std::byte>> read();
  /// How far the members go in the source, as far as they were read.
  [[nodiscard]] std::uint64_t stored_bytes() const { return stored_bytes_; }

 private:
  struct Stream;
  std::optional<Error> fill();
  [[nodiscard]] Error failure(ErrorCode code, const std::string& words) const;

  ByteSource& source_;
  std::string name_;
  std::unique_ptr<Stream> stream_;
  std::uint64_t stored_bytes_ = 0;
};

}  // namespace soresolve
