// What Bindings keeps: every reference in few bytes, every lookup once.
#pragma once
#include <elf.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "loader/loader_rules.h"
#include "soresolve/symbols.h"
#include "symbols/lookup_set.h"
#include "symbols/own_symbols.h"

namespace soresolve {

struct BoundReference {
  std::uint32_t symbol = 0;  ///< in the referrer's DT_SYMTAB
  LookupId lookup = 0;
  std::uint32_t own = 0;  ///< index into BoundObject::own, + 1: it serves itself
  LookupClass lookup_class = LookupClass::Plain;
  bool is_weak : 1 = false;
  bool is_lazy : 1 = false;
  bool is_protected : 1 = false;
  bool is_direct : 1 = false;
  bool wants_tls : 1 = false;  ///< STT_TLS: the code that refers to it reaches it through the thread
};

/// The further lookups for a reference to a protected symbol of the object itself.
struct ProtectedLookup {
  LookupId second = 0;
  /// Instead of `second` where that finds the program's copy of the symbol.
  LookupId past_program = 0;
};

/// A symbol that the loader has looked at and not taken.
struct PassedOver {
  ObjectIndex object = kNoObject;
  bool is_protected = false;
  bool is_unversioned = false;
};

struct OwnDefinition {
  Definition definition;
  bool is_final = true;  ///< false: weak, and LD_DYNAMIC_WEAK lets a strong one win
};

struct BoundObject {
  std::size_t scope = 0;  ///< index into State::scopes
  std::vector<BoundReference> references;
  std::vector<OwnDefinition> own;
  std::unordered_map<std::size_t, std::uint64_t> copy_sizes;  ///< st_size by index of the reference
  std::unordered_map<std::size_t, ProtectedLookup> protected_lookups;
  /// Damage, and references that come up again, by the number of references before them; ascending.
  struct Interruption {
    std::size_t after = 0;
    bool is_damage = false;
    std::size_t index = 0;          ///< into State::damages, or of the reference
    bool is_looked_up = false;      ///< a reference that is looked up anew
    TlsUse tls_use = TlsUse::None;  ///< a reference to a variable; index TlsReference::kItself: to its own
    bool is_lazy = false;           ///< of a tls_use
  };
  std::vector<Interruption> interruptions;
};

/// All that is looked up in one list of objects.
struct BindingScope {
  std::vector<ObjectIndex> list;
  LookupSet lookups;
  std::unordered_map<LookupId, std::vector<PassedOver>> passed_over;
  std::unordered_map<LookupId, std::uint64_t> copied_sizes;  ///< st_size of what is copied
};

/// What a map's dlopen calls change of what was loaded before them is nothing: so the Bindings of a map and those of
/// the same map with more dlopen calls share what they have in common.
struct Bindings::State {
  const LinkMap* map = nullptr;
  std::shared_ptr<const State> before;  ///< has the first objects and scopes; null: there is nothing to share
  std::size_t first_object = 0;         ///< of those that `before` has not
  std::size_t first_scope = 0;
  /// In the order of relocation: the start, then each dlopen call.
  std::vector<ObjectIndex> order;
  std::vector<BindingScope> scopes;  ///< from first_scope on; 0: the start; n: the n-th dlopen call
  /// What ld.so looks up for itself, in the program's name, and when.
  std::vector<LookupId> loaders_own;
  enum class Turn : std::uint8_t { BeforeLoader, AfterLoader } loaders_own_turn = Turn::AfterLoader;
  std::vector<BoundObject> objects;  ///< from first_object on
  std::vector<BindingDamage> damages;
  /// Of a live process, by name: the first definition of a STB_GNU_UNIQUE symbol that none of its global scope has,
  /// in a library that was opened with RTLD_LOCAL. The texts are those of `live_names`, or of `before`.
  std::unordered_map<std::string_view, Definition> live_unique;
  LookupSet live_names;
  WantedVersions wanted;
  std::vector<Tally> tallies;  ///< by dlopen call
  /// By object: the references, by index, that Bindings::for_each_notable tells of. What is opened later adds to them.
  std::vector<std::vector<std::uint32_t>> notable;
  /// By object, what others bind to (no values); empty if all references are told.
  std::vector<HashedSymbols> hashed;
  bool has_left_out = false;  ///< OwnReferences::Settled: not all references are here

  [[nodiscard]] const BoundObject& object(ObjectIndex index) const {
    return index < first_object ? before->object(index) : objects[index - first_object];
  }
  [[nodiscard]] const BindingScope& scope(std::size_t dlopen_call) const {
    return dlopen_call < first_scope ? before->scope(dlopen_call) : scopes[dlopen_call - first_scope];
  }
  [[nodiscard]] std::size_t scope_count() const { return first_scope + scopes.size(); }
  [[nodiscard]] const BindingScope& scope_of(ObjectIndex index) const { return scope(object(index).scope); }
  /// Bound to something that no message of the loader is about. A unique definition may still decide
  /// where others are bound to.
  [[nodiscard]] bool is_plain(const BindingScope& scope, const BoundReference& reference) const {
    const Definition& found = scope.lookups.at(reference.lookup).found;
    return found.object != kNoObject && reference.own == 0 && !reference.is_protected &&
           reference.lookup_class != LookupClass::Copy && (found.info & 0xf) != STT_GNU_IFUNC &&
           (found.other & 3) != STV_PROTECTED && !found.is_unversioned &&
           reference.wants_tls == ((found.info & 0xf) == STT_TLS) &&
           (scope.passed_over.empty() || !scope.passed_over.contains(reference.lookup));
  }
};

}  // namespace soresolve
