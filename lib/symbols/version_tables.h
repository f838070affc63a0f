// read_version_tables() for whoever has the object's tables open already.
#pragma once
#include <string_view>

#include "elf/table_reader.h"
#include "soresolve/version.h"

namespace soresolve {

Result<VersionTables> read_version_tables(TableReader& reader, const ElfObject& object, std::string_view path);

}  // namespace soresolve
