// The symbol tables of one object, read piece by piece in ascending order.
//
// Linkers put hash table, symbols, strings, versions and relocations side by side at the front of a
// file. Where they are small they come with one read call; of large ones only the pieces that are
// asked for are read. Nothing is kept but a few windows, whose memory one object after the other
// uses again.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "elf/image_reader.h"
#include "elf/layout.h"
#include "soresolve/elf_object.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Symbols, buckets or words of a filter: more in one object are refused. The largest libraries have a tenth.
inline constexpr std::uint64_t kMaxSymbols = 1 << 23;

/// How many of the `size` bytes at `address` the file can fill: a file may claim more than the disk has, with
/// holes for most of it, and no memory is taken for those. A hole counts if it is a mebibyte long.
[[nodiscard]] std::uint64_t filled_bytes(const ImageReader& image, std::uint64_t address, std::uint64_t size);

/// A file of which one region has been read ahead.
class RegionFile final : public File {
 public:
  /// Reads up to `size_bytes` from `offset` into `buffer`, which must outlive the object, as must
  /// `file`.
  RegionFile(const File& file, std::uint64_t offset, std::size_t size_bytes, std::vector<std::byte>& buffer);
  Result<std::size_t, Errno> read_at(std::uint64_t offset, std::span<std::byte> into) const override;
  /// The bytes at `offset` without a copy; empty where they are not in the region.
  [[nodiscard]] std::span<const std::byte> borrow(std::uint64_t offset, std::size_t size) const;

 private:
  const File& file_;
  std::uint64_t offset_;
  std::span<const std::byte> region_;
};

/// Memory that readers of one object after the other use.
struct TableScratch {
  std::vector<std::byte> region;
  std::array<std::vector<std::byte>, 6> windows;
};

/// Reads by address. Each table has a window of its own, so that one does not push out another.
class TableReader {
 public:
  enum class Table : std::uint8_t { Hash, Symbols, Strings, Versions, Relocations, Chains };

  /// What is going to be read: decides what is read ahead.
  enum class Purpose : std::uint8_t { All, Definitions, Hashes };

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

  /// The string at `address`; nullopt where it leaves the mapping or is longer than
  /// kMaxStringBytes. Valid until the next call for Table::Strings.
  std::optional<std::string_view> string_at(std::uint64_t address);

  /// Reads the strings that begin in [first, last] ahead, if that is not more than a window.
  void bring_strings(std::uint64_t first, std::uint64_t last);

 private:
  struct Window {
    std::uint64_t start = 0;
    std::span<const std::byte> bytes;
  };
  std::span<const std::byte> move_window(Table table, std::uint64_t address, std::size_t size, std::size_t ahead);
  std::span<const std::byte> fill_window(Window& window, std::size_t slot, const ImageReader::Place& place,
                                         std::uint64_t address, std::size_t length);
  static RegionFile open_region(const File& file, const ElfObject& object, const ImageReader& image,
                                TableScratch& scratch, Purpose purpose);

  ImageReader image_;
  RegionFile region_;
  TableScratch& scratch_;
  std::array<Window, 6> windows_;
};

}  // namespace soresolve
