#include "version/lookup_set.h"

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

LookupId LookupSet::intern(std::string_view name, std::uint32_t hash, VersionId version,
                           LookupClass lookup_class) {
  for (LookupId id = slots_[slot(hash)]; id != 0; id = lookups_[id - 1].next) {
    ++steps_;
    const Lookup& known = lookups_[id - 1];
    if (known.hash == hash && known.version == version && known.lookup_class == lookup_class &&
        known.name == name) {
      return id - 1;
    }
  }
  if (lookups_.size() >= slots_.size()) grow();
  Lookup added;
  added.name = text_.keep(name);
  added.hash = hash;
  added.version = version;
  added.lookup_class = lookup_class;
  added.next = slots_[slot(hash)];
  lookups_.push_back(added);
  slots_[slot(hash)] = static_cast<LookupId>(lookups_.size());
  filter_[filter_word(hash)] |= std::uint64_t{1} << filter_bit(hash);
  return static_cast<LookupId>(lookups_.size() - 1);
}

void LookupSet::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::size_t i = 0; i < lookups_.size(); ++i) {
    lookups_[i].next = slots_[slot(lookups_[i].hash)];
    slots_[slot(lookups_[i].hash)] = static_cast<LookupId>(i + 1);
  }
}

}  // namespace soresolve
