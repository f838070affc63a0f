// The search for one symbol, told object by object: who was asked, and why each did not serve.
//
// Source: glibc elf/dl-lookup.c:do_lookup_x, check_match; elf/dl-sym.c for dlsym. Whether an object
// serves is decided by the code that decides it for bind_symbols().
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/bindings.h"

namespace soresolve SORESOLVE_API {

/// Why an object did or did not end the search.
enum class AskedVerdict : std::uint8_t {
  Serves,
  NotDefined,      ///< its hash table leads to no definition of that name
  OtherVersion,    ///< it defines the name, but in no version that will do
  Ambiguous,       ///< several default versions, and the reference asks for none
  NotVisible,      ///< its definition is hidden or internal
  LocalBinding,    ///< its definition is local
  OnlyReference,   ///< a reference with an address of its own, which serves no call
  SkippedProgram,  ///< a copy relocation is never served by the program itself
  WeakPassedOver,  ///< weak, and LD_DYNAMIC_WEAK lets the search go on to a strong one
  NoHashTable,     ///< neither DT_GNU_HASH nor DT_HASH
  NoFile,          ///< the vDSO, whose symbols are not in the scope's files
  Damaged,         ///< its tables cannot be read: the loader would crash or worse
};
std::string_view name_of(AskedVerdict verdict);

/// A symbol of the name that is looked for.
struct Namesake {
  std::string version;     ///< empty: none
  bool is_hidden = false;  ///< bit 15 of DT_VERSYM: not the default version of its name
  bool is_weak = false;
  bool is_unique = false;  ///< STB_GNU_UNIQUE
  std::uint16_t version_index = 0;
  std::uint32_t symbol_index = 0;  ///< in DT_SYMTAB
  std::uint64_t file_offset = 0;   ///< of that entry
  bool operator==(const Namesake&) const = default;
};

struct AskedObject {
  ObjectIndex object = kNoObject;
  AskedVerdict verdict = AskedVerdict::NotDefined;
  bool is_itself_first = false;          ///< DT_SYMBOLIC: asked before the scope because it is the referrer
  bool has_gnu_hash = false;             ///< asked through DT_GNU_HASH, not DT_HASH
  std::vector<Namesake> namesakes;       ///< definitions of that name, in the order of the hash chain
  std::optional<std::size_t> served_by;  ///< index into namesakes; also of a weak one passed over
  std::string damage;                    ///< for Damaged
  bool operator==(const AskedObject&) const = default;
};

/// A search in the scope of the referrer. It ends with the object that serves.
struct SymbolSearch {
  std::vector<AskedObject> asked;
  std::optional<std::size_t> serving;  ///< index into `asked`
  /// If nothing serves, and the query wants it: objects of the process that would, if the scope had them.
  std::vector<ObjectIndex> out_of_scope;

  [[nodiscard]] ObjectIndex provider() const { return serving ? asked[*serving].object : kNoObject; }
  /// The definition; nullptr when nothing serves.
  [[nodiscard]] const Namesake* definition() const {
    return serving ? &asked[*serving].namesakes[*asked[*serving].served_by] : nullptr;
  }
  bool operator==(const SymbolSearch&) const = default;
};

enum class SearchedBy : std::uint8_t {
  Relocation,
  Dlsym,  ///< dlsym(RTLD_DEFAULT), or dlvsym if there is a version
};

/// Are objects looked into that are there, but in no list that is searched (RTLD_LOCAL)?
enum class OutOfScope : std::uint8_t { Ignored, LookedInto };

struct SymbolQuery {
  std::string_view symbol;
  std::string_view version;  ///< empty: none
  ObjectIndex referrer = 0;
  LookupClass lookup_class = LookupClass::Plain;
  /// The reference in the referrer's DT_SYMTAB, if it is known: hash and flags of the version are
  /// taken as they are stored there. Otherwise they are those that link editors write.
  std::optional<std::uint32_t> symbol_index;
  SearchedBy by = SearchedBy::Relocation;
  OutOfScope out_of_scope = OutOfScope::Ignored;
};

/// Makes one search, in the scope that `bindings` has for the referrer. Damaged tables are part of the
/// answer. Errors: a file that was open for the walk cannot be opened again; LimitReached.
Result<SymbolSearch> search_symbol(const LinkMap& map, const Bindings& bindings, const SymbolQuery& query);

/// References that made the same search.
struct SearchedReferences {
  std::vector<SymbolBinding> bindings;  ///< in the order of relocation; they borrow from the Bindings
  SymbolSearch search;
};

/// All about one name.
struct SymbolAnswer {
  std::string name;
  std::string version;  ///< asked for by the user; empty: any
  std::vector<SearchedReferences> references;
  /// What dlsym would find, when nobody refers to it.
  std::optional<SymbolSearch> dlsym;
  /// Every strong reference is bound; for a name that nobody refers to: dlsym finds it.
  [[nodiscard]] bool is_good() const;
};

/// Every reference to `asked` (`NAME` or `NAME@VERSION`) with the search that was made for it.
Result<SymbolAnswer> answer_symbol(const LinkMap& map, const Bindings& bindings, std::string_view asked);

}  // namespace SORESOLVE_API
