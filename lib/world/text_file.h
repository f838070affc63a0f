// What a file is that a person took for a program or a library, and that is a text (a script, or what ld reads), a
// folder or an archive.
//
// Sources: Linux fs/binfmt_script.c ("#!"), the manual of GNU ld ("File Commands": INPUT, GROUP),
// PKZIP's APPNOTE ("PK"), ar(5), deb(5). Not here: other
// kinds of files, which the second reader names.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "soresolve/file_system.h"

namespace soresolve {

/// What to do with a folder or an archive (a wheel, a conda or Debian package) in the place of an ELF file; nullopt for
/// everything else, and for what cannot be read. `path`: absolute; `name`: as it was typed.
std::optional<std::string> container_hint(const FileSystem& files, std::string_view path, std::string_view name);

/// "is a linker script, …: did you mean libc.so.6?"
std::string linker_script(std::string_view library);

/// "is a script, not an ELF file", "is a linker script, …: did you mean libc.so.6?"; nullopt for everything else, and
/// for what cannot be read. `path`: absolute. Reads 1 KiB.
std::optional<std::string> text_file_hint(const FileSystem& files, std::string_view path);

}  // namespace soresolve
