// What is unpacked a second time: blocks of a mebibyte are kept, the last used ones; each look into an archive that has
// to be decompressed goes forward from where the last one ended. Not here: what the first pass keeps (archive_tree.cc).
#include "place/unpacked_entries.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/path_walk.h"

namespace soresolve {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::size_t kMostBlocks = 192;

}  // namespace

UnpackedEntries::UnpackedEntries(ByteRange range, ArchiveKind kind, std::string name)
    : range_(std::move(range)), kind_(kind), name_(std::move(name)) {}
UnpackedEntries::~UnpackedEntries() = default;

/// So that the next read_block() gives the entry's first bytes.
bool UnpackedEntries::go_to(std::size_t entry) {
  if (!reader_ || next_entry_ > entry) {
    reader_.reset();
    const bool is_zip = kind_.format == ArchiveFormat::Zip;
    source_ = std::make_unique<RangeSource>(range_, is_zip ? RangeSource::Pieces::Small : RangeSource::Pieces::Large);
    reader_ = std::make_unique<ArchiveReader>(*source_, kind_, name_);
    next_entry_ = 0;
  }
  while (next_entry_ <= entry) {
    const Result<std::optional<ArchiveEntry>> next = reader_->next();
    if (!next || !*next) {
      reader_.reset();
      return false;
    }
    ++next_entry_;
  }
  next_block_ = 0;
  return true;
}

void UnpackedEntries::keep(Block block) {
  const BlockName name = block.name;
  if (const auto there = by_name_.find(name); there != by_name_.end()) {
    kept_.splice(kept_.begin(), kept_, there->second);
    return;
  }
  kept_.push_front(std::move(block));
  by_name_[name] = kept_.begin();
  if (kept_.size() <= kMostBlocks) return;
  by_name_.erase(kept_.back().name);
  kept_.pop_back();
}

/// The next block of the entry that the reader stands in.
bool UnpackedEntries::read_block(std::uint64_t size_bytes) {
  const std::uint64_t offset = next_block_ * kBlockBytes;
  Block block{
      {next_entry_ - 1, next_block_},
      std::vector<std::byte>(static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, size_bytes - offset)))};
  const Result<std::size_t> got = reader_->read(block.bytes);
  if (!got || *got == 0) {
    reader_.reset();
    return false;
  }
  block.bytes.resize(*got);
  ++next_block_;
  keep(std::move(block));
  return true;
}

/// The sum of a zip's entry is compared at its end. Of an ELF file much is never read, so it is read once for that.
bool UnpackedEntries::is_sound(std::size_t entry, std::uint64_t size_bytes) {
  if (kind_.format != ArchiveFormat::Zip) return true;
  const auto [known, is_new] = is_sound_.try_emplace(entry, false);
  if (!is_new) return known->second;
  if (!go_to(entry) || !read_block(size_bytes)) return false;
  const std::vector<std::byte>& first = by_name_.at({entry, 0})->bytes;
  const bool is_elf = first.size() >= 4 && std::memcmp(first.data(),
                                                       "\x7f"
                                                       "ELF",
                                                       4) == 0;
  while (is_elf && next_block_ * kBlockBytes < size_bytes) {
    if (!read_block(size_bytes)) return false;
  }
  return known->second = true;
}

Result<std::span<const std::byte>, Errno> UnpackedEntries::block(BlockName name, std::uint64_t size_bytes) {
  if (const auto there = by_name_.find(name); there != by_name_.end()) {
    kept_.splice(kept_.begin(), kept_, there->second);
    return std::span<const std::byte>(there->second->bytes);
  }
  const bool stands_before = reader_ && next_entry_ == name.first + 1 && next_block_ <= name.second;
  if (!stands_before && !go_to(name.first)) return fail(EIO);
  while (next_block_ <= name.second) {
    if (!read_block(size_bytes)) return fail(EIO);
  }
  return std::span<const std::byte>(by_name_.at(name)->bytes);
}

Result<std::size_t, Errno> UnpackedEntries::read_at(std::size_t entry, std::uint64_t offset, std::uint64_t size_bytes,
                                                    std::span<std::byte> into) {
  if (offset >= size_bytes) return std::size_t{0};
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), size_bytes - offset)));
  const std::lock_guard lock(mutex_);
  if (!is_sound(entry, size_bytes)) return fail(EIO);
  std::size_t done = 0;
  while (done < into.size()) {
    const std::uint64_t at = offset + done;
    const Result<std::span<const std::byte>, Errno> bytes = block({entry, at / kBlockBytes}, size_bytes);
    if (!bytes) return Unexpected{bytes.error()};
    const std::size_t within = static_cast<std::size_t>(at % kBlockBytes);
    if (within >= bytes->size()) break;
    const std::size_t count = std::min(into.size() - done, bytes->size() - within);
    std::memcpy(into.data() + done, bytes->data() + within, count);
    done += count;
  }
  return done;
}

}  // namespace soresolve
