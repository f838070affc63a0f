// Symbols and versions of a link map and of single libraries: what binds to what, how a start ends, what a library
// defines, what changed between two. Each part names its source.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"

// Which definition does each symbol reference of a link map bind to?
//
// Source: glibc elf/dl-lookup.c:_dl_lookup_symbol_x, do_lookup_x, check_match, do_lookup_unique;
// elf/dl-reloc.c:_dl_relocate_object (which references there are, in which order). Resolvers of
// IFUNC symbols are not run, so what they would choose stays open.

namespace soresolve {
/// Makes Bindings (symbols/binder_passes.h). Declared here, and not by the friend below, it stays hidden.
class Binder;
}  // namespace soresolve

namespace soresolve SORESOLVE_API {

/// What a relocation lets its symbol bind to (glibc: type class).
enum class LookupClass : std::uint8_t {
  Plain,  ///< any definition, and an undefined symbol that has a value (the program's PLT entry)
  Plt,    ///< definitions only: PLT slots and thread-local variables
  Copy,   ///< definitions outside the program: its copy relocations
};

/// Does a relocation want the provider's thread-local storage at a fixed place? After the start the loader
/// has little room for that (glibc elf/dl-reloc.c:_dl_allocate_static_tls).
enum class TlsUse : std::uint8_t {
  None,
  Required,  ///< initial-exec: it fails where there is no room
  Optional,  ///< TLSDESC: allocated dynamically then
};

/// One reference with its definition. Texts borrow from the Bindings.
struct SymbolBinding {
  ObjectIndex referrer = kNoObject;
  ObjectIndex provider = kNoObject;  ///< kNoObject: not found
  std::string_view symbol;
  std::string_view version;  ///< asked for; may be empty where one is: its name was cut off
  LookupClass lookup_class = LookupClass::Plain;
  std::uint32_t symbol_index = 0;       ///< of the reference, in the referrer's DT_SYMTAB
  std::uint32_t provider_index = 0;     ///< of the definition, in the provider's
  std::uint64_t size_bytes = 0;         ///< st_size of the definition; of copy relocations only
  std::uint64_t wanted_size_bytes = 0;  ///< st_size of the reference, likewise
  std::uint8_t type = 0;                ///< STT_* of the definition
  /// Other than None only in a repeated one, which follows the reference; that of the referrer's own
  /// variables has no symbol.
  TlsUse tls_use = TlsUse::None;
  bool has_version = false;              ///< a version is asked for: one with a hash
  bool is_weak = false;                  ///< the reference: stays unbound without an error
  bool is_lazy = false;                  ///< left for the first call unless LD_BIND_NOW is set
  bool is_repeated = false;              ///< comes up again: told only where the loader speaks of it again
  bool is_looked_up = true;              ///< false: repeats the relocation before it, without a lookup
  bool is_loaders_own = false;           ///< ld.so asks in the program's name: malloc and the like
  bool is_protected = false;             ///< the reference is the referrer's own protected symbol
  bool is_direct = false;                ///< the reference has an address of its own (canonical PLT)
  bool is_definition_protected = false;  ///< STV_PROTECTED of the definition
  bool wants_tls = false;                ///< the reference is to a thread-local variable
  bool is_unique = false;                ///< STB_GNU_UNIQUE: all get the definition that was bound first
  /// The definition (or one that was not taken) stands in the very file that the version is required
  /// from, and that file has no versions: up to 2.40 an assertion of check_match.
  bool is_unversioned_where_required = false;
  /// Objects whose protected symbols were looked at and not taken: the loader warns of them when the
  /// program asks.
  std::vector<ObjectIndex> protected_passed_over;
  [[nodiscard]] bool is_bound() const { return provider != kNoObject; }
  /// A strong reference without definition: the loader ends with "undefined symbol".
  [[nodiscard]] bool is_undefined() const { return !is_bound() && !is_weak; }
};

/// Something in an object's tables on which the loader itself would die.
struct BindingDamage {
  enum class Kind : std::uint8_t {
    Relocations,     ///< its references cannot be read: a crash when it is relocated
    Definitions,     ///< nothing can be looked up in it: a crash of everyone who tries
    NoVersions,      ///< a reference has a version index, but the object no versions: a crash
    UnknownType,     ///< `unexpected reloc type`
    UnknownPltType,  ///< `unexpected PLT reloc type`
  };
  ObjectIndex object = kNoObject;
  Kind kind = Kind::Relocations;
  Error error;                        ///< of the first three
  std::uint32_t relocation_type = 0;  ///< of the others
  /// When the loader meets it: always, only when all is bound at once, or only in a lazy pass.
  enum class When : std::uint8_t { Always, BindNow, Lazy } when = When::Always;
};

/// What to do with references to symbols that the referrer itself has, so that they are bound in any
/// case: to these or to others of their names. C++ libraries have many of them, and their names are
/// what takes most of the time.
enum class OwnReferences : std::uint8_t {
  Reported,
  /// Left out by for_each(), where the hash tables prove that no object that is asked before the
  /// referrer has an IFUNC or a protected symbol of the name: of others the loader has nothing to say.
  /// The referrer's table is believed on the hash values of its own names. tally() is the same. Which
  /// definition of a unique symbol was bound first is not known of those that are left out.
  Counted,
  /// As Counted; besides, all references of a library are left out, in tally() as well, where it is known from another
  /// map of this machine that they are found and that the loader has nothing to say of it. For who wants to know
  /// whether a process starts.
  Settled,
};

class Bindings;

struct BindOptions {
  unsigned jobs = 1;  ///< threads; the result does not depend on it
  OwnReferences own = OwnReferences::Reported;
  /// Those of the same map before its last dlopen calls: what they have is taken over instead of read again. Of use
  /// with Counted only; what does not fit is not taken. Is shared, and borrows from its own map.
  const Bindings* before = nullptr;
};

/// All references of a map, bound.
class Bindings {
 public:
  Bindings();  ///< of nothing
  ~Bindings();
  Bindings(Bindings&&) noexcept;
  Bindings& operator=(Bindings&&) noexcept;

