// `.note.dlopen`: libraries that a file says it will open with dlopen(3).
//
// Format: UAPI Group specification 12, "ELF dlopen metadata": PT_NOTE, owner "FDO", type 0x407c0c0a, a
// JSON array of {feature, description, priority, soname}. A priority that is missing or unknown counts as
// recommended, as in systemd/package-notes dlopen-notes.py.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

/// One entry: the first of `sonames` that can be opened is taken.
struct DlopenNote {
  std::string feature;
  std::string description;
  Importance importance = Importance::Recommended;
  std::vector<std::string> sonames;  ///< at least one
  std::uint64_t file_offset = 0;     ///< of the note's JSON text
};

struct DlopenNotes {
  std::vector<DlopenNote> list;  ///< in file order
  std::vector<Error> damaged;    ///< notes that cannot be read, with the offset
};

/// Reads the notes of a file. What is damaged is part of the answer. `path` is used in errors only.
DlopenNotes read_dlopen_notes(const File& file, const ElfObject& object, std::string_view path);

}  // namespace soresolve
