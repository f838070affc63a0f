// What one library offers in versions and symbols, and whether that serves a requirement or a
// consumer. The proof of "just link libcudart.so.11.2 to libcudart.so.11.0".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/symbol_table.h"
#include "soresolve/version.h"

namespace soresolve SORESOLVE_API {

/// One library, read for its versions.
struct VersionedLibrary {
  std::string path;
  std::string soname;               ///< empty when it has none
  std::vector<std::string> needed;  ///< DT_NEEDED in file order
  VersionTables versions;
  SymbolTable symbols;
  /// Number of definitions that carry each record of versions.defs, in the same order. Not counted
  /// are the absolute symbols that link editors add to name the nodes themselves.
  std::vector<std::size_t> symbol_counts;
  std::size_t defined_count = 0;  ///< definitions that the loader can bind to, versioned or not
  /// File offsets of DT_SYMTAB and DT_VERSYM, and the size of a symbol (see place_of_symbol).
  std::uint64_t symbol_table_offset = 0;
  std::uint64_t version_index_offset = 0;
  std::uint32_t symbol_bytes = 0;
};
/// Reads the dynamic section's tables only. Errors as in read_version_tables, read_symbol_table.
Result<VersionedLibrary> read_versioned_library(const File& file, const ElfObject& object, std::string_view path);

/// File offset of an entry of the dynamic symbol table.
std::uint64_t place_of_symbol(const VersionedLibrary& library, std::size_t index);

/// The record of the only node, if all definitions of the library carry it. Such a node is the same
/// in each release that has it, so it tells none from another: what a newer release has more, only
/// the symbols show. All libraries of CUDA are so; their node is the SONAME once more.
std::optional<std::size_t> sole_node(const VersionedLibrary& library);

/// How a requirement was written.
enum class NeedForm : std::uint8_t {
  Node,         ///< GLIBC_2.34
  BareVersion,  ///< 11.0: the nodes that end so, behind a character that is no letter or digit
  Symbol,       ///< cudaMalloc@libcudart.so.11.0
};

/// One requirement of a consumer, met or not.
enum class ForVerdict : std::uint8_t {
  Met,             ///< defined with exactly this version
  MetUnversioned,  ///< only an unversioned definition, which ld.so accepts
  OtherVersion,    ///< the symbol is there, but with other versions only
  Missing,         ///< not defined
};

struct NeedAnswer {
  std::string asked;
  NeedForm form = NeedForm::Node;
  bool is_served = false;
  ForVerdict symbol_verdict = ForVerdict::Missing;  ///< for NeedForm::Symbol
  std::vector<std::size_t> defs;                    ///< records that were meant, indices into versions.defs
  std::string symbol;                               ///< for NeedForm::Symbol
  std::size_t symbol_index = 0;                     ///< where it is defined, in the dynamic symbol table
  std::vector<std::string> instead;                 ///< for a refusal: what is there
};
/// Does `library` serve `need`? The base record (the library's own name) does not count as a node:
/// no symbol can carry it.
NeedAnswer answer_need(const VersionedLibrary& library, std::string_view need);

struct ForSymbol {
  std::string name;
  std::string version;
  ForVerdict verdict = ForVerdict::Missing;
  bool weak = false;  ///< a weak reference: its absence is no error
  /// The consumer holds a copy (COPY relocation), for which it has `copy_bytes`.
  bool is_copy = false;
  std::uint64_t copy_bytes = 0;
  std::uint64_t library_bytes = 0;   ///< size of the definition; a bigger one than the copy: a warning
  std::size_t symbol_index = 0;      ///< of the reference, in the consumer's symbol table
  std::uint64_t file_offset = 0;     ///< of that entry, in the consumer
  std::vector<std::string> instead;  ///< versions in which the library has the name (32 at most)
};
struct ForVersion {
  VersionNeed need;
  VersionMatch match;
};
struct ForAnswer {
  std::string consumer;
  std::vector<std::string> files;  ///< DT_VERNEED files of the consumer that mean this library
  bool is_other_name = false;      ///< they are another name: as if the library stood under it
  std::vector<ForVersion> versions;
  std::vector<ForSymbol> symbols;  ///< versioned references to the library, in table order
  /// Versioned references meet a library with neither DT_VERDEF nor DT_VERNEED. Loaders before glibc
  /// 2.41 end with an assertion (elf/dl-lookup.c:check_match); later ones take what is there.
  bool ends_in_assertion = false;
  std::size_t unversioned_count = 0;  ///< undefined symbols without version: bound to whoever has them
  std::size_t unversioned_here = 0;   ///< of these, how many the library defines
  [[nodiscard]] bool is_served() const;
};
/// All that `consumer` needs of `library`. A verneed record means the library if it names its SONAME
/// or its file name; if none does, those that differ from it only behind ".so": somebody thinks of
/// putting the library in that place.
ForAnswer answer_for(const VersionedLibrary& library, const VersionedLibrary& consumer);

}  // namespace SORESOLVE_API
