// Programs, as execve(2) takes them without another one.
#pragma once
#include <array>
#include <string_view>

#include "loader/process.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Is there an ELF file that can be executed?
inline bool is_elf_program(const FileSystem& files, std::string_view path) {
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file || (*file)->status().kind != FileKind::Regular || ((*file)->status().mode & 0111) == 0) {
    return false;
  }
  std::array<char, 4> magic{};
  const Result<std::size_t, Errno> got = (*file)->read_at(0, std::as_writable_bytes(std::span(magic)));
  return got && std::string_view(magic.data(), *got) == "\177ELF";
}

}  // namespace soresolve
