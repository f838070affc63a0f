// Is a file that was found a libc of its own? musl's loader is libc, and there can be one in a process: it looks into
// each library for two names that a libc defines, and takes itself instead of a file that has both.
//
// Source: musl 1.2 ldso/dynlink.c: load_library behind map_library, gnu_lookup, sysv_lookup. Not here: the names of
// libraries that are libc by name alone (musl_request.cc).
#pragma once
#include "elf/table_reader.h"

namespace soresolve {

/// Does it define both __libc_start_main and stdin? False for a file without a symbol table or a hash table.
bool defines_libc(const File& file, const ElfObject& elf, TableScratch& scratch);

}  // namespace soresolve