  /// What stands between two references in the order of relocation.
  struct Event {
    const SymbolBinding* binding = nullptr;  ///< one of the two
    const BindingDamage* damage = nullptr;
  };
  /// Calls visit for each reference in the order in which the loader takes them with LD_BIND_NOW=1,
  /// objects in relocation order; within an object each (symbol, class) once, where it occurs first.
  /// Damage comes as an Event where the loader meets it.
  void for_each(const std::function<void(const Event&)>& visit) const;
  /// The same for those references only about which the loader can have something to say: without
  /// definition, copies, resolvers, protected or unversioned definitions.
  void for_each_notable(const std::function<void(const Event&)>& visit) const;

  /// The objects that are asked for the symbols of what the start (0) or the n-th dlopen call has loaded.
  [[nodiscard]] const std::vector<ObjectIndex>& scope(std::size_t dlopen_call) const;
  /// The objects in the order in which they are relocated: those of the start, then each dlopen call's.
  [[nodiscard]] const std::vector<ObjectIndex>& relocation_order() const;
  /// All damage, of references and of definitions.
  [[nodiscard]] const std::vector<BindingDamage>& damages() const;
  /// All references, added up; repeated ones and those of the loader count as none.
  struct Tally {
    std::size_t references = 0;    ///< after merging equal ones
    std::size_t bound_lazily = 0;  ///< bound, but left for the first call unless LD_BIND_NOW is set
    std::size_t unbound_weak = 0;
  };
  /// Of what the start (0) or the n-th dlopen call has loaded.
  [[nodiscard]] const Tally& tally(std::size_t dlopen_call) const;
  /// Lookups that were made for them.
  [[nodiscard]] std::size_t lookup_count() const;

  struct State;  ///< not for users

