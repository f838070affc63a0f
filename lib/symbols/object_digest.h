// What one object contributes before anything is looked up in others: its versions and references.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "elf/table_reader.h"
#include "symbols/bindings_state.h"
#include "symbols/definitions.h"
#include "symbols/map_files.h"
#include "symbols/references.h"

namespace soresolve {

/// What is read of one object before anything is looked up.
struct ObjectDigest {
  ObjectReferences references;
  Result<VersionTables> versions = VersionTables{};
  VersionIndex version_index;
  std::optional<Error> damage;
  /// Of an object that looks in itself first: for each reference the definition of its own, + 1.
  std::vector<std::uint32_t> own_of;
  std::vector<OwnDefinition> own;
};

/// What one thread works with.
struct ThreadScratch {
  TableScratch tables;
  ReferenceScratch references;
  DefinitionScratch definitions;
};

/// How one object is read.
struct DigestRules {
  ReferenceRules references;
  DefinitionRules definitions;
  bool has_version_table = true;       ///< the loader has made one (see Binder)
  bool looks_in_itself = false;        ///< DT_SYMBOLIC
  const HashedSymbols* own = nullptr;  ///< what binds to the object without a lookup; null: nothing
};

/// Reads an open object into `into`, whose memory is used again. What the tables lack is in
/// `into.damage`.
void read_digest(ObjectIndex index, const ObjectFile& file, std::string_view path, const DigestRules& rules,
                 ThreadScratch& scratch, ObjectDigest& into);

LookupClass class_of(RelocationUse use);

/// Enters the references of one object into a set and calls visit(reference, symbol, lookup, version).
template <class Visit>
void for_each_lookup(const ObjectDigest& digest, WantedVersions& wanted, LookupSet& set, Visit visit) {
  constexpr VersionId kUnknownVersion = ~VersionId{0};
  const ObjectReferences& from = digest.references;
  // One entry of DT_VERSYM after the other asks for the same version.
  std::vector<VersionId> ids;
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < from.references.size(); ++i) {
    if (i + kAhead < from.references.size()) {
      set.prefetch(from.symbols[from.references[i + kAhead].symbol].hash);
    }
    const Reference& reference = from.references[i];
    const ReferredSymbol& symbol = from.symbols[reference.symbol];
    const std::size_t index = symbol.versym & kVersymIndex;
    if (index >= ids.size()) ids.resize(index + 1, kUnknownVersion);
    if (ids[index] == kUnknownVersion) {
      const WantedVersion& version = digest.version_index.at(symbol.versym);
      ids[index] = version.hash == 0 ? 0 : wanted.intern(version);
    }
    const LookupId lookup = set.intern(from.name_of(symbol), symbol.hash, ids[index], class_of(reference.use));
    visit(reference, symbol, lookup, ids[index]);
  }
}

}  // namespace soresolve
