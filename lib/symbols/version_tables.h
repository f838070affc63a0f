// The version tables of one file: reads them, and says whether what one file requires meets what another defines.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "elf/table_reader.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

/// Are further names of a definition kept, or only read?
enum class Parents : std::uint8_t { Keep, PassOver };

/// read_version_tables() for whoever has the object's tables open already.
Result<VersionTables> read_version_tables(TableReader& reader, const ElfObject& object, std::string_view path,
                                          Parents parents = Parents::PassOver);

/// Reads both tables. Fails with Malformed or Truncated where a record or name lies outside the
/// mapped segments, with LimitReached where a chain is longer than kMaxVersionRecords (a loop).
Result<VersionTables> read_version_tables(const File& file, const ElfObject& object, std::string_view path);

/// Matches one need against a provider's records, in file order (elf/dl-version.c:match_symbol).
VersionMatch match_version(const VersionNeed& need, const VersionTables& provider);

/// The SysV hash of a version name (gABI "Hash Table").
std::uint32_t version_hash(std::string_view name);

/// What ld.so says of a verdict, without file names: "version `V' not found (required by R)". Empty
/// for Defined.
std::string version_text(VersionVerdict verdict, const VersionNeed& need, const VersionDef* def,
                         std::string_view requirer);

}  // namespace soresolve
