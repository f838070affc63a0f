// Reads one object's version tables and references; with DT_SYMBOLIC also its lookups in itself (glibc 2.36
// elf/dl-load.c:_dl_map_object_from_fd, l_symbolic_searchlist). Other objects are not looked at, so that threads can
// share the work.
#include "symbols/object_digest.h"

#include "symbols/version_tables.h"

namespace soresolve {
namespace {

/// DT_SYMBOLIC: the object is asked before the global scope.
void look_in_itself(TableReader& reader, const ProviderView& self, const DefinitionRules& rules,
                    DefinitionScratch& scratch, ObjectDigest& digest) {
  WantedVersions wanted;
  LookupSet lookups;
  std::vector<LookupId> ids;
  for_each_lookup(digest, wanted, lookups,
                  [&](const Reference&, const ReferredSymbol&, LookupId lookup, VersionId) { ids.push_back(lookup); });
  digest.damage = find_definitions(reader, self, rules, wanted, scratch, lookups);
  std::vector<std::uint32_t> own_of_lookup(lookups.size(), 0);
  for (const Hit& hit : scratch.hits) {
    if (hit.is_ignored) continue;
    digest.own.push_back({hit.definition, hit.is_final});
    own_of_lookup[hit.lookup] = static_cast<std::uint32_t>(digest.own.size());
  }
  for (const LookupId id : ids) digest.own_of.push_back(own_of_lookup[id]);
}

}  // namespace

LookupClass class_of(RelocationUse use) {
  switch (use) {
    case RelocationUse::Plain:
    case RelocationUse::Data: return LookupClass::Plain;
    case RelocationUse::Copy: return LookupClass::Copy;
    default: return LookupClass::Plt;
  }
}

void read_digest(ObjectIndex index, const ObjectFile& file, std::string_view path, const DigestRules& rules,
                 ThreadScratch& scratch, ObjectDigest& into) {
  into.damage.reset();
  into.own.clear();
  into.own_of.clear();
  into.references.references.clear();
  into.references.own = {};
  into.references.tls.clear();
  into.references.unknown.reset();
  into.references.unknown_lazy.reset();
  if (file.file == nullptr) {
    into.versions = VersionTables{};
    return;
  }
  TableReader reader(*file.file, *file.elf, scratch.tables);
  into.versions = read_version_tables(reader, *file.elf, path);
  if (!into.versions) {
    into.damage = into.versions.error();
    return;
  }
  into.version_index = rules.has_version_table ? VersionIndex(*into.versions) : VersionIndex();
  const OwnSymbols own{rules.own, &into.version_index};
  into.damage = read_references(reader, *file.elf, rules.references, own, path, scratch.references, into.references);
  if (into.damage || !rules.looks_in_itself) return;
  look_in_itself(reader, {index, file.elf, &into.version_index, path, Asked::AllObjects}, rules.definitions,
                 scratch.definitions, into);
}

}  // namespace soresolve
