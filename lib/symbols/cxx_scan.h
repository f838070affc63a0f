// C++ symbols of one file by a part of their names, without a table of all in memory.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

struct CxxDefinition {
  std::string name;          ///< mangled
  std::uint8_t binding = 0;  ///< STB_*
};

/// The definitions in whose names one of `parts`, none of them empty, stands behind "_Z", or "_ZN" and qualifiers of a
/// function, in the order of the table. Strings are searched a mebibyte at a time, symbols a window at a time, so that
/// memory does not grow with the table; of the names with one part the first few thousand count. Errors as
/// read_symbol_table().
Result<std::vector<CxxDefinition>> find_cxx_definitions(const File& file, const ElfObject& object,
                                                        std::string_view path, std::span<const std::string> parts);

}  // namespace soresolve
