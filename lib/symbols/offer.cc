// Sorts the symbols that one library offers by name and version, and finds the one that a reference gets. Source: glibc
// 2.36 elf/dl-lookup.c:check_match, elf/dl-version.c:_dl_check_map_versions (table l_versions). Left out: hash tables,
// and what other objects define before this one.
#include "symbols/offer.h"

#include <elf.h>

#include <algorithm>
#include <tuple>

namespace soresolve {
namespace {

struct NamedVersion {
  std::string_view name;
  std::uint32_t hash = 0;
};

/// By version index, as the loader fills l_versions: first what is required, then what is defined,
/// without the base (elf/dl-version.c:_dl_check_map_versions). Empty: versions are not used at all.
std::vector<NamedVersion> version_table(const VersionedLibrary& library) {
  std::vector<NamedVersion> table;
  const VersionTables& versions = library.versions;
  if (!library.symbols.has_versions) return table;
  const auto at = [&](std::uint16_t index) -> NamedVersion& {
    if (index >= table.size()) table.resize(index + std::size_t{1});
    return table[index];
  };
  for (const VersionNeed& need : versions.needs) at(need.index) = {need.name, need.hash};
  for (const VersionDef& def : versions.defs) {
    NamedVersion& version = at(def.index);
    if (!def.base) version = {def.name, def.hash};
  }
  return table;
}

bool is_node_marker(const OfferedSymbol& offered) {
  return offered.symbol->section == SHN_ABS && !offered.version.empty() && offered.symbol->name == offered.version;
}

struct ByName {
  bool operator()(const OfferedSymbol& a, std::string_view b) const { return a.symbol->name < b; }
  bool operator()(std::string_view a, const OfferedSymbol& b) const { return a < b.symbol->name; }
};

auto key_of(const OfferedSymbol& offered) {
  return std::tie(offered.symbol->name, offered.version, offered.hash, offered.is_hidden);
}

/// The first eight bytes, as a number that orders as they do: names are mostly told apart by them.
std::uint64_t prefix_of(std::string_view name) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < 8; ++i)
    prefix = prefix << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0);
  return prefix;
}

/// By key_of(); equal ones stay in their order.
void sort_by_name(std::vector<OfferedSymbol>& symbols) {
  struct Place {
    std::uint64_t prefix;
    std::size_t index;
  };
  std::vector<Place> places;
  places.reserve(symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) places.push_back({prefix_of(symbols[i].symbol->name), i});
  std::stable_sort(places.begin(), places.end(), [&symbols](const Place& a, const Place& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : key_of(symbols[a.index]) < key_of(symbols[b.index]);
  });
  std::vector<OfferedSymbol> sorted;
  sorted.reserve(symbols.size());
  for (const Place& place : places) sorted.push_back(symbols[place.index]);
  symbols = std::move(sorted);
}

}  // namespace

bool is_offered(const DynamicSymbol& symbol) {
  if (!symbol.is_defined() || symbol.name.empty()) return false;
  if (symbol.visibility == STV_HIDDEN || symbol.visibility == STV_INTERNAL) return false;
  if (symbol.binding != STB_GLOBAL && symbol.binding != STB_WEAK && symbol.binding != STB_GNU_UNIQUE) {
    return false;
  }
  switch (symbol.type) {
    case STT_TLS: return true;
    case STT_NOTYPE:
    case STT_OBJECT:
    case STT_FUNC:
    case STT_COMMON:
    case STT_GNU_IFUNC: return symbol.value != 0 || symbol.section == SHN_ABS;
    default: return false;
  }
}

Offer::Offer(const VersionedLibrary& library) {
  const std::vector<NamedVersion> table = version_table(library);
  has_versions_ = !table.empty();
  const std::vector<DynamicSymbol>& symbols = library.symbols.symbols;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (!is_offered(symbols[i])) continue;
    OfferedSymbol offered{&symbols[i], i, {}, 0, symbols[i].hidden && has_versions_};
    if (symbols[i].version < table.size() && table[symbols[i].version].hash != 0) {
      offered.version = table[symbols[i].version].name;
      offered.hash = table[symbols[i].version].hash;
    }
    if (!is_node_marker(offered)) symbols_.push_back(offered);
  }
  sort_by_name(symbols_);
  const auto is_again = [](const OfferedSymbol& a, const OfferedSymbol& b) { return key_of(a) == key_of(b); };
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(), is_again), symbols_.end());
}

std::span<const OfferedSymbol> Offer::named(std::string_view name) const {
  const auto [first, last] = std::equal_range(symbols_.begin(), symbols_.end(), name, ByName());
  return {first, last};
}

Offer::Found Offer::find(std::string_view name, std::string_view version, std::uint32_t hash) const {
  const std::span<const OfferedSymbol> candidates = named(name);
  if (candidates.empty()) return {};
  const auto exact =
      std::lower_bound(candidates.begin(), candidates.end(), std::tie(version, hash),
                       [](const OfferedSymbol& a, const auto& wanted) { return std::tie(a.version, a.hash) < wanted; });
  if (exact != candidates.end() && exact->version == version && exact->hash == hash) {
    return {ForVerdict::Met, &*exact};
  }
  for (const OfferedSymbol& candidate : candidates) {
    if (!candidate.version.empty()) break;
    if (candidate.hash == 0 && !candidate.is_hidden) return {ForVerdict::MetUnversioned, &candidate};
  }
  return {ForVerdict::OtherVersion, nullptr};
}

Offer::Found Offer::find_unversioned(std::string_view name) const {
  const OfferedSymbol* remembered = nullptr;
  std::size_t defaults = 0;
  const std::span<const OfferedSymbol> candidates = named(name);
  for (const OfferedSymbol& candidate : candidates) {
    if (!has_versions_ || candidate.symbol->version <= 2) return {ForVerdict::Met, &candidate};
    if (candidate.is_hidden) continue;
    remembered = &candidate;
    ++defaults;
  }
  if (defaults == 1) return {ForVerdict::Met, remembered};
  return {candidates.empty() ? ForVerdict::Missing : ForVerdict::OtherVersion, nullptr};
}

std::vector<std::string> Offer::versions_of(std::string_view name) const {
  std::vector<std::string> versions;
  for (const OfferedSymbol& candidate : named(name)) {
    if (versions.size() == kMaxListed) break;
    versions.emplace_back(candidate.version);
  }
  return versions;
}

}  // namespace soresolve
