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
  std::size_t slot = first_slot(hash);
  for (; slots_[slot].id != 0; slot = next_slot(slot)) {
    ++steps_;
    if (slots_[slot].hash != hash) continue;
    const LookupId id = slots_[slot].id - 1;
    const Lookup& known = at(id);
    if (known.version == version && known.lookup_class == lookup_class && known.name() == name) {
      return id;
    }
  }
  if (size_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<Lookup[]>(kBlock));
  const LookupId id = static_cast<LookupId>(size_++);
  Lookup& added = at(id);
  added.name_start = text_.keep(name).data();
  added.name_length = static_cast<std::uint32_t>(name.size());
  added.hash = hash;
  added.version = version;
  added.lookup_class = lookup_class;
  slots_[slot] = {hash, id + 1};
  filter_[filter_word(hash)] |= std::uint64_t{1} << filter_bit(hash);
  if (size_ * 2 > slots_.size()) grow();
  return id;
}

void LookupSet::grow() {
  slots_.assign(slots_.size() * 2, {});
  for (LookupId id = 0; id < size_; ++id) {
    std::size_t slot = first_slot(at(id).hash);
    while (slots_[slot].id != 0) slot = next_slot(slot);
    slots_[slot] = {at(id).hash, id + 1};
  }
}

}  // namespace soresolve
