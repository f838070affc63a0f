// The second pass: who defines what is looked for, scope by scope. Source: glibc 2.36 elf/dl-lookup.c:do_lookup_x;
// musl ldso/dynlink.c:get_lfs64.
#include "symbols/binder_passes.h"

#include <elf.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "loader/load.h"
#include "loader/system.h"
#include "symbols/gnu_hash.h"
#include "symbols/musl.h"

namespace soresolve {

// The second pass: for each scope its objects in their order.
void Binder::find_all_definitions() {
  for (BindingScope& scope : state_->scopes) {
    for (const ObjectIndex index : scope.list) versions_.of(index);
    if (scope.lookups.size() != 0 && !error_) find_definitions_in(scope);
    if (system_.rules.retries_lfs64 && !error_) retry_lfs64(scope);
  }
}

// A library that was opened with RTLD_LOCAL is in no scope but its own, but its unique symbols are in the table of the
// namespace (elf/dl-lookup.c:do_lookup_unique), where those that are opened later find them. Which they are the process
// has decided by its lookups: the code that a compiler makes for such a definition also refers to it, so that the first
// library that defines one has put it there, in the order in which they were loaded.
void Binder::find_live_unique() {
  if (!process_.live || !system_.rules.has_unique) return;
  LookupSet& names = state_->live_names;
  for (const BindingScope& scope : state_->scopes) {
    for (LookupId id = 0; id < scope.lookups.size(); ++id) {
      const SymbolLookup& lookup = scope.lookups.at(id);
      if (is_unique(lookup.found)) names.intern(lookup.name(), lookup.hash, lookup.version, LookupClass::Plain);
    }
  }
  if (names.size() == 0) return;
  for (ObjectIndex index = 0; index < map_.objects.size(); ++index) {
    const LoadedObject& object = map_.objects[index];
    const bool is_global = std::find(map_.search_list.begin(), map_.search_list.end(), index) != map_.search_list.end();
    if (object.live == nullptr || is_global || find_in(index, names, scratch_[0])) continue;
    for (const Hit& hit : scratch_[0].definitions.hits) {
      if (hit.is_ignored || !is_unique(hit.definition)) continue;
      names.take(hit.lookup, hit.definition, true);
      state_->live_unique.try_emplace(names.at(hit.lookup).name(), hit.definition);
    }
  }
}

// musl since 1.2.4: what is not found as open64 is libc's open (ldso/dynlink.c:get_lfs64).
void Binder::retry_lfs64(BindingScope& scope) {
  const auto is_libc = [](const LoadedObject& object) { return object.role == ObjectRole::Loader; };
  const auto libc = std::find_if(map_.objects.begin(), map_.objects.end(), is_libc);
  if (libc == map_.objects.end()) return;
  LookupSet plain;
  std::vector<std::pair<LookupId, LookupId>> tries;  // in `plain`, and whose
  for (LookupId id = 0; id < scope.lookups.size(); ++id) {
    const SymbolLookup& lookup = scope.lookups.at(id);
    if (lookup.found.object != kNoObject) continue;
    const std::string_view name = name_without_lfs64(lookup.name(), system_.rules);
    if (name.empty()) continue;
    tries.emplace_back(plain.intern(name, gnu_hash(name), 0, LookupClass::Plt), id);
  }
  const ObjectIndex index = static_cast<ObjectIndex>(libc - map_.objects.begin());
  if (tries.empty() || find_in(index, plain, scratch_[0])) return;
  for (const Hit& hit : scratch_[0].definitions.hits) {
    if (!hit.is_ignored) plain.take(hit.lookup, hit.definition, true);
  }
  for (const auto& [tried, id] : tries) {
    if (plain.at(tried).is_done) scope.lookups.take(id, plain.at(tried).found, true);
  }
}

// By its hash values, where these are known.
bool Binder::may_define(ObjectIndex index, const LookupSet& lookups, const std::vector<LookupId>& open) const {
  if (index >= hashed_.size() || hashed_[index].all == nullptr) return true;
  const HashValues& values = *hashed_[index].all;
  // To read the object's table takes no longer then.
  if (open.size() > values.size_bytes()) return true;
  return std::any_of(open.begin(), open.end(), [&](LookupId id) { return values.has(lookups.at(id).hash); });
}

void Binder::find_definitions_in(BindingScope& scope) {
  const std::vector<ObjectIndex>& list = scope.list;
  std::vector<std::vector<Hit>> hits(jobs_ == 1 ? 1 : list.size());
  std::vector<std::optional<Error>> damage(list.size());
  const auto find = [&](unsigned thread, std::size_t i, std::vector<Hit>& into) {
    damage[i] = find_in(list[i], scope.lookups, scratch_[thread]);
    into.swap(scratch_[thread].definitions.hits);
  };
  if (jobs_ == 1) {
    std::vector<LookupId> open(scope.lookups.size());
    std::iota(open.begin(), open.end(), LookupId{0});
    std::size_t found = 0;  // since `open` was looked through
    for (std::size_t i = 0; i < list.size() && !error_; ++i) {
      if (!may_define(list[i], scope.lookups, open)) continue;
      find(0, i, hits[0]);
      merge_hits(list[i], hits[0], damage[i], scope);
      found += hits[0].size();
      if (found <= open.size() / 4) continue;
      std::erase_if(open, [&](LookupId id) { return scope.lookups.at(id).is_done; });
      found = 0;
    }
    return;
  }
  for_each_index(list.size(), jobs_, [&](unsigned thread, std::size_t i) { find(thread, i, hits[i]); });
  for (std::size_t i = 0; i < list.size() && !error_; ++i) {
    merge_hits(list[i], hits[i], damage[i], scope);
  }
}

std::optional<Error> Binder::find_in(ObjectIndex index, const LookupSet& lookups, ThreadScratch& scratch) {
  scratch.definitions.hits.clear();
  const Result<VersionTables>& versions = versions_.of(index);
  if (!versions) return versions.error();
  Result<ObjectFile> opened = open_object_file(map_, index);
  if (!opened) return std::move(opened).error();
  if (opened->file == nullptr) return std::nullopt;
  TableReader reader(*opened->file, *opened->elf, scratch.tables, TableReader::Purpose::Definitions);
  const VersionIndex version_index = is_unchecked_[index] ? VersionIndex() : VersionIndex(*versions);
  const ProviderView provider{index, opened->elf, &version_index, map_.objects[index].name(),
                              index == 0 ? Asked::NotCopies : Asked::AllObjects};
  return find_definitions(reader, provider, definition_rules_, state_->wanted, scratch.definitions, lookups);
}

void Binder::merge_hits(ObjectIndex index, const std::vector<Hit>& hits, std::optional<Error>& damage,
                        BindingScope& scope) {
  if (damage) {
    if (damage->code == ErrorCode::Unreadable || damage->code == ErrorCode::LimitReached) {
      error_ = std::move(damage);
      return;
    }
    // Told once, though several scopes have the object.
    const auto is_same = [&](const BindingDamage& known) {
      return known.object == index && known.kind == BindingDamage::Kind::Definitions;
    };
    if (std::none_of(state_->damages.begin(), state_->damages.end(), is_same)) {
      state_->damages.push_back({index, BindingDamage::Kind::Definitions, std::move(*damage)});
    }
    return;
  }
  for (const Hit& hit : hits) {
    LookupSet& lookups = scope.lookups;
    const bool is_passed_over = hit.is_ignored || !hit.is_final;
    const bool is_protected = (hit.definition.other & 3) == STV_PROTECTED;
    if (is_passed_over && (is_protected || hit.definition.is_unversioned) && !lookups.at(hit.lookup).is_done) {
      scope.passed_over[hit.lookup].push_back({index, is_protected, hit.definition.is_unversioned});
    }
    if (hit.is_ignored) continue;
    lookups.take(hit.lookup, hit.definition, hit.is_final);
    const SymbolLookup& lookup = lookups.at(hit.lookup);
    if (lookup.lookup_class == LookupClass::Copy && lookup.found.object == index) {
      scope.copied_sizes[hit.lookup] = hit.size_bytes;
    }
  }
}
}  // namespace soresolve
