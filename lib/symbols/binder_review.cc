// The last pass, over what has been found: counts, and what the loader can have to say: copies, protected and unique
// symbols, IFUNCs. Source: glibc 2.36 elf/dl-lookup.c:_dl_lookup_symbol_x, elf/dl-reloc.c.
#include "symbols/binder_passes.h"

#include <elf.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "loader/load.h"
#include "loader/system.h"

namespace soresolve {

// The last pass, over what has been found: counts, and what the loader can have to say.
void Binder::review_references() {
  std::vector<std::size_t> place(map_.objects.size(), 0);
  for (std::size_t i = 0; i < state_->order.size(); ++i) place[state_->order[i]] = i + 1;
  for (const ObjectIndex index : new_order()) {
    BoundObject& object = bound_object(index);
    const BindingScope& scope = state_->scope_of(index);
    bool is_reported_again = false;
    for (std::size_t i = 0; i < object.references.size(); ++i) {
      const BoundReference& reference = object.references[i];
      count(scope, reference, state_->tallies[map_.dlopen_call_of(index)]);
      if (state_->is_plain(scope, reference)) continue;
      state_->notable[index].push_back(static_cast<std::uint32_t>(i));
      is_unique_notable_ |= can_be_unique(object, scope, i);
      const Definition& found = scope.lookups.at(reference.lookup).found;
      if (found.object == kNoObject) continue;
      is_reported_again |= is_repeated(index, reference, found, place[found.object] > place[index]);
    }
    if (is_reported_again) read_repeats(index, object);
    if (error_) return;
  }
  if (is_unique_notable_) add_unique();
  // musl leaves only what it does not find, of what is opened with RTLD_LAZY (ldso/dynlink.c:do_relocs).
  if (system_.rules.libc != Libc::Musl) return;
  for (Bindings::Tally& tally : state_->tallies) tally.bound_lazily = 0;
}

bool Binder::is_unique(const Definition& found) const {
  return system_.rules.has_unique && found.info >> 4 == STB_GNU_UNIQUE;
}

// Does it depend on which definition of a unique symbol was bound first?
bool Binder::can_be_unique(const BoundObject& object, const BindingScope& scope, std::size_t index) const {
  const BoundReference& reference = object.references[index];
  return reference.is_protected || is_unique(scope.lookups.at(reference.lookup).found) ||
         (reference.own != 0 && is_unique(object.own[reference.own - 1].definition));
}

// All that is bound to unique definitions, too, in its place.
void Binder::add_unique() {
  for (ObjectIndex index = 0; index < state_->notable.size(); ++index) {
    const BoundObject& object = state_->object(index);
    const BindingScope& scope = state_->scope_of(index);
    std::vector<std::uint32_t>& notable = state_->notable[index];
    const std::vector<std::uint32_t> others = std::exchange(notable, {});
    auto other = others.begin();
    for (std::uint32_t i = 0; i < object.references.size(); ++i) {
      const BoundReference& reference = object.references[i];
      const bool is_other = other != others.end() && *other == i;
      if (is_other) ++other;
      if (is_other || is_unique(scope.lookups.at(reference.lookup).found)) {
        notable.push_back(i);
      }
    }
  }
}

void Binder::count(const BindingScope& scope, const BoundReference& reference, Bindings::Tally& tally) {
  const bool is_bound = reference.own != 0 || scope.lookups.at(reference.lookup).found.object != kNoObject;
  ++tally.references;
  tally.bound_lazily += is_bound && reference.is_lazy;
  tally.unbound_weak += !is_bound && reference.is_weak;
}

// An IFUNC in an object that is relocated later, and a protected symbol that the program copies or
// takes the address of: the loader says so at each relocation or lookup, not once.
bool Binder::is_repeated(ObjectIndex referrer, const BoundReference& reference, const Definition& found,
                         bool is_later) {
  return (is_later && (found.info & 0xf) == STT_GNU_IFUNC) ||
         (referrer == 0 && (found.other & 3) == STV_PROTECTED &&
          (reference.is_direct || reference.lookup_class == LookupClass::Copy));
}

void Binder::read_repeats(ObjectIndex index, BoundObject& object) {
  Result<ObjectFile> opened = open_object_file(map_, index);
  if (!opened) {
    error_ = std::move(opened).error();
    return;
  }
  TableReader reader(*opened->file, *opened->elf, scratch_[0].tables);
  ReferenceRules rules = rules_for(index);
  rules.wants_repeats = true;
  ObjectReferences from;
  const Result<VersionTables>& versions = versions_.of(index);
  if (!versions) return;
  const VersionIndex version_index = is_unchecked_[index] ? VersionIndex() : VersionIndex(*versions);
  const OwnSymbols own{hashed_of(index), &version_index};
  if (read_references(reader, *opened->elf, rules, own, {}, scratch_[0].references, from)) return;
  // References of one object are told apart by symbol, class and laziness.
  const auto key_of = [](std::uint32_t symbol, LookupClass lookup_class, bool is_lazy) {
    return std::uint64_t{symbol} << 8 | static_cast<std::uint64_t>(lookup_class) << 1 | std::uint64_t{is_lazy};
  };
  std::unordered_map<std::uint64_t, std::size_t> known;
  for (std::size_t i = 0; i < object.references.size(); ++i) {
    const BoundReference& bound = object.references[i];
    known.emplace(key_of(bound.symbol, bound.lookup_class, bound.is_lazy), i);
  }
  for (const RepeatedReference& repeat : from.repeats) {
    const auto at = known.find(
        key_of(from.symbols[repeat.reference.symbol].index, class_of(repeat.reference.use), repeat.reference.is_lazy));
    if (at != known.end())
      object.interruptions.push_back({repeat.after, false, at->second, repeat.is_looked_up, TlsUse::None, false});
  }
  // What repeats stands before the damage that ends it.
  std::stable_sort(object.interruptions.begin(), object.interruptions.end(), [](const auto& a, const auto& b) {
    return std::pair(a.after, a.is_damage) < std::pair(b.after, b.is_damage);
  });
}
}  // namespace soresolve
