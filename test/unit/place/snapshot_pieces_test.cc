// Of the tables of a file that were read, the leading relative relocations are not held: nobody looks at them. Of what
// was searched the finds are held.
#include "place/snapshot_pieces.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace soresolve;

namespace {

constexpr std::uint64_t kRelaOffset = 3 * 4096;
constexpr std::uint64_t kRelaAddress = 0x10000;
constexpr std::uint64_t kRelocations = 1000;
constexpr std::uint64_t kRelative = 600;
constexpr std::uint64_t kReadAlong = 11;  ///< are held in any case

template <class Record>
void put_record(std::string& file, std::uint64_t at, const Record& record) {
  std::memcpy(file.data() + at, &record, sizeof record);
}

/// A file with a dynamic section and one table of relocations, `relative` of which it announces as relative.
std::string file_with(std::uint64_t relative, std::uint64_t table_address) {
  constexpr std::uint64_t kDynamicOffset = 2 * 4096;
  constexpr std::uint64_t kSectionsOffset = kRelaOffset + kRelocations * sizeof(Elf64_Rela);
  std::string file(kSectionsOffset + 3 * sizeof(Elf64_Shdr), 'r');
  Elf64_Ehdr head = {};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_shoff = kSectionsOffset;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 3;
  put_record(file, 0, head);
  const Elf64_Dyn entries[] = {{DT_RELA, {table_address}}, {DT_RELACOUNT, {relative}}, {DT_NULL, {0}}};
  put_record(file, kDynamicOffset, entries);
  Elf64_Shdr sections[3] = {};
  sections[1].sh_type = SHT_RELA;
  sections[1].sh_flags = SHF_ALLOC;
  sections[1].sh_addr = kRelaAddress;
  sections[1].sh_offset = kRelaOffset;
  sections[1].sh_size = kRelocations * sizeof(Elf64_Rela);
  sections[2].sh_type = SHT_DYNAMIC;
  sections[2].sh_flags = SHF_ALLOC;
  sections[2].sh_offset = kDynamicOffset;
  sections[2].sh_size = sizeof entries;
  put_record(file, kSectionsOffset, sections);
  return file;
}

/// Bytes of relocations that are held where the whole file was read.
std::uint64_t held_relocation_bytes(const std::string& bytes) {
  MemoryFileSystem files;
  files.add_file("/lib.so", bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open("/lib.so");
  REQUIRE(file.has_value());
  FileReads reads;
  reads.exact.add(0, bytes.size());
  const HeldContent content = hold_content(**file, reads);
  std::uint64_t held = 0, others = 0;
  for (const HeldPiece& piece : content.pieces) {
    CHECK(piece.bytes == bytes.substr(piece.piece.offset, piece.piece.size_bytes));
    (piece.piece.kind == PieceKind::Relocations ? held : others) += piece.piece.size_bytes;
  }
  CHECK(others == bytes.size() - kRelocations * sizeof(Elf64_Rela));
  return held;
}

}  // namespace

TEST_CASE("leading relative relocations are not held") {
  struct Case {
    const char* why;
    std::uint64_t relative;
    std::uint64_t address;
    std::uint64_t held;
  };
  const Case cases[] = {
      {"as many as DT_RELACOUNT announces", kRelative, kRelaAddress, kRelocations - kRelative + kReadAlong},
      {"fewer than are read along", 10, kRelaAddress, kRelocations},
      {"none is announced", 0, kRelaAddress, kRelocations},
      {"all are", kRelocations, kRelaAddress, kReadAlong},
      {"more than there are", ~std::uint64_t{0}, kRelaAddress, kReadAlong},
      {"DT_RELA is another table", kRelative, kRelaAddress + 24, kRelocations},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(held_relocation_bytes(file_with(c.relative, c.address)) == c.held * sizeof(Elf64_Rela));
  }
}

TEST_CASE("what searches look for is found wherever it stands, and what surrounds it is not held") {
  const std::string number("\xc7\x07\x44\x2f\x00\x00", 6);  // 12100
  struct Case {
    const char* why;
    std::string needle;
    std::size_t around;  ///< bytes before the needle that are held, too
  };
  const Case cases[] = {
      {"the name of a library, with the byte before and behind it", "libx.so.3", 1},
      {"a version of NCCL", "NCCL version 2.19.3", 16},
      {"a release of nvcc", "Cuda compilation tools, release 12.1", 16},
      {"its maker", "NVIDIA Corporation", 16},
      {"the store of cudart's version", number, 0},
  };
  constexpr std::size_t kSize = std::size_t{2} << 20;
  for (const Case& c : cases) {
    // At block and piece boundaries and across them, and at both ends.
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{60}, std::size_t{63}, std::size_t{64},
                                 std::size_t{1000}, kSize / 2 - 3, kSize / 2, kSize - c.needle.size()}) {
      CAPTURE(c.why);
      CAPTURE(at);
      std::string bytes(kSize, '\0');
      bytes.replace(at, c.needle.size(), c.needle);
      MemoryFileSystem files;
      files.add_file("/tool", bytes);
      const Result<std::unique_ptr<File>, Errno> file = files.open("/tool");
      REQUIRE(file.has_value());
      FileReads reads;
      reads.searched.add(0, bytes.size());
      const HeldContent content = hold_content(**file, reads);
      REQUIRE(content.pieces.size() == 1);
      const SnapshotPiece& piece = content.pieces[0].piece;
      CHECK(piece.kind == PieceKind::Found);
      CHECK_FALSE(piece.is_exact);
      CHECK(piece.offset == at - std::min(at, c.around));
      CHECK(piece.offset + piece.size_bytes >= at + c.needle.size());
      CHECK(piece.size_bytes <= c.around + 301);
      CHECK(content.pieces[0].bytes == bytes.substr(piece.offset, piece.size_bytes));
    }
  }
}
