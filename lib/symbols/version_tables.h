// read_version_tables() for whoever has the object's tables open already.
#pragma once
#include <string_view>

#include "elf/table_reader.h"
#include "soresolve/elf.h"

namespace soresolve {

/// Are further names of a definition kept, or only read?
enum class Parents : std::uint8_t { Keep, PassOver };

Result<VersionTables> read_version_tables(TableReader& reader, const ElfObject& object, std::string_view path,
                                          Parents parents = Parents::PassOver);

}  // namespace soresolve
