// The whole work of bind_symbols(): its state, and its passes over the objects; not for others.
//
// Scopes and the order of the passes: binder.cc; which references need no lookup: binder_own.cc; what the objects refer
// to: binder_references.cc; who defines it: binder_definitions.cc; what the loader can have to say of what was found:
// binder_review.cc.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "symbols/bindings_state.h"
#include "symbols/map_versions.h"
#include "symbols/object_digest.h"
#include "symbols/object_store.h"
#include "symbols/settled.h"

namespace soresolve {

/// One map, bound once.
class Binder {
 public:
  Binder(const LinkMap& map, MapVersions& versions, const BindOptions& options);

  bool continue_from(const Bindings& bound);

  Result<Bindings> run();

  /// What is new decides which references to the old ones count: all is to be read again.
  [[nodiscard]] bool is_in_vain() const { return is_in_vain_; }
  /// Something was left out that matters after all.
  [[nodiscard]] bool lacks_references() const { return lacks_references_; }

 private:
  // binder.cc
  [[nodiscard]] bool is_all_in_sight() const;
  [[nodiscard]] bool is_continued(const LinkMap& before) const;
  [[nodiscard]] BoundObject& bound_object(ObjectIndex index) { return state_->objects[index - state_->first_object]; }
  [[nodiscard]] BindingScope& scope_at(std::size_t dlopen_call) {
    return state_->scopes[dlopen_call - state_->first_scope];
  }
  [[nodiscard]] std::span<const ObjectIndex> new_order() const;
  void make_scopes();

  // binder_own.cc
  void find_own_symbols();
  [[nodiscard]] bool is_shared(ObjectIndex index) const;
  void read_hashed(ObjectIndex index, ThreadScratch& scratch);
  void read_hashed_anew(ObjectIndex index, ThreadScratch& scratch);
  [[nodiscard]] const HashedSymbols* hashed_of(ObjectIndex index) const;

  // binder_references.cc
  void read_all_references();
  [[nodiscard]] ReferenceReading reading_of(ObjectIndex index) const;
  bool is_settled(ObjectIndex index, const std::shared_ptr<const ObjectDigest>& digest);
  void settle();
  std::shared_ptr<const ObjectDigest> find_digest(ObjectIndex index);
  void read(ObjectIndex index, ThreadScratch& scratch, ObjectDigest& digest) const;
  [[nodiscard]] ReferenceRules rules_for(ObjectIndex index) const;
  void merge(ObjectIndex index, const ObjectDigest& digest);
  void interrupt(BoundObject& object, std::size_t after, BindingDamage damage);
  [[nodiscard]] BindingDamage misplaced(ObjectIndex index, const MisplacedRelocation& relocation) const;
  [[nodiscard]] Error no_versions(ObjectIndex index, std::uint32_t symbol) const;
  void note_odd_types(BoundObject& object, ObjectIndex index, const ObjectReferences& from);
  void add_loaders_own();
  void note_protected(BoundObject& object, std::string_view name, const ReferredSymbol& symbol,
                      const Reference& reference, VersionId version);

  // binder_definitions.cc
  void find_all_definitions();
  void find_live_unique();
  void retry_lfs64(BindingScope& scope);
  [[nodiscard]] bool may_define(ObjectIndex index, const LookupSet& lookups, const std::vector<LookupId>& open) const;
  void find_definitions_in(BindingScope& scope);
  std::optional<Error> find_in(ObjectIndex index, const LookupSet& lookups, ThreadScratch& scratch);
  void merge_hits(ObjectIndex index, const std::vector<Hit>& hits, std::optional<Error>& damage, BindingScope& scope);

  // binder_review.cc
  void review_references();
  [[nodiscard]] bool is_unique(const Definition& found) const;
  [[nodiscard]] bool can_be_unique(const BoundObject& object, const BindingScope& scope, std::size_t index) const;
  void add_unique();
  static void count(const BindingScope& scope, const BoundReference& reference, Bindings::Tally& tally);
  static bool is_repeated(ObjectIndex referrer, const BoundReference& reference, const Definition& found,
                          bool is_later);
  void read_repeats(ObjectIndex index, BoundObject& object);

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  MapVersions& versions_;
  unsigned jobs_;
  OwnReferences own_;
  ObjectStore* store_;  ///< null: nothing is shared with other maps
  std::vector<ThreadScratch> scratch_;
  std::vector<HashedSymbols> hashed_;  ///< by object; empty if all references are told
  std::vector<bool> is_unchanged_;     ///< by object: no object before it has a say in `hashed_`
  std::vector<bool> is_unchecked_;     ///< by object: the loader has no table of its versions
  DefinitionRules definition_rules_;
  ReferenceRules reference_rules_;
  std::shared_ptr<Bindings::State> state_;
  bool is_in_vain_ = false;
  bool is_unique_notable_ = false;
  bool lacks_references_ = false;
  std::optional<ResolvedScopes> settled_;  ///< OwnReferences::Settled only
  std::vector<std::pair<ObjectIndex, std::shared_ptr<const ObjectDigest>>> to_settle_;
  std::optional<Error> error_;
};

}  // namespace soresolve
