// Source of the layout: Linux fs/binfmt_elf.c, elf_core_dump and create_elf_tables; of the list: glibc elf/link.h.
#include "support/core_writer.h"

#include <elf.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "support/byte_writer.h"

namespace soresolve::test {
namespace {

constexpr std::uint64_t kEntry = 0x1234;
constexpr std::uint64_t kProgramAt = 0x400000;
constexpr std::uint64_t kLibraryAt = 0x600000;
constexpr std::uint64_t kLoaderAt = 0x700000;
constexpr std::uint64_t kStackAt = 0x7ff000;
constexpr std::uint64_t kPage = 0x1000;

ByteWriter writer() { return {Endian::Little, Bits::Elf64}; }

std::string words(std::initializer_list<std::uint64_t> list) {
  ByteWriter bytes = writer();
  for (const std::uint64_t word : list) bytes.u64(word);
  return bytes.take();
}

/// The program's page: its headers, dynamic section, r_debug and two link maps.
std::string program_page() {
  const std::uint64_t at = kProgramAt;
  std::string page = words({PT_PHDR, 0, at, 0, 0, 0, 0});            // 0
  page += words({PT_DYNAMIC, 0, at + 0x70, 0, 0, 0, 0});             // 0x38
  page += words({DT_DEBUG, at + 0x90, DT_NULL, 0});                  // 0x70
  page += words({1, at + 0xb0, 0, 0});                               // 0x90: r_debug
  page += words({0, 0, at + 0x70, at + 0x138, 0, at + 0xb0, 0, 0});  // 0xb0: the program
  page += words({0, at, kEntry, 0, at + 0x1e8, 2, 0, 0, 0});         //
  page += words({kLibraryAt, at + 0x1f8, kLibraryAt + 0x10, 0, at + 0xb0, at + 0x138, 0, at + 0x1d0});  // 0x138
  page += words({0, 0, 0, 0, 0, 0, 0, 0, at + 0xb0, at + 0x209, kLibraryAt});                           //
  page += words({at + 0x212, 0, 0});                                   // 0x1d0: l_libname
  page += words({at + 0xb0, at + 0x138});                              // 0x1e8
  page += std::string("/usr/lib/libx.so\0/usr/lib\0libx.so.1\0", 36);  // 0x1f8
  page.resize(kPage);
  return page;
}

std::string auxiliary_vector() {
  return words({AT_PHDR,   kProgramAt, AT_PHNUM, 2, AT_PHENT, 56, AT_BASE,   kLoaderAt,        AT_ENTRY, kEntry,
                AT_SECURE, 1,          AT_EUID,  7, AT_EGID,  8,  AT_EXECFN, kStackAt + 0x800, AT_NULL,  0});
}

std::string stack() {
  std::string page(0x100, 'x');
  page += words({1, kStackAt + 0x800, 0, kStackAt + 0x810, kStackAt + 0x830, 0});  // argc, argv, envp
  page += auxiliary_vector();
  page.resize(0x800);
  page += "/app/prog";
  page.resize(0x810);
  page += "LD_LIBRARY_PATH=/opt";
  page.resize(0x830);
  page += "HOME=/";
  page.resize(kPage);
  return page;
}

std::string note(std::uint32_t type, const std::string& content) {
  ByteWriter bytes = writer();
  bytes.u32(5);
  bytes.u32(static_cast<std::uint32_t>(content.size()));
  bytes.u32(type);
  std::string text = bytes.take() + std::string("CORE\0\0\0\0", 8) + content;
  text.resize((text.size() + 3) / 4 * 4);
  return text;
}

std::string mapped_files() {
  std::string rows = words({3, kPage});
  for (const std::uint64_t at : {kProgramAt, kLibraryAt, kLoaderAt}) rows += words({at, at + kPage, 0});
  return rows + std::string("/app/prog\0/usr/lib/libx.so\0/lib64/ld.so\0", 40);
}

std::string header(std::uint32_t type, std::uint32_t flags, std::uint64_t offset, std::uint64_t address,
                   std::uint64_t size) {
  ByteWriter bytes = writer();
  bytes.u32(type);
  bytes.u32(flags);
  return bytes.take() + words({offset, address, 0, size, size, 1});
}

}  // namespace

std::string write_core() {
  const std::string notes = note(NT_AUXV, auxiliary_vector()) + note(NT_FILE, mapped_files());
  const std::vector<std::pair<std::uint64_t, std::string>> memory = {
      {kProgramAt, program_page()}, {kLibraryAt, "\x7f" + std::string("ELF of the library")}, {kStackAt, stack()}};
  ByteWriter head = writer();
  head.u16(ET_CORE);
  head.u16(EM_X86_64);
  head.u32(1);
  std::string file = std::string("\x7f") + "ELF" + std::string("\x02\x01\x01\0\0\0\0\0\0\0\0\0", 12) + head.take() +
                     words({0, sizeof(Elf64_Ehdr), 0});
  ByteWriter tail = writer();
  tail.u32(0);
  tail.u16(sizeof(Elf64_Ehdr));
  tail.u16(sizeof(Elf64_Phdr));
  tail.u16(static_cast<std::uint16_t>(memory.size() + 2));
  for (int i = 0; i < 3; ++i) tail.u16(0);
  file += tail.take();
  std::uint64_t offset = sizeof(Elf64_Ehdr) + (memory.size() + 2) * sizeof(Elf64_Phdr);
  std::string content = notes;
  file += header(PT_NOTE, PF_R, offset, 0, notes.size());
  for (const auto& [address, bytes] : memory) {
    file += header(PT_LOAD, address == kStackAt ? PF_R | PF_W : PF_R | PF_X, offset + content.size(), address,
                   bytes.size());
    content += bytes;
  }
  file += header(PT_LOAD, PF_R | PF_X, 0, kLoaderAt, 0);  // mapped, and not dumped
  return file + content;
}

}  // namespace soresolve::test
