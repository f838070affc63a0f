// Files of an archive that has to be decompressed: what is asked for is kept for a while.
#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "place/archive_reader.h"
#include "place/byte_source.h"
#include "place/content.h"

namespace soresolve {

/// Larger files are not held whole.
inline constexpr std::uint64_t kWholeEntryBytes = 64 << 20;
inline constexpr std::uint64_t kHeadKeptBytes = 48 << 20;

/// Reads entries of one archive again, as they are asked for: by number, the first is 0. Goes on where it stands as
/// long as it can, and begins anew where it cannot. For several threads.
class UnpackedEntries {
 public:
  UnpackedEntries(ByteRange range, ArchiveKind kind, std::string name);
  ~UnpackedEntries();

  Result<std::size_t, Errno> read_at(std::size_t entry, std::uint64_t offset, std::uint64_t size_bytes,
                                     std::span<std::byte> into);

 private:
  /// Which entry, and which block of it.
  using BlockName = std::pair<std::size_t, std::uint64_t>;
  struct Block {
    BlockName name;
    std::vector<std::byte> bytes;
  };
  Result<std::span<const std::byte>, Errno> block(BlockName name, std::uint64_t size_bytes);
  [[nodiscard]] bool go_to(std::size_t entry);
  [[nodiscard]] bool read_block(std::uint64_t size_bytes);
  [[nodiscard]] bool is_sound(std::size_t entry, std::uint64_t size_bytes);
  void keep(Block block);

  ByteRange range_;
  ArchiveKind kind_;
  std::string name_;
  std::mutex mutex_;
  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<ArchiveReader> reader_;
  std::size_t next_entry_ = 0;            ///< that the reader comes to
  std::uint64_t next_block_ = 0;          ///< of the entry before it
  std::map<std::size_t, bool> is_sound_;  ///< of entries of a zip, as far as they were asked for
  std::list<Block> kept_;                 ///< the last used first
  std::map<BlockName, std::list<Block>::iterator> by_name_;
};

class UnpackedContent final : public Content {
 public:
  UnpackedContent(std::shared_ptr<UnpackedEntries> entries, std::size_t entry, std::uint64_t size_bytes)
      : entries_(std::move(entries)), entry_(entry), size_bytes_(size_bytes) {}
  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    return entries_->read_at(entry_, offset, size_bytes_, into);
  }

 private:
  std::shared_ptr<UnpackedEntries> entries_;
  std::size_t entry_;
  std::uint64_t size_bytes_;
};

}  // namespace soresolve
