// The symbol tables of one object, read piece by piece in ascending order.
//
// Linkers put hash table, symbols, strings, versions and relocations side by side at the front of a
// file. Where they are small they come with one read call; of large ones only the pieces that are
// asked for are read. Nothing is kept but a few windows, whose memory one object after the other
// uses again.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "elf/image_reader.h"
#include "elf/layout.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Symbols, buckets or words of a filter: more in one object are refused. The largest libraries have a tenth.
inline constexpr std::uint64_t kMaxSymbols = 1 << 23;

/// How many of the `size` bytes at `address` the file can fill: a file may claim more than the disk has, with
/// holes for most of it, and no memory is taken for those. A hole counts if it is a mebibyte long.
[[nodiscard]] std::uint64_t filled_bytes(const ImageReader& image, std::uint64_t address, std::uint64_t size);

/// Memory that is read into. Growing it loses what was in it, and clears nothing.
class ReadBuffer {
 public:
  std::byte* at_least(std::size_t size_bytes) {
    if (size_bytes > size_bytes_) {
      bytes_ = std::make_unique_for_overwrite<std::byte[]>(size_bytes);
      size_bytes_ = size_bytes;
    }
    return bytes_.get();
  }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_bytes_ = 0;
};

/// A file of which one region has been read ahead.
class RegionFile final : public File {
 public:
  /// Reads up to `size_bytes` from `offset` into `buffer`, which must outlive the object, as must
  /// `file`.
  RegionFile(const File& file, std::uint64_t offset, std::size_t size_bytes, ReadBuffer& buffer);
  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override;
  [[nodiscard]] std::size_t readable(std::uint64_t offset, std::size_t wanted) const override {
    return file_.readable(offset, wanted);
  }
  /// The bytes at `offset` without a copy; empty where they are not in the region.
  [[nodiscard]] std::span<const std::byte> borrow(std::uint64_t offset, std::size_t size) const;
  /// From where on it was read, and all of it.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return region_; }

 private:
  const File& file_;
  std::uint64_t offset_;
  std::span<const std::byte> region_;
};

/// Memory that readers of one object after the other use.
struct TableScratch {
  ReadBuffer region;
  std::array<ReadBuffer, 6> windows;
};

/// Reads by address. Each table has a window of its own, so that one does not push out another.
class TableReader {
 public:
  enum class Table : std::uint8_t { Hash, Symbols, Strings, Versions, Relocations, Chains };

  /// What is going to be read: decides what is read ahead.
  enum class Purpose : std::uint8_t { All, Definitions, Hashes, Versions };

  TableReader(const File& file, const ElfObject& object, TableScratch& scratch, Purpose purpose = Purpose::All);

  /// The region file: for readers that want a File.
  [[nodiscard]] const File& file() const { return region_; }
  [[nodiscard]] const ImageReader& image() const { return image_; }
  [[nodiscard]] bool is_64() const { return image_.elf_class() == ElfClass::Elf64; }
  [[nodiscard]] std::endian order() const { return image_.order(); }
  [[nodiscard]] AnyLayout layout() const { return {is_64(), order()}; }

  /// `size` bytes at `address`, or fewer where the mapping or the file ends. Valid until the next
  /// call for the same table. `ahead`: how many bytes from `address` on will be asked for next.
  std::span<const std::byte> view(Table table, std::uint64_t address, std::size_t size, std::size_t ahead = 0) {
    const Window& window = windows_[static_cast<std::size_t>(table)];
    const std::uint64_t offset = address - window.start;  // wraps below the window
    if (offset <= window.bytes.size() && size <= window.bytes.size() - offset) {
      return {window.bytes.data() + offset, size};
    }
    return move_window(table, address, size, ahead);
  }

  /// Where the byte at `address`, which the last view() of the table began with, lies in the file; 0 for
  /// zeros that it has no place for.
  [[nodiscard]] std::uint64_t file_offset_of(Table table, std::uint64_t address) const {
    const Window& window = windows_[static_cast<std::size_t>(table)];
    return window.is_zero_fill ? 0 : window.file_offset + (address - window.start);
  }

  /// What is in memory of the `size` bytes at `address`; nothing unless the first one is.
  [[nodiscard]] std::span<const std::byte> in_window(Table table, std::uint64_t address, std::size_t size) const {
    const Window& window = windows_[static_cast<std::size_t>(table)];
    const std::uint64_t offset = address - window.start;
    if (offset >= window.bytes.size()) return {};
    const std::span<const std::byte> rest = window.bytes.subspan(static_cast<std::size_t>(offset));
    return rest.first(std::min(size, rest.size()));
  }

  /// The string at `address`; nullopt where it leaves the mapping or is longer than
  /// kMaxStringBytes. Valid until the next call for Table::Strings.
  std::optional<std::string_view> string_at(std::uint64_t address);

  /// Reads the strings that begin in [first, last] ahead, if that is not more than a window.
  void bring_strings(std::uint64_t first, std::uint64_t last);

 private:
  struct Window {
    std::uint64_t start = 0;
    std::span<const std::byte> bytes;
    std::uint64_t file_offset = 0;
    bool is_zero_fill = false;
  };
  std::span<const std::byte> move_window(Table table, std::uint64_t address, std::size_t size, std::size_t ahead);
  bool use_region(Window& window, const ImageReader::Place& place, std::uint64_t address, std::size_t size);
  std::span<const std::byte> fill_window(Window& window, std::size_t slot, const ImageReader::Place& place,
                                         std::uint64_t address, std::size_t length);
  std::span<const std::byte> cross_segments(Window& window, std::size_t slot, const ImageReader::Place& place,
                                            std::uint64_t address, std::size_t size);
  static RegionFile open_region(const File& file, const ElfObject& object, const ImageReader& image,
                                TableScratch& scratch, Purpose purpose);

  ImageReader image_;
  RegionFile region_;
  TableScratch& scratch_;
  std::array<Window, 6> windows_;
};

}  // namespace soresolve
