// Which definition does each symbol reference of a link map bind to?
//
// Source: glibc elf/dl-lookup.c:_dl_lookup_symbol_x, do_lookup_x, check_match, do_lookup_unique;
// elf/dl-reloc.c:_dl_relocate_object (which references there are, in which order). Resolvers of
// IFUNC symbols are not run, so what they would choose stays open.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/link_map.h"
#include "soresolve/process.h"
#include "soresolve/result.h"
#include "soresolve/system.h"

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
  Told,
  /// Left out by for_each(), where the hash tables prove that no object that is asked before the
  /// referrer has an IFUNC or a protected symbol of the name: of others the loader has nothing to say.
  /// The referrer's table is believed on the hash values of its own names. tally() is the same. Which
  /// definition of a unique symbol was bound first is not known of those that are left out.
  Counted,
};

struct BindOptions {
  unsigned jobs = 1;  ///< threads; the result does not depend on it
  OwnReferences own = OwnReferences::Told;
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

  /// The objects that are asked for the symbols of what the start (0) or the n-th opening has loaded.
  [[nodiscard]] const std::vector<ObjectIndex>& scope(std::size_t opening) const;
  /// The objects in the order in which they are relocated: those of the start, then each opening's.
  [[nodiscard]] const std::vector<ObjectIndex>& relocation_order() const;
  /// All damage, of references and of definitions.
  [[nodiscard]] const std::vector<BindingDamage>& damages() const;
  /// All references, added up; repeated ones and those of the loader count as none.
  struct Tally {
    std::size_t references = 0;    ///< after merging equal ones
    std::size_t bound_lazily = 0;  ///< bound, but left for the first call unless LD_BIND_NOW is set
    std::size_t unbound_weak = 0;
  };
  /// Of what the start (0) or the n-th opening has loaded.
  [[nodiscard]] const Tally& tally(std::size_t opening) const;
  /// Lookups that were made for them.
  [[nodiscard]] std::size_t lookup_count() const;

  struct State;  ///< not for users

 private:
  friend class Binder;
  enum class Which : std::uint8_t { All, Notable };
  void play(Which which, const std::function<void(const Event&)>& visit) const;
  std::unique_ptr<State> state_;
};

/// Binds every reference of `map` in the scopes that the start and its openings give its objects. The
/// Bindings borrow from `map`. Damaged tables are part of the answer. Errors: a file that was open for
/// the walk cannot be opened again; LimitReached.
Result<Bindings> bind_symbols(const LinkMap& map, const BindOptions& options = {});

}  // namespace SORESOLVE_API
