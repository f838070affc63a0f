// Pieces of a range, small where most of it is skipped and large where all of it is decompressed.
#include "place/byte_source.h"

#include <algorithm>

namespace soresolve {
namespace {

constexpr std::size_t kSmallPiece = 4096;
constexpr std::size_t kLargePiece = 256 << 10;

}  // namespace

RangeSource::RangeSource(ByteRange range, Pieces pieces)
    : range_(std::move(range)), piece_(pieces == Pieces::Small ? kSmallPiece : kLargePiece) {}

Result<std::span<const std::byte>, Errno> RangeSource::read() {
  const Result<std::size_t, Errno> got = read_range(range_, position_, piece_);
  if (!got) return Unexpected{got.error()};
  position_ += *got;
  return std::span<const std::byte>(piece_).first(*got);
}

std::uint64_t RangeSource::skip(std::uint64_t bytes) {
  const std::uint64_t left = range_.size_bytes - std::min(position_, range_.size_bytes);
  const std::uint64_t skipped = std::min(bytes, left);
  position_ += skipped;
  return skipped;
}

bool RangeSource::seek(std::uint64_t position) {
  if (position > range_.size_bytes) return false;
  position_ = position;
  return true;
}

Result<std::span<const std::byte>, Errno> DigestingSource::read() {
  Result<std::span<const std::byte>, Errno> piece = source_.read();
  if (piece) digest_.add(*piece);
  return piece;
}

std::optional<std::string> DigestingSource::finish() {
  while (true) {
    const Result<std::span<const std::byte>, Errno> piece = read();
    if (!piece) return std::nullopt;
    if (piece->empty()) return digest_.finish();
  }
}

}  // namespace soresolve
