// What gives a stand-in of a toolkit away: it is there for the link editor, has the names of the real
// library, and every call of it fails.
#pragma once
#include <optional>
#include <string>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/statement.h"

namespace soresolve {

/// What gives the file at `path` (absolute) away as a stub: "it lies in a directory of stubs"; nullopt for
/// a real library. `elf` is what is known of the file, or null.
std::optional<Statement> stub_sign(const FileSystem& files, const std::string& path, const ElfObject* elf);

}  // namespace soresolve
