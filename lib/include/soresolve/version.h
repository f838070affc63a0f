// Symbol versions of one file: what it defines, what it requires, and whether the one meets the
// other.
//
// Format: LSB Core "Symbol Versioning". Behaviour: glibc elf/dl-version.c (the chains are followed by
// their offsets, the counts are never looked at; the stored hash counts, not the computed one).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/elf_object.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"
#include "soresolve/text_arena.h"

namespace soresolve SORESOLVE_API {

/// One vernaux entry: a version that a file requires from another one.
struct VersionNeed {
  std::string_view file;          ///< vn_file of its verneed record
  std::string_view name;          ///< vna_name, e.g. "GLIBC_2.34"
  std::uint32_t hash = 0;         ///< vna_hash as stored
  bool weak = false;              ///< VER_FLG_WEAK: ld.so starts the program without it
  bool is_hidden = false;         ///< top bit of vna_other: an unversioned definition will not do
  std::uint16_t index = 0;        ///< vna_other without its top bit: the index in DT_VERSYM
  std::uint64_t file_offset = 0;  ///< of the entry
};

/// One verdef record, by its first verdaux.
struct VersionDef {
  std::string_view name;
  std::uint32_t hash = 0;                 ///< vd_hash as stored
  std::uint16_t record_version = 1;       ///< vd_version; the loader knows 1 only
  std::uint16_t index = 0;                ///< vd_ndx
  bool base = false;                      ///< VER_FLG_BASE: the name of the file itself
  bool weak = false;                      ///< VER_FLG_WEAK
  std::vector<std::string_view> parents;  ///< further verdaux names
  std::uint64_t file_offset = 0;          ///< of the record
};

/// The version tables of a file, in file order. Views borrow from it.
struct VersionTables {
  bool has_defs = false;   ///< DT_VERDEF
  bool has_needs = false;  ///< DT_VERNEED
  std::vector<VersionDef> defs;
  std::vector<VersionNeed> needs;
  TextArena text;
};

/// Reads both tables. Fails with Malformed or Truncated where a record or name lies outside the
/// mapped segments, with LimitReached where a chain is longer than kMaxVersionRecords (a loop).
Result<VersionTables> read_version_tables(const File& file, const ElfObject& object, std::string_view path);

enum class VersionVerdict : std::uint8_t {
  Defined,              ///< equal hash and equal name
  ProviderUnversioned,  ///< no DT_VERDEF at all: ld.so warns and lets it pass
  MissingWeak,          ///< not defined, but the need is weak: a warning
  Missing,              ///< not defined: an error
  UnknownRecord,        ///< a verdef record of another version stands before any match: an error
};

struct VersionMatch {
  VersionVerdict verdict = VersionVerdict::Missing;
  const VersionDef* def = nullptr;  ///< the record that matched, or the unknown one
};

/// Matches one need against a provider's records, in file order (elf/dl-version.c:match_symbol).
VersionMatch match_version(const VersionNeed& need, const VersionTables& provider);

/// The SysV hash of a version name (gABI "Hash Table").
std::uint32_t version_hash(std::string_view name);

/// What ld.so says of a verdict, without file names: "version `V' not found (required by R)". Empty
/// for Defined.
std::string version_text(VersionVerdict verdict, const VersionNeed& need, const VersionDef* def,
                         std::string_view requirer);

}  // namespace SORESOLVE_API
