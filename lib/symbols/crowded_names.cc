// An index of the definitions of one name by version, for files that define one name very often: a lookup then costs a
// logarithm. The choice is that of glibc 2.36 elf/dl-lookup.c:check_match, as in definitions.cc.
#include "symbols/crowded_names.h"

#include <algorithm>

namespace soresolve {

SameName::Index SameName::make_index(bool is_plt) const {
  Index index;
  for (std::size_t place = 0; place < symbols_.size(); ++place) {
    if (is_plt && !symbols_[place].serves_plt) continue;
    const std::uint16_t versym = symbols_[place].symbol.versym;
    const bool is_hidden = (versym & kVersymHidden) != 0;
    const WantedVersion& offered = provider_.at(versym);
    index.all.add(place);
    index.offered.push_back({offered.hash, offered.name, place});
    if (offered.hash == 0 && !is_hidden) index.unversioned.add(place);
    if ((versym & kVersymIndex) < 3) {
      index.oldest.add(place);
    } else if (!is_hidden) {
      index.defaults.add(place);
    }
  }
  std::sort(index.offered.begin(), index.offered.end());
  return index;
}

std::optional<std::size_t> SameName::find(const Index& index, const WantedVersion& wanted) const {
  const Offered key{wanted.hash, wanted.name, 0};
  const auto exact = std::lower_bound(index.offered.begin(), index.offered.end(), key);
  const bool is_exact = exact != index.offered.end() && exact->hash == wanted.hash && exact->name == wanted.name;
  const Few others = wanted.is_hidden ? Few() : index.unversioned;
  // Before 2.42 the first that will do is taken; since then one without a version only if it is the only one.
  if (!rules_.prefers_exact_version && others.count != 0) {
    return is_exact ? std::min(exact->place, others.first) : others.first;
  }
  if (is_exact) return exact->place;
  return others.count == 1 ? std::optional(others.first) : std::nullopt;
}

const SymbolCandidate* SameName::choose(const WantedVersion* wanted, LookupClass lookup_class) {
  const bool is_plt = lookup_class == LookupClass::Plt;
  std::optional<Index>& index = indices_[is_plt ? 1 : 0];
  if (!index) index = make_index(is_plt);
  if (index->all.count == 0) return nullptr;
  std::optional<std::size_t> place;
  if (!provider_.is_used()) {
    place = index->all.first;
  } else if (wanted != nullptr) {
    place = find(*index, *wanted);
  } else if (index->oldest.count != 0) {
    place = index->oldest.first;
  } else if (index->defaults.count == 1) {
    place = index->defaults.first;
  }
  return place ? &symbols_[*place].symbol : nullptr;
}

}  // namespace soresolve
