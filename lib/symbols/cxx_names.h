// Names of C++ symbols as people write them: the symbols of one file by a part of their names, and what a missing one
// was probably meant to be.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// The part of a mangled name that its namespaces and its own name take, without qualifiers of the function:
/// "5torch3jit11parseSchema"; with "C" or "D" behind it for constructors and destructors. Empty if it has none that is
/// plain. Two names of one entity with other parameters, or of another ABI, have it in common. Of a name that is not
/// mangled and ends in the number of a release, what stands before that: "u_foldCase_" of u_foldCase_73.
std::string qualified_part(std::string_view symbol);

struct CxxDefinition {
  std::string name;          ///< mangled
  std::uint8_t binding = 0;  ///< STB_*
};

/// The definitions in whose names one of `parts`, none of them empty, stands behind "_Z", or "_ZN" and qualifiers of a
/// function, or at their beginning, in the order of the table. Strings are searched a mebibyte at a time, symbols a
/// window at a time, so that memory does not grow with the table; of the names with one part the first few thousand
/// count. Errors as read_symbol_table().
Result<std::vector<CxxDefinition>> find_cxx_definitions(const File& file, const ElfObject& object,
                                                        std::string_view path, std::span<const std::string> parts);

/// For each of `names`, in their order: what nearly is it, at most a few, those of another ABI first. Empty for names
/// that are neither mangled nor end in the number of a release (ICU's u_foldCase_73). Each symbol table of the process
/// is read once; what cannot be read is passed over.
std::vector<std::vector<NearSymbol>> find_near_symbols(const LinkMap& map, const std::vector<std::string>& names);

/// "torch::jit::parseSchema(std::string const&)" of a mangled name; empty if it is none, or one that is too long or too
/// entangled to be read within bounds. Source: Itanium C++ ABI, 5.1.
std::string demangled(std::string_view symbol);

/// "Shape" of _ZTV5Shape, _ZTI5Shape: the tables of a class stand in the object file that defines its first virtual
/// function. Empty for other symbols, and for classes in a namespace, which are mostly a library's.
std::string class_of_table(std::string_view symbol);

}  // namespace soresolve
