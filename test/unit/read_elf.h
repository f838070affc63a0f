// Reads an ELF file out of a string.
#pragma once
#include <string_view>

#include "soresolve/elf.h"

namespace soresolve::test {

inline Result<ElfObject> read_elf(std::string_view bytes, std::string_view path = "/f") {
  MemoryFileSystem files;
  files.add_file(path, bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  return ElfObject::read(**file, path);
}

}  // namespace soresolve::test
