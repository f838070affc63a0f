// Reads of parts of files. What is kept of a file answers only where it has all that is asked for: a short read means
// the end of a file to those who read.
#include "place/content.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace soresolve {

Result<std::size_t, Errno> read_range(const ByteRange& range, std::uint64_t offset, std::span<std::byte> into) {
  if (offset >= range.size_bytes) return std::size_t{0};
  const std::uint64_t left = range.size_bytes - offset;
  if (into.size() > left) into = into.first(static_cast<std::size_t>(left));
  return range.file->read_at(range.offset + offset, into);
}

const KeptContent::Part* KeptContent::part_at(std::uint64_t offset) const {
  const auto behind = std::upper_bound(parts_.begin(), parts_.end(), offset,
                                       [](std::uint64_t position, const Part& part) { return position < part.offset; });
  if (behind == parts_.begin()) return nullptr;
  const Part& part = *std::prev(behind);
  return offset - part.offset < part.bytes.size() ? &part : nullptr;
}

std::size_t KeptContent::readable(std::uint64_t offset, std::size_t wanted) const {
  const Part* const part = part_at(offset);
  if (part == nullptr) return wanted;
  const std::uint64_t at_hand = part->offset + part->bytes.size() - offset;
  return static_cast<std::size_t>(std::min<std::uint64_t>(wanted, at_hand));
}

Result<std::size_t, Errno> KeptContent::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  if (offset >= size_bytes_) return std::size_t{0};
  const std::uint64_t wanted = std::min<std::uint64_t>(into.size(), size_bytes_ - offset);
  const Part* const part = part_at(offset);
  if (part == nullptr || part->offset + part->bytes.size() - offset < wanted) {
    return rest_->read_at(offset, into.first(static_cast<std::size_t>(wanted)));
  }
  std::memcpy(into.data(), part->bytes.data() + (offset - part->offset), static_cast<std::size_t>(wanted));
  return static_cast<std::size_t>(wanted);
}

}  // namespace soresolve