 private:
  friend class Binder;
  enum class Which : std::uint8_t { All, Notable };
  void play(Which which, const std::function<void(const Event&)>& visit) const;
  std::shared_ptr<State> state_;
};

/// Binds every reference of `map` in the scopes that the start and its dlopen calls give its objects. The
/// Bindings borrow from `map`. Damaged tables are part of the answer. Errors: a file that was open for
/// the walk cannot be opened again; LimitReached.
Result<Bindings> bind_symbols(const LinkMap& map, const BindOptions& options = {});

using BindingFilter = std::function<bool(const SymbolBinding&)>;

// Do the versions that each object of a link map requires meet what is loaded?
//
// Source: glibc elf/dl-version.c:_dl_check_all_versions, _dl_check_map_versions; elf/rtld.c:
// print_missing_version. The check looks at version names only, never at symbols.

/// One requirement that is not simply met.
struct VersionMessage {
  ObjectIndex requirer = kNoObject;
  ObjectIndex provider = kNoObject;
  VersionVerdict verdict = VersionVerdict::Missing;
  std::string version;            ///< the version asked for
  std::uint64_t need_offset = 0;  ///< of the vernaux entry in the requirer's file
  std::string text;               ///< ld.so's words, without ARGV0 and the provider's path
  bool is_error = false;          ///< the start-up ends with status 1; else it is a warning
  bool is_fatal_at_once = false;  ///< it ends here, with status 127
  bool is_assertion = false;      ///< likewise; `text` is the whole line
  bool is_start_only = false;     ///< tracing passes it: it has a placeholder there
  bool is_crash = false;          ///< the loader dies of a signal here; `text` says why

  /// "ARGV0: PROVIDER: TEXT", the line on standard error; with the words of a fatal error before the
  /// provider if it is one.
  [[nodiscard]] std::string line(const LinkMap& map, std::string_view argv0) const;
  /// Is it among LinkMap::failures as well? The walk knows of files that nothing goes by, and of records of an
  /// unknown version: one problem for whoever counts.
  [[nodiscard]] bool is_known_to_walk(const LinkMap& map) const;
};

struct VersionCheck {
  std::vector<VersionMessage> messages;  ///< in the order in which the loader prints them
  /// Objects whose tables cannot be read: the loader would crash on them.
  std::vector<Error> unreadable;
  std::size_t checked = 0;  ///< requirements looked at, of what LinkMap::subject() has loaded
  /// What follows the check where it has found no error (and in tracing in any case): from 2.32 to
  /// 2.40 an assertion of init_tls about thread-local storage in a filtee of the program. Else empty.
  std::string tls_assertion;

