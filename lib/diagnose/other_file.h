// What stands in the place of a library, where the loader says "invalid ELF header", "file too short" or "only ET_DYN
// and ET_EXEC can be loaded".
//
// The usual reports: node_modules copied from macOS into an image (Mach-O), a wheel unpacked for Windows (PE), the page
// of a server saved as a library (HTML), a pointer of Git LFS, a link that was unpacked as the text of its target, a
// disk that was full (empty, or zeros), libx.a or libx.so.gz under the name of a library. Each is known by its first
// bytes, and each has a step of its own: install again on this machine, fetch again, unpack, link with it.
//
// Sources: mach-o/loader.h, mach-o/fat.h, mach/machine.h; Microsoft, "PE Format" and [MS-SHLLINK]; ar(5); PKZIP's
// APPNOTE; RFC 1952, 8878; the XZ format; LLVM, "Bitcode File Format"; JVMS 4.1; WebAssembly core 5.5; the manual of
// GNU ld ("File Commands": INPUT, GROUP); git-lfs docs/spec.md. Not here: what LIEF sees in PE and Mach-O (witness/).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "soresolve/file_system.h"
#include "soresolve/statement.h"

namespace soresolve {

/// The first library that INPUT ( … ) or GROUP ( … ) names, AS_NEEDED ( … ) within it aside; "libNAME.so" for -lNAME.
/// Empty if there is none.
std::string library_in_linker_script(std::string_view text);

struct OtherFile {
  enum class Known : std::uint8_t {
    Anywhere,   ///< by a magic number of code for another system: whatever the file's name
    AsLibrary,  ///< of a file that bears a library's name
  } known = Known::AsLibrary;
  Statement kind = {};      ///< "a Mach-O file of macOS (arm64)"; empty: `what` says it in a sentence of its own
  Statement what = {};      ///< "FILE is a Mach-O file of macOS (arm64), not an ELF file"
  Statement next = {};      ///< what gets the right file
  std::string names = {};   ///< the library that a linker script names
  bool is_pointer = false;  ///< of Git LFS
  bool is_elf = false;      ///< of a type that the loader refuses: "only ET_DYN and ET_EXEC can be loaded"
  bool is_short = false;    ///< fewer bytes than an ELF header: "file too short"
};

/// nullopt: a library or program, what begins as nothing that is known here, or cannot be read. `path`: absolute;
/// `name`: as it is said. Reads 1 KiB.
std::optional<OtherFile> other_file(const FileSystem& files, std::string_view path, std::string_view name);

/// Is the file called as what is loaded: a library, or a module of Node.js?
bool is_loaded_by_name(std::string_view path);

}  // namespace soresolve
