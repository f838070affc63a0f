// Dynamic symbols, their versions and relocations, as plain data for the ELF writer.
//
// Format: gABI "Symbol Table", "Relocation", LSB Core "Symbol Versioning"; psABI x86-64 for the
// numbers of relocations.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace soresolve::test {

/// One DT_VERNEED record and its vernaux entries.
struct VersionNeeds {
  struct Version {
    std::string name;
    bool weak = false;
    bool hidden = false;                ///< bit 15 of vna_other
    std::optional<std::uint32_t> hash;  ///< stored in place of the name's
    bool operator==(const Version&) const = default;
  };
  std::string file;
  std::vector<Version> versions;
  std::uint16_t record_version = 1;
  bool operator==(const VersionNeeds&) const = default;
};

inline constexpr std::uint16_t kVersionBase = 1;  ///< VER_FLG_BASE
inline constexpr std::uint16_t kVersionWeak = 2;  ///< VER_FLG_WEAK

/// One DT_VERDEF record. Its index is its place in the list, counted from 1.
struct VersionDefinition {
  std::string name;
  std::uint16_t record_version = 1;
  std::optional<std::uint16_t> flags;  ///< without: the first one is the base
  std::vector<std::string> parents;
  std::optional<std::uint32_t> hash;  ///< stored in place of the name's
  bool operator==(const VersionDefinition&) const = default;
};

enum class Binding : std::uint8_t { Local = 0, Global = 1, Weak = 2, Unique = 10 };
enum class SymbolType : std::uint8_t { NoType = 0, Object = 1, Func = 2, Section = 3, Common = 5, Tls = 6, Ifunc = 10 };
enum class Visibility : std::uint8_t { Default = 0, Internal = 1, Hidden = 2, Protected = 3 };
enum class SymbolPlace : std::uint8_t {
  Undefined,  ///< SHN_UNDEF
  Inside,     ///< of the file: code for functions, zeros for data
  Absolute,   ///< SHN_ABS
};

/// One symbol. A name may occur more than once.
struct Symbol {
  std::string name;
  /// A name of version_definitions (for a defined symbol first) or version_needs; empty: none.
  std::string version;
  SymbolPlace place = SymbolPlace::Undefined;
  Binding binding = Binding::Global;
  SymbolType type = SymbolType::Func;
  Visibility visibility = Visibility::Default;
  std::optional<std::uint64_t> value;  ///< st_value in place of where it lies; 0 if undefined
  std::uint64_t size_bytes = 8;
  bool is_hidden_version = false;              ///< bit 15 of its DT_VERSYM entry
  std::optional<std::uint16_t> version_index;  ///< its DT_VERSYM entry in place of that of `version`
  std::string version_file;                    ///< which of the version_needs, if several have that version
  bool operator==(const Symbol&) const = default;
};

Symbol defined(std::string name, std::string version = {});
Symbol undefined(std::string name, std::string version = {});
/// `defined`, but not the default version of its name: foo@V.
Symbol defined_hidden(std::string name, std::string version);
Symbol weak(Symbol symbol);
Symbol data(Symbol symbol, std::uint64_t size_bytes = 8);
Symbol with(Symbol symbol, Visibility visibility);
Symbol with(Symbol symbol, Binding binding);
Symbol with(Symbol symbol, SymbolType type);

/// "NAME", or "NAME@VERSION" if it has a version: how relocations refer to it.
std::string key_of(const Symbol& symbol);

inline constexpr std::uint32_t kRelocNone = 0;
inline constexpr std::uint32_t kReloc64 = 1;
inline constexpr std::uint32_t kRelocCopy = 5;
inline constexpr std::uint32_t kRelocGlobDat = 6;
inline constexpr std::uint32_t kRelocJumpSlot = 7;
inline constexpr std::uint32_t kRelocRelative = 8;
inline constexpr std::uint32_t kRelocDtpMod64 = 16;
inline constexpr std::uint32_t kRelocTpOff64 = 18;
inline constexpr std::uint32_t kRelocTlsDesc = 36;

/// One relocation, of a word of its own. COPY writes to the symbol itself, if the file defines it.
struct Relocation {
  enum class Table : std::uint8_t { ByType, Rela, Plt };  ///< ByType: JUMP_SLOT in DT_JMPREL

  std::uint32_t type = kRelocGlobDat;
  /// key_of() a symbol, of the first one if there are several; of none: nothing is written. Empty:
  /// the null symbol.
  std::string symbol;
  Table table = Table::ByType;
  bool operator==(const Relocation&) const = default;
};

/// Which hash tables a file has.
enum class HashTables : std::uint8_t { Sysv, Gnu, Both, None };

}  // namespace soresolve::test
