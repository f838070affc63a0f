// Names of libraries that stand in a file's constants: what it may hand to dlopen(3).
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"

namespace soresolve {

struct LibraryLiteral {
  std::string name;               ///< "libnvrtc.so.12"
  std::uint64_t file_offset = 0;  ///< of its first occurrence
};

/// How much of one file is looked through.
inline constexpr std::uint64_t kMaxLiteralBytes = 64 << 20;

/// Whole strings of the form libNAME.so or libNAME.so.VERSION that begin behind a NUL, in the segments
/// that are mapped without permission to write: read-only data, or text where there is none of its own.
/// In file order, each once, at most 256. The file's own names (DT_SONAME, DT_NEEDED, versions) are among
/// them. Bounded by kMaxLiteralBytes; what cannot be read is passed over.
std::vector<LibraryLiteral> find_library_literals(const File& file, const ElfObject& object);

/// One of them that is `pattern`; a `*` at its end stands for anything. Quick: the last of those segments is read
/// first, since tables come before constants, and no further than to the name.
std::optional<LibraryLiteral> find_library_literal(const File& file, const ElfObject& object, std::string_view pattern);

/// Whole strings whose last part (behind a slash) has ".so" in it and is wanted: names of files, each once. As
/// find_library_literals(), but of any beginning.
std::vector<LibraryLiteral> find_file_names(const File& file, const ElfObject& object,
                                            const std::function<bool(std::string_view name)>& is_wanted);

}  // namespace soresolve
