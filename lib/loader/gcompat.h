// Alpine's stand-in for glibc's loader: a small program at the place of ld-linux-*, which starts musl's loader with a
// preload of its own. Nothing is run: what it would do is read from its strings.
//
// Source: gcompat 1.1.0 (Alpine's package, by its recipe): `LDSO --preload /lib/libgcompat.so.0 FILE`.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"

namespace soresolve {

struct Gcompat {
  std::string loader;   ///< musl's, by the path that the stand-in names
  std::string library;  ///< what it preloads
};

/// nullopt: the file is no such program, or musl's loader for `target` is not there.
std::optional<Gcompat> read_gcompat(const FileSystem& files, std::string_view path, const ElfTarget& target);

}  // namespace soresolve
