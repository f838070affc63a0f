// Bytes of one ELF file, by file offset or by the address at which they would be mapped.
//
// Reads come from two small buffers: the head of the file, which holds the headers, and a window
// that follows what was asked last. A typical library costs three or four read calls.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// ELF header fields that the loader looks at, decoded.
struct ElfHeader {
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint32_t version = 0;
  std::uint32_t flags = 0;
  std::uint64_t program_header_offset = 0;
  std::uint16_t program_header_bytes = 0;  ///< e_phentsize
  std::uint16_t program_header_count = 0;  ///< e_phnum
};

inline constexpr std::size_t elf_header_bytes(ElfClass c) { return c == ElfClass::Elf64 ? 64 : 52; }
inline constexpr std::size_t program_header_bytes(ElfClass c) { return c == ElfClass::Elf64 ? 56 : 32; }
inline constexpr std::size_t dynamic_entry_bytes(ElfClass c) { return c == ElfClass::Elf64 ? 16 : 8; }

class ImageReader {
 public:
  static constexpr std::size_t kHeadBytes = 4096;
  static constexpr std::size_t kWindowBytes = 16384;

  /// Reads the head of `file`, which must outlive the reader.
  explicit ImageReader(const File& file);

  /// Reads on in a file whose headers are known; nothing is read yet, and head() is empty.
  ImageReader(const File& file, const ElfObject& object);

  /// The first bytes of the file: as many as there are, up to kHeadBytes.
  [[nodiscard]] std::span<const std::byte> head() const { return {head_.data(), head_size_}; }
  /// Why `head` is shorter than the file; None when it is not.
  [[nodiscard]] Errno head_error() const { return head_error_; }
  [[nodiscard]] const File& file() const { return file_; }

  /// Decodes the ELF header as one of this class and byte order. Precondition: head() holds it.
  [[nodiscard]] ElfHeader header(ElfClass elf_class, std::endian order) const;

  /// Reads the program header table, whose entries lie e_phentsize apart (glibc and the kernel take
  /// one distance only, and refuse others before; musl takes each), and keeps it for the lookups by
  /// address. False when the file ends before it or cannot be read; the errno, if any, is in `error`.
  struct TableRead {
    bool complete = false;
    Errno error = Errno::None;
  };
  TableRead read_segments(const ElfHeader& header, ElfClass elf_class, std::endian order);
  [[nodiscard]] std::vector<Segment>& segments() { return segments_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] std::endian order() const { return order_; }
  [[nodiscard]] ElfClass elf_class() const { return class_; }

  /// Where the byte at `address` comes from once the segments are mapped.
  struct Place {
    std::uint64_t file_offset = 0;
    std::uint64_t available = 0;  ///< bytes from there on with the same origin
    bool is_zero_fill = false;
  };
  /// nullopt: no segment covers the address; touching it kills the process.
  [[nodiscard]] std::optional<Place> locate(std::uint64_t address) const;
  /// The file offset to show for what is wrong at `address`: of that byte, or, where the file has none for
  /// it, of the dynamic section, which leads there.
  [[nodiscard]] std::optional<std::uint64_t> place_to_show(std::uint64_t address) const;

  /// Up to `wanted` bytes mapped at `address`, contiguous, at most kWindowBytes; fewer where the segments that join
  /// each other or the file end, none where touching the address would kill the process. Valid until the next call.
  /// `ahead`: bytes that will be asked for next, read along in the same call.
  std::span<const std::byte> view(std::uint64_t address, std::size_t wanted, std::size_t ahead = 0);

  /// The same into memory of the caller, across segments: how many bytes are there.
  std::size_t read_mapped(std::uint64_t address, std::span<std::byte> into) const;

  /// The string mapped at `address`, without its NUL; nullopt where it leaves the mapped segments or
  /// has more than kMaxStringBytes. Valid until the next call.
  std::optional<std::string_view> string_at(std::uint64_t address);

  /// The same by file offset.
  std::span<const std::byte> file_view(std::uint64_t offset, std::size_t wanted, std::size_t ahead = 0);

 private:
  const File& file_;
  std::vector<Segment> segments_;
  ElfClass class_ = ElfClass::Elf64;
  std::endian order_ = std::endian::little;
  std::size_t head_size_ = 0;
  Errno head_error_ = Errno::None;
  std::string long_string_;
  std::uint64_t window_offset_ = 0;
  std::size_t window_size_ = 0;
  std::array<std::byte, kHeadBytes> head_;      // not initialised: filled by read
  std::array<std::byte, kWindowBytes> window_;  // likewise
};

/// Page size that the loader of a machine assumes when it maps (the smallest in use).
std::uint64_t page_bytes(std::uint16_t machine);

/// Bytes of an entry of DT_HASH: eight on 64-bit S/390 and Alpha, four elsewhere (elf.h, Elf_Symndx).
std::uint64_t sysv_hash_entry_bytes(const ElfTarget& target);

}  // namespace soresolve
