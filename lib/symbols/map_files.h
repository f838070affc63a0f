// The files behind a link map's objects: open still, or opened again.
#pragma once
#include <memory>
#include <string>

#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"

namespace soresolve {

struct ObjectFile {
  const File* file = nullptr;  ///< null for the vDSO and for placeholders, which have none
  const ElfObject* elf = nullptr;
  std::string path;             ///< as it was opened
  std::unique_ptr<File> owned;  ///< `file`, if it had to be opened again
};

/// May be called from several threads at once. Fails with Unreadable.
Result<ObjectFile> open_object_file(const LinkMap& map, ObjectIndex index);

}  // namespace soresolve
