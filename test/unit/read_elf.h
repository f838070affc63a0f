// Reads an ELF file out of a string.
#pragma once
#include <string_view>

#include "soresolve/elf.h"

namespace soresolve::test {

inline Result<ElfObject> read_elf(std::string_view bytes) {
  MemoryFileSystem files;
  files.add_file("/f", bytes);
  const Result<std::unique_ptr<File>, Errno> file = files.open("/f");
  return ElfObject::read(**file, "/f");
}

}  // namespace soresolve::test
