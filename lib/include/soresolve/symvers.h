// What one library offers in versions and symbols, and whether that serves a requirement or a
// consumer. The proof of "just link libcudart.so.11.2 to libcudart.so.11.0".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/symbol_table.h"
#include "soresolve/version.h"

namespace soresolve {

/// One library, read for its versions.
struct VersionedLibrary {
  std::string path;
  std::string soname;           ///< empty when it has none
  VersionTables versions;
  SymbolTable symbols;
  /// Number of defined symbols that carry each record of versions.defs, in the same order.
  std::vector<std::size_t> symbol_counts;
  std::size_t defined_count = 0;      ///< defined symbols, versioned or not
};
Result<VersionedLibrary> read_versioned_library(const File& file, const ElfObject& object,
                                                std::string_view path);

/// How a requirement was written.
enum class NeedForm : std::uint8_t {
  Node,          ///< GLIBC_2.34
  BareVersion,   ///< 11.0: the nodes that end so, behind a character that is no letter or digit
  Symbol,        ///< cudaMalloc@libcudart.so.11.0
};

struct NeedAnswer {
  std::string asked;
  NeedForm form = NeedForm::Node;
  bool is_served = false;
  std::vector<std::size_t> defs;      ///< records that were meant, indices into versions.defs
  std::string symbol;                 ///< for NeedForm::Symbol
  std::size_t symbol_index = 0;       ///< where it is defined, in the dynamic symbol table
  std::vector<std::string> instead;   ///< for a refusal: what is there
};
/// Does `library` serve `need`? The base record (the library's own name) does not count as a node:
/// no symbol can carry it.
NeedAnswer answer_need(const VersionedLibrary& library, std::string_view need);

/// One requirement of a consumer, met or not.
enum class ForVerdict : std::uint8_t {
  Met,              ///< defined with exactly this version
  MetUnversioned,   ///< only an unversioned definition, which ld.so accepts
  OtherVersion,     ///< the symbol is there, but with other versions only
  Missing,          ///< not defined
};
struct ForSymbol {
  std::string name;
  std::string version;
  ForVerdict verdict = ForVerdict::Missing;
  bool weak = false;                  ///< a weak reference: its absence is no error
  std::vector<std::string> instead;   ///< versions in which the library has the name
};
struct ForVersion {
  VersionNeed need;
  VersionMatch match;
};
struct ForAnswer {
  std::string consumer;
  std::vector<std::string> files;     ///< DT_VERNEED files of the consumer that mean this library
  std::vector<ForVersion> versions;
  std::vector<ForSymbol> symbols;     ///< versioned references to the library, in table order
  std::size_t unversioned_count = 0;  ///< undefined symbols without version: bound to whoever has them
  std::size_t unversioned_here = 0;   ///< of these, how many the library defines
  [[nodiscard]] bool is_served() const;
};
/// All that `consumer` needs of `library`. A verneed record means the library if it names its SONAME
/// or its file name.
ForAnswer answer_for(const VersionedLibrary& library, const VersionedLibrary& consumer);

}  // namespace soresolve
