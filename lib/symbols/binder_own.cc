// Which references of an object are to symbols of its own that nobody before it in its scope has, by hash values alone
// (own_symbols.h). Left out: maps whose objects have damaged tables, or notable unique symbols.
#include "symbols/binder_passes.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "loader/load.h"
#include "loader/system.h"

namespace soresolve {

// Which symbols need no lookup: those of whose bindings the loader has nothing to say.
void Binder::find_own_symbols() {
  // LD_DYNAMIC_WEAK lets others win that are asked later.
  if (definition_rules_.is_dynamic_weak || !definition_rules_.compares_versions) return;
  if (state_->before != nullptr) hashed_ = state_->before->hashed;
  const std::size_t first = hashed_.size();
  hashed_.resize(map_.objects.size());
  is_unchanged_.assign(map_.objects.size(), false);
  for_each_index(hashed_.size() - first, jobs_, [&](unsigned thread, std::size_t index) {
    read_hashed(static_cast<ObjectIndex>(first + index), scratch_[thread]);
  });
  // Then any reference may matter.
  const bool needs_all = std::any_of(hashed_.begin(), hashed_.end(), [](const HashedSymbols& symbols) {
    return symbols.has_notable_unique || symbols.is_damaged;
  });
  is_in_vain_ |= needs_all && state_->before != nullptr;
  if (needs_all) return hashed_.clear();
  std::vector<bool> is_asked(hashed_.size(), false);
  for (std::size_t i = state_->first_scope; i < state_->scope_count(); ++i) {
    NotableHashes notable;
    for (const ObjectIndex index : scope_at(i).list) {
      if (index >= state_->first_object && bound_object(index).scope == i) {
        is_unchanged_[index] = notable.keep_quiet(hashed_[index]) == KeptQuiet::AllOfThem;
        is_asked[index] = true;
      }
      notable.enter(hashed_[index]);
    }
  }
  // Nobody finds what is in no list.
  for (std::size_t i = 0; i < hashed_.size(); ++i) {
    if (!is_asked[i]) hashed_[i].values.clear();
  }
}

// Is it a file that other maps have as well?
bool Binder::is_shared(ObjectIndex index) const {
  const LoadedObject& object = map_.objects[index];
  return store_ != nullptr && object.role == ObjectRole::Library && object.live == nullptr &&
         object.status.id != FileId{};
}

void Binder::read_hashed(ObjectIndex index, ThreadScratch& scratch) {
  if (!is_shared(index)) return read_hashed_anew(index, scratch);
  const FileStatus& file = map_.objects[index].status;
  std::shared_ptr<const HashedSymbols> known = store_->find_hashed(file);
  if (known == nullptr) {
    read_hashed_anew(index, scratch);
    HashedSymbols& symbols = hashed_[index];
    if (symbols.is_damaged) return;
    if (symbols.is_complete) symbols.all = std::make_shared<const HashValues>(symbols.values);
    known = store_->keep(file, std::move(hashed_[index]));
  }
  hashed_[index] = *known;
}

void Binder::read_hashed_anew(ObjectIndex index, ThreadScratch& scratch) {
  const Result<ObjectFile> opened = open_object_file(map_, index);
  if (opened && opened->file == nullptr) return;
  if (opened) {
    TableReader reader(*opened->file, *opened->elf, scratch.tables, TableReader::Purpose::Hashes);
    hashed_[index] = read_hashed_symbols(reader, *opened->elf);
  } else {
    hashed_[index].is_complete = false;
  }
}

const HashedSymbols* Binder::hashed_of(ObjectIndex index) const {
  return hashed_.empty() || map_.looks_in_itself(index) ? nullptr : &hashed_[index];
}
}  // namespace soresolve
