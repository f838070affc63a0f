// What a file is that a person took for a program or a library, and that is a text: a script, or what ld reads.
//
// Sources: Linux fs/binfmt_script.c ("#!"), the manual of GNU ld ("File Commands": INPUT, GROUP). Not here: other
// kinds of files, which the second reader names.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "loader/process.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// "is a script for /bin/bash: ask about that", "is a linker script, …: did you mean libc.so.6?"; nullopt for
/// everything else, and for what cannot be read. `path`: absolute. Reads 1 KiB.
std::optional<std::string> text_file_hint(const FileSystem& files, const Environment& environment,
                                          std::string_view path);

}  // namespace soresolve
