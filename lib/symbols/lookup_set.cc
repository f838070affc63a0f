// A hash table of lookups that are the same for the loader: name, version, class. After a few slots with other entries
// a name goes to an ordered map, so that names made to collide cost a logarithm. The lookups are answered in
// definitions.cc.
#include "symbols/lookup_set.h"

#include <algorithm>

namespace soresolve {

VersionId WantedVersions::intern(const WantedVersion& version) {
  if (const auto known = ids_.find(version); known != ids_.end()) return known->second;
  WantedVersion kept = version;
  kept.name = text_.keep(version.name);
  kept.file = text_.keep(version.file);
  entries_.push_back(kept);
  const VersionId id = static_cast<VersionId>(entries_.size() - 1);
  ids_.emplace(kept, id);
  return id;
}

LookupId LookupSet::intern(std::string_view name, std::uint32_t hash, VersionId version, LookupClass lookup_class) {
  std::size_t slot = first_slot(hash);
  for (unsigned passed = 0; slots_[slot].id != 0; slot = next_slot(slot)) {
    if (slots_[slot].hash == hash) {
      const LookupId id = slots_[slot].id - 1;
      const SymbolLookup& known = at(id);
      if (known.version == version && known.lookup_class == lookup_class && known.name() == name) {
        return id;
      }
    }
    if (++passed == kMaxPassed) [[unlikely]]
      return intern_in_crowd(name, hash, version, lookup_class);
  }
  const LookupId id = add(name, hash, version, lookup_class);
  slots_[slot] = {hash, id + 1};
  if (size_ * 2 > slots_.size()) grow();
  return id;
}

LookupId LookupSet::intern_in_crowd(std::string_view name, std::uint32_t hash, VersionId version,
                                    LookupClass lookup_class) {
  std::map<CrowdKey, LookupId>& crowd = crowd_[hash];
  if (const auto known = crowd.find({name, version, lookup_class}); known != crowd.end()) return known->second;
  const LookupId id = add(name, hash, version, lookup_class);
  crowd.emplace(key_of(at(id)), id);
  if (size_ * 2 > slots_.size()) grow();
  return id;
}

LookupId LookupSet::add(std::string_view name, std::uint32_t hash, VersionId version, LookupClass lookup_class) {
  if (size_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<SymbolLookup[]>(kBlock));
  const LookupId id = static_cast<LookupId>(size_++);
  SymbolLookup& added = at(id);
  added.name_start = text_.keep(name).data();
  added.name_length = static_cast<std::uint32_t>(name.size());
  added.hash = hash;
  added.version = version;
  added.lookup_class = lookup_class;
  filter_[filter_word(hash)] |= std::uint64_t{1} << filter_bit(hash);
  return id;
}

/// All anew, so that each entry is in a slot near the first one of its hash, or in the crowd.
void LookupSet::grow() {
  slots_.assign(slots_.size() * 2, {});
  filter_.assign(std::min(slots_.size() * kFilterBitsPerSlot, kMaxFilterBits) / 64, 0);
  crowd_.clear();
  for (LookupId id = 0; id < size_; ++id) {
    const SymbolLookup& lookup = at(id);
    filter_[filter_word(lookup.hash)] |= std::uint64_t{1} << filter_bit(lookup.hash);
    std::size_t slot = first_slot(lookup.hash);
    unsigned passed = 0;
    while (slots_[slot].id != 0 && ++passed < kMaxPassed) slot = next_slot(slot);
    if (passed == kMaxPassed) {
      crowd_[lookup.hash].emplace(key_of(lookup), id);
    } else {
      slots_[slot] = {lookup.hash, id + 1};
    }
  }
}

}  // namespace soresolve
