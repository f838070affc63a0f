// The dynamic symbols of one file, with their versions.
//
// The number of symbols is known from the hash tables only (gABI "Hash Table"; DT_GNU_HASH as in glibc
// elf/dl-lookup.c): ld.so has no other way either. An object that defines nothing has no entry in
// DT_GNU_HASH; then the relocations tell which symbols it refers to.
#pragma once
#include <functional>
#include <string_view>

#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"
#include "soresolve/symbols.h"

namespace soresolve {

/// Reads the whole table, or those of it that `is_wanted` takes before it knows their names: where they are few, most
/// of DT_STRTAB is not read. Its size is bounded by the file's: a hash table that announces more fails
/// with Malformed. Errors as in read_version_tables.
Result<SymbolTable> read_symbol_table(const File& file, const ElfObject& object, std::string_view path,
                                      const std::function<bool(const DynamicSymbol&)>& is_wanted = {});

}  // namespace soresolve
