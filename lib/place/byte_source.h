// Where an archive's bytes come from, in pieces.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "place/content.h"

namespace soresolve {

/// Read from the front to the back by one reader.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The next piece, valid until the next call; empty at the end.
  [[nodiscard]] virtual Result<std::span<const std::byte>, Errno> read() = 0;
  /// Goes forward without reading, as far as that is possible; by how many bytes.
  [[nodiscard]] virtual std::uint64_t skip(std::uint64_t bytes) = 0;
  /// Goes anywhere; false: it cannot.
  [[nodiscard]] virtual bool seek(std::uint64_t position) = 0;
  [[nodiscard]] virtual std::optional<std::uint64_t> size_bytes() const = 0;
};

/// Reads a range piece by piece; what is skipped is not read.
class RangeSource final : public ByteSource {
 public:
  enum class Pieces : std::uint8_t {
    Small,  ///< headers are wanted, and what lies between them is skipped
    Large,  ///< all of it is wanted
  };
  RangeSource(ByteRange range, Pieces pieces);
  Result<std::span<const std::byte>, Errno> read() override;
  std::uint64_t skip(std::uint64_t bytes) override;
  bool seek(std::uint64_t position) override;
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const override { return range_.size_bytes; }

 private:
  ByteRange range_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> piece_;
};

/// Counts what passes, and makes its SHA-256. It has no other way than forward.
class DigestingSource final : public ByteSource {
 public:
  explicit DigestingSource(ByteSource& source) : source_(source) {}
  Result<std::span<const std::byte>, Errno> read() override;
  std::uint64_t skip(std::uint64_t) override { return 0; }
  bool seek(std::uint64_t) override { return false; }
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const override { return source_.size_bytes(); }
  /// Reads what is left; nullopt: that failed. In hexadecimal. Once.
  [[nodiscard]] std::optional<std::string> finish();

 private:
  ByteSource& source_;
  Digest digest_{DigestKind::Sha256};
};

}  // namespace soresolve
