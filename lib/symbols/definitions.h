// Asks one object for all symbols that are still looked for.
//
// The loader goes from a reference to the objects; this goes from an object to the references: it
// reads the object's hash values once, in order, and looks at those symbols only whose hash somebody
// wants. What comes of it is the same, because each hit is then looked up as the loader does it.
//
// That takes a few steps for each symbol, unless a file is made to make it long: names of one hash value, one
// name defined again and again. A table like that is gone through once for all lookups (crowded_names.h).
//
// Source: glibc elf/dl-lookup.c:do_lookup_x, elf/dl-setup_hash.c; gABI "Hash Table".
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "elf/table_reader.h"
#include "symbols/definition_rules.h"
#include "symbols/lookup_set.h"
#include "symbols/version_index.h"

namespace soresolve {

/// A symbol of the object that a lookup's name leads to.
struct SymbolCandidate {
  LookupId lookup = 0;
  std::uint32_t symbol = 0;
  std::uint32_t name_offset = 0;
  std::uint16_t versym = 0;
  std::uint8_t info = 0;
  std::uint8_t other = 0;
  bool is_defined = false;
  bool has_name = false;  ///< its name is the one looked for
  bool can_serve = true;  ///< by value, type and class
  std::uint64_t size_bytes = 0;
};

/// A lookup that the object serves.
struct Hit {
  LookupId lookup = 0;
  Definition definition;
  std::uint64_t size_bytes = 0;  ///< st_size
  bool is_final = true;          ///< false: weak, with LD_DYNAMIC_WEAK
  bool is_ignored = false;       ///< not taken (local or hidden), but the loader may say something about it
};

/// Memory that one object after the other uses.
struct DefinitionScratch {
  std::vector<Hit> hits;  ///< the result
  std::vector<SymbolCandidate> candidates;
  std::vector<std::uint64_t> order;
  std::vector<std::uint32_t> chain;
  std::vector<std::uint32_t> wanted;
  std::vector<LookupId> ids;
  std::vector<bool> visited;  ///< by lookup: its chain has been walked
  std::vector<std::uint64_t> spare;
  std::uint64_t crowd_steps = 0;  ///< made in tables that are made to be slow, of all objects so far
};

enum class Asked : std::uint8_t { AllObjects, NotCopies };  ///< copies are not looked up in the program

/// The object that is asked.
struct ProviderView {
  ObjectIndex index = kNoObject;
  const ElfObject* elf = nullptr;
  const VersionIndex* versions = nullptr;
  std::string_view path;
  Asked asked = Asked::AllObjects;
};

/// Looks for every open lookup of `set` in the object; what it serves is in scratch.hits. Returns
/// where and how its tables lead out of the file or in a circle.
std::optional<Error> find_definitions(TableReader& reader, const ProviderView& provider, const DefinitionRules& rules,
                                      const WantedVersions& versions, DefinitionScratch& scratch, const LookupSet& set);

}  // namespace soresolve