  [[nodiscard]] bool has_error() const;
};

/// Checks every object of the map in list order, as at start-up. Placeholders satisfy everything,
/// as in the loader. Errors: a file that was open for the walk cannot be opened again.
Result<VersionCheck> check_versions(const LinkMap& map);

// What a start of the program comes to, after everything has been found: versions, CPU, symbols. Constructors are not
// run.

/// All that is to be known for a start.
struct StartFacts {
  VersionCheck versions;
  Bindings bindings;
  /// Objects that ask for more than the processor has, in the order in which the loader looks.
  std::vector<ObjectIndex> above_cpu;
};

enum class StartEnd : std::uint8_t {
  Runs,      ///< the program gets control
  Fails,     ///< exit status 127
  Versions,  ///< exit status 1: a version is missing
  Crashes,   ///< a signal
  Blocks,    ///< for ever
};

/// A strong reference that nothing serves.
struct UndefinedSymbol {
  ObjectIndex referrer = kNoObject;
  std::string name;
  std::string version;  ///< asked for; may be empty where one is
  bool has_version = false;
  bool is_lazy = false;  ///< fatal at the first call only, unless binding is now
};

struct Startup {
  StartEnd end = StartEnd::Runs;
  /// Standard error, line by line. The last one tells why it ended, unless it runs, crashes or blocks.
  std::vector<std::string> lines;
  std::optional<std::size_t> fatal_line;  ///< index of the first line that is no warning
  std::string death;                      ///< why it crashes or blocks
  /// A dlopen that fails and ends the process with status 127, instead of returning NULL.
  bool ends_process = false;
  /// The error that dlerror(3) would have given, had the process not ended while the call was taken back.
  std::string missing_error;
  /// The books of the static TLS after a dlopen call that fails.
  std::optional<StaticTlsLeft> tls_left;
  /// Every strong reference without definition, in the order of relocation; the first that is bound
  /// at start ends it.
  std::vector<UndefinedSymbol> undefined;
};

// The search for one symbol, told object by object: who was asked, and why each did not serve.
//
// Source: glibc elf/dl-lookup.c:do_lookup_x, check_match; elf/dl-sym.c for dlsym. Whether an object
// serves is decided by the code that decides it for bind_symbols().

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
struct OtherVersion {
  std::string version;     ///< empty: none
  bool is_hidden = false;  ///< bit 15 of DT_VERSYM: not the default version of its name
  bool is_weak = false;
  bool is_unique = false;  ///< STB_GNU_UNIQUE
  std::uint16_t version_index = 0;
  std::uint32_t symbol_index = 0;  ///< in DT_SYMTAB
  std::uint64_t file_offset = 0;   ///< of that entry
  bool operator==(const OtherVersion&) const = default;
};

struct AskedObject {
  ObjectIndex object = kNoObject;
  AskedVerdict verdict = AskedVerdict::NotDefined;
  bool is_itself_first = false;              ///< DT_SYMBOLIC: asked before the scope because it is the referrer
  bool has_gnu_hash = false;                 ///< asked through DT_GNU_HASH, not DT_HASH
  std::vector<OtherVersion> other_versions;  ///< definitions of that name, in the order of the hash chain
  std::optional<std::size_t> served_by;  ///< index into definitions in another version; also of a weak one passed over
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
  [[nodiscard]] const OtherVersion* definition() const {
    return serving ? &asked[*serving].other_versions[*asked[*serving].served_by] : nullptr;
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

// The dynamic symbols of one file, with their versions.
//
// The number of symbols is known from the hash tables only (gABI "Hash Table"; DT_GNU_HASH as in glibc
// elf/dl-lookup.c): ld.so has no other way either. An object that defines nothing has no entry in
// DT_GNU_HASH; then the relocations tell which symbols it refers to.

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

/// A definition that nearly is a C++ symbol that is missing: of the same qualified name.
struct NearSymbol {
  enum class How : std::uint8_t {
    NotLoaded,              ///< the very symbol, of a library that lies beside those of the process
    OtherAbi,               ///< built with the other _GLIBCXX_USE_CXX11_ABI
    OtherAbiAndParameters,  ///< both
    OtherParameters,        ///< another overload, or another release of the function
    Local,                  ///< not for other objects
  } how = How::OtherParameters;
  ObjectIndex object = kNoObject;  ///< in the map; kNoObject: it is not loaded
  std::string path;
  std::string symbol;
};

std::string_view name_of(NearSymbol::How how);  ///< "not loaded", "other ABI", …

/// All dynamic symbols in table order, the null symbol included.
struct SymbolTable {
  std::vector<DynamicSymbol> symbols;
  bool has_versions = false;  ///< DT_VERSYM
  std::unique_ptr<char[]> strings;
};

// What one library offers in versions and symbols, and whether that serves a requirement or a
// needer. The proof of "just link libcudart.so.11.2 to libcudart.so.11.0".

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

/// How a requirement was written.
enum class NeedForm : std::uint8_t {
  Node,         ///< GLIBC_2.34
  BareVersion,  ///< 11.0: the nodes that end so, behind a character that is no letter or digit
  Symbol,       ///< cudaMalloc@libcudart.so.11.0
};

/// One requirement of a needer, met or not.
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
  std::vector<Statement> instead;                   ///< for a refusal: what is there, the same family first
  std::vector<std::size_t> family;                  ///< for a refused node: records of its family, nearest first
};
/// Does `library` serve `need`? The base record (the library's own name) does not count as a node:
/// no symbol can carry it.
NeedAnswer answer_need(const VersionedLibrary& library, std::string_view need);

struct ForSymbol {
  std::string name;
  std::string version;
  ForVerdict verdict = ForVerdict::Missing;
  bool weak = false;  ///< a weak reference: its absence is no error
  /// The needer holds a copy (COPY relocation), for which it has `copy_bytes`.
  bool is_copy = false;
  std::uint64_t copy_bytes = 0;
  std::uint64_t library_bytes = 0;   ///< size of the definition; a bigger one than the copy: a warning
  std::size_t symbol_index = 0;      ///< of the reference, in the needer's symbol table
  std::uint64_t file_offset = 0;     ///< of that entry, in the needer
  std::vector<std::string> instead;  ///< versions in which the library has the name (32 at most)
};
struct ForVersion {
  VersionNeed need;
  VersionMatch match;
};
struct ForAnswer {
  std::string needer;
  std::vector<std::string> files;  ///< DT_VERNEED files of the needer that mean this library
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
/// All that `needer` needs of `library`. A verneed record means the library if it names its SONAME
/// or its file name; if none does, those that differ from it only behind ".so": somebody thinks of
/// putting the library in that place.
ForAnswer answer_for(const VersionedLibrary& library, const VersionedLibrary& needer);

// What needers of one library can lose when another one takes its place.
//
// Judged by the rules of ld.so for each reference that a needer can have: its version nodes
// (glibc elf/dl-version.c), its symbols (elf/dl-lookup.c:check_match), and what relocations assume of
// them (COPY: elf/dl-machine.h). Leaves out what no loader sees: signatures, structures, behaviour.

enum class SymbolChangeKind : std::uint8_t {
  Gone,          ///< no definition of the name: a reference stays undefined
  OtherVersion,  ///< only with other versions: likewise
  Kind,          ///< function, data or thread-local, and another of them now
  Size,          ///< data of another size: a program that holds a copy (COPY relocation), or that
                 ///< knows the layout, has room for the old size
  Protected,     ///< data that is protected now: a copy in a program is no longer the library's own
  Unversioned,   ///< served by a definition without a version now: no loss
  Default,       ///< another version is the default: linked needers keep theirs, dlsym and the
                 ///< link editor take the new one: no loss
  Unique,        ///< STB_GNU_UNIQUE before or now, but not both: one definition in the process, or
                 ///< one in each library: no loss by the loader's measure
};

/// One definition of the old library that the new one does not have in the same way.
struct SymbolChange {
  SymbolChangeKind kind = SymbolChangeKind::Gone;
  std::string name;
  std::string version;               ///< empty: none
  std::vector<std::string> instead;  ///< OtherVersion, Default: the versions in question
  std::uint8_t old_type = 0;         ///< STT_*
  std::uint8_t new_type = 0;
  std::uint64_t old_bytes = 0;  ///< st_size
  std::uint64_t new_bytes = 0;
  std::size_t old_index = 0;  ///< in the old library's symbol table
  [[nodiscard]] bool is_loss() const;
};

/// A version node of the old library that the new one lacks.
struct NodeLoss {
  std::string name;
  std::size_t symbols = 0;  ///< definitions that carried it
};

struct LibraryDiff {
  bool has_other_soname = false;        ///< needers ask for the old name
  bool has_no_nodes_now = false;        ///< no DT_VERDEF any more: ld.so warns and goes on
  bool ends_in_assertion = false;       ///< as in ForAnswer: for versioned needers, before glibc 2.41
  std::vector<NodeLoss> missing_nodes;  ///< in file order
  std::vector<SymbolChange> changes;    ///< by name; changes of default last
  std::vector<std::string> new_nodes;
  std::size_t old_symbols = 0;                ///< definitions of the old library
  std::size_t new_symbols = 0;                ///< names with versions that only the new one has
  std::vector<std::string> new_needed;        ///< DT_NEEDED that the old one did not have
  std::vector<std::string> new_requirements;  ///< "libc.so.6 GLIBC_2.34", likewise

  enum class Stands : std::uint8_t { ForEveryone, ForSome, Unbound };
  /// ForNobody: every node that a symbol carried is gone, or every symbol is. A SONAME alone never
  /// makes it so: ld.so does not compare it.
  [[nodiscard]] Stands stands() const;
  [[nodiscard]] bool has_loss() const;
};

/// Can `now` stand where `old` stood?
LibraryDiff compare_libraries(const VersionedLibrary& old, const VersionedLibrary& now);

}  // namespace SORESOLVE_API
