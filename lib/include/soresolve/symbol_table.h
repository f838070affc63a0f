// The dynamic symbols of one file, with their versions.
//
// The number of symbols is told by the hash tables only (gABI "Hash Table"; DT_GNU_HASH as in glibc
// elf/dl-lookup.c): ld.so has no other way either. An object that defines nothing has no entry in
// DT_GNU_HASH; then the relocations tell which symbols it refers to.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/elf_object.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"
#include "soresolve/version.h"

namespace soresolve SORESOLVE_API {

struct DynamicSymbol {
  std::string_view name;  ///< borrows from the table
  std::uint64_t value = 0;
  std::uint64_t size_bytes = 0;
  std::uint16_t section = 0;    ///< st_shndx; 0 is undefined
  std::uint8_t type = 0;        ///< STT_*
  std::uint8_t binding = 0;     ///< STB_*
  std::uint8_t visibility = 0;  ///< STV_*
  std::uint16_t version = 0;    ///< index of DT_VERSYM; 0 and 1 have no version
  bool hidden = false;          ///< VERSYM_HIDDEN: not the default version of its name
  [[nodiscard]] bool is_defined() const { return section != 0; }
};

/// All dynamic symbols in table order, the null symbol included.
struct SymbolTable {
  std::vector<DynamicSymbol> symbols;
  bool has_versions = false;  ///< DT_VERSYM
  std::unique_ptr<char[]> strings;
};

/// Reads the whole table. Its size is bounded by the file's: a hash table that announces more fails
/// with Malformed. Errors as in read_version_tables.
Result<SymbolTable> read_symbol_table(const File& file, const ElfObject& object, std::string_view path);

}  // namespace SORESOLVE_API
