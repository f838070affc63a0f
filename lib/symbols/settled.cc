// What a map has to have, so that the references of a file end where they ended in another. All that is not plain, like
// thread-local storage at a fixed place, copies, protected symbols, is left to the binder.
#include "symbols/settled.h"

#include <elf.h>

#include <algorithm>

namespace soresolve {
namespace {

/// The loader is one and the same in all processes of a machine.
constexpr FileKey kLoader = {0, 0, 0, 0};

/// Of one object that is relocated later, and of objects without versions in one scope: beyond them all is bound, which
/// takes a time that is bounded by the files.
constexpr std::size_t kMostNotable = 4096;
constexpr std::size_t kMostUnversioned = 64;

}  // namespace

ResolvedScopes::ResolvedScopes(const LinkMap& map, const std::vector<ObjectIndex>& relocation_order,
                               const std::vector<HashedSymbols>& hashed, const std::vector<bool>& is_unchecked)
    : map_(map), hashed_(hashed), is_unchecked_(is_unchecked), place_(map.objects.size(), relocation_order.size()) {
  for (std::size_t i = 0; i < relocation_order.size(); ++i) place_[relocation_order[i]] = i;
}

std::optional<FileKey> ResolvedScopes::key_of(ObjectIndex object) const {
  const LoadedObject& loaded = map_.objects[object];
  if (is_unchecked_[object]) return std::nullopt;
  if (loaded.role == ObjectRole::Loader) return kLoader;
  const bool is_file = loaded.role == ObjectRole::Library && loaded.live == nullptr && loaded.status.id != FileId{};
  return is_file ? std::optional(ObjectStore::key_of(loaded.status)) : std::nullopt;
}

const ResolvedScopes::Members& ResolvedScopes::members_of(const std::vector<ObjectIndex>& scope) {
  const auto [entry, is_new] = members_.try_emplace(&scope);
  Members& members = entry->second;
  if (!is_new) return members;
  for (const ObjectIndex object : scope) {
    if (const std::optional<FileKey> key = key_of(object)) members.files.emplace_back(*key, object);
    if (!hashed_[object].notable.empty()) members.with_notable.push_back(object);
    const LoadedObject& loaded = map_.objects[object];
    const bool has_names = loaded.role == ObjectRole::Main || loaded.role == ObjectRole::Library;
    if (has_names && !loaded.elf.symbol_tags.version_index) members.unversioned.push_back(object);
    members.is_complete = members.is_complete && hashed_[object].is_complete;
  }
  std::sort(members.files.begin(), members.files.end());
  return members;
}

bool ResolvedScopes::covers(ObjectIndex object, const ObjectDigest& digest, const SettledReferences& known,
                            const std::vector<ObjectIndex>& scope) {
  const Members& members = members_of(scope);
  if (!members.is_complete) return false;
  const auto find = [&](const FileKey& key) {
    const auto at = std::lower_bound(members.files.begin(), members.files.end(), std::pair(key, ObjectIndex{0}));
    return at != members.files.end() && at->first == key;
  };
  if (!std::all_of(known.providers.begin(), known.providers.end(), find)) return false;
  for (const ObjectIndex other : members.with_notable) {
    if (other == object || place_[other] < place_[object]) continue;
    if (hashed_[other].notable.size() > kMostNotable) return false;
    for (const std::uint32_t value : hashed_[other].notable) {
      if (std::binary_search(known.hashes.begin(), known.hashes.end(), value & ~1u)) return false;
    }
  }
  if (members.unversioned.size() > kMostUnversioned) return false;
  for (const ObjectIndex other : members.unversioned) {
    const std::vector<VersionNeed>& needs = digest.versions->needs;
    const auto is_asked = [&](const VersionNeed& need) { return map_.objects[other].matches_name(need.file); };
    if (std::any_of(needs.begin(), needs.end(), is_asked)) return false;
  }
  return true;
}

std::optional<SettledReferences> ResolvedScopes::settle(ObjectIndex index, const BoundObject& object,
                                                        const BindingScope& scope, const ObjectDigest& digest) const {
  const bool is_plain = object.interruptions.empty() && object.own.empty() && object.copy_sizes.empty() &&
                        object.protected_lookups.empty() && digest.references.tls.empty() && digest.versions;
  if (!is_plain) return std::nullopt;
  SettledReferences settled;
  std::vector<bool> is_provider(map_.objects.size(), false);
  for (const BoundReference& reference : object.references) {
    const SymbolLookup& lookup = scope.lookups.at(reference.lookup);
    settled.hashes.push_back(lookup.hash & ~1u);
    const Definition& found = lookup.found;
    if (found.object == kNoObject && reference.is_weak) continue;
    const bool is_passed = !scope.passed_over.empty() && scope.passed_over.contains(reference.lookup);
    if (found.object == kNoObject || reference.is_protected || found.is_unversioned || is_passed ||
        (found.other & 3) == STV_PROTECTED) {
      return std::nullopt;
    }
    if (reference.wants_tls != ((found.info & 0xf) == STT_TLS)) return std::nullopt;
    if ((found.info & 0xf) == STT_GNU_IFUNC && place_[found.object] >= place_[index]) return std::nullopt;
    if (found.object == index || is_provider[found.object]) continue;
    is_provider[found.object] = true;
    const std::optional<FileKey> key = key_of(found.object);
    if (!key) return std::nullopt;
    settled.providers.push_back(*key);
  }
  std::sort(settled.hashes.begin(), settled.hashes.end());
  settled.hashes.erase(std::unique(settled.hashes.begin(), settled.hashes.end()), settled.hashes.end());
  std::sort(settled.providers.begin(), settled.providers.end());
  return settled;
}

}  // namespace soresolve
