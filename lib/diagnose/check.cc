// Replays the start or dlopen with both bind times and groups what is missing: libraries, versions, symbols, with the
// nearest ones that exist. Source: glibc 2.36 elf/rtld.c:dl_main by way of startup.cc. Fixes are not tried here
// (remedies.cc); only the first 12 missing symbols get a search of their own.
#include "diagnose/verdict.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "elf/image_reader.h"
#include "loader/list_names.h"
#include "loader/load.h"
#include "loader/process.h"
#include "soresolve/symbols.h"
#include "symbols/cxx_names.h"
#include "symbols/map_versions.h"
#include "symbols/nearest_versions.h"
#include "symbols/startup.h"
#include "symbols/symbol_table.h"

namespace soresolve {
namespace {

std::vector<UnresolvedLibrary> unresolved_libraries(const LinkMap& map) {
  std::vector<UnresolvedLibrary> missing;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> known;
  std::set<std::pair<std::size_t, ObjectIndex>> needers;
  for (const LoadFailure& failure : map.failures) {
    if (!failure.is_fatal_at_start || failure.dlopen_call != map.subject()) continue;
    const auto [place, is_first] = known.try_emplace({failure.object, failure.text}, missing.size());
    if (is_first) missing.push_back({failure, {}});
    if (needers.emplace(place->second, failure.needer).second) missing[place->second].needers.push_back(failure.needer);
  }
  return missing;
}

std::vector<VersionGap> version_gaps(const LinkMap& map, const VersionCheck& check, MapVersions& tables) {
  std::vector<VersionGap> gaps;
  const auto [first, end] = map.loaded_by(map.subject());
  std::map<ObjectIndex, NearestVersions> known;
  for (const VersionMessage& message : check.messages) {
    if (message.requirer < first || message.requirer >= end || message.is_known_to_walk(map)) continue;
    VersionGap gap{message, {}, 0};
    const Result<VersionTables>& provider = tables.of(message.provider);
    if (provider) {
      auto defined = known.find(message.provider);
      if (defined == known.end()) defined = known.emplace(message.provider, NearestVersions(*provider)).first;
      gap.defined_count = defined->second.defined_count();
      gap.nearest = defined->second.to(message.version);
    }
    gaps.push_back(std::move(gap));
  }
  return gaps;
}

/// What the symbol table of one object has about its references: where each stands, and from which file it requires its
/// version. Several files may have a version of one name (GLIBC_2.2.5 of libc and libm); the symbol's own entry of
/// DT_VERSYM tells.
class RequiredFiles {
 public:
  RequiredFiles(const LinkMap& map, MapVersions& tables, ObjectIndex object) {
    const Result<VersionTables>& versions = tables.of(object);
    std::map<std::uint16_t, const VersionNeed*> needs;  // by index of DT_VERSYM
    if (versions) {
      for (const VersionNeed& need : versions->needs) needs[need.index] = &need;
    }
    const Result<ObjectFile> file = open_object_file(map, object);
    if (!file || file->file == nullptr) return;
    Result<SymbolTable> table = read_symbol_table(*file->file, *file->elf, file->path);
    if (!table) return;
    symbols_ = std::move(table).value();
    const std::optional<Vaddr>& tag = file->elf->symbol_tags.symbol_table;
    const auto place =
        tag ? ImageReader(*file->file, *file->elf).locate(static_cast<std::uint64_t>(*tag)) : std::nullopt;
    const std::uint64_t entry_bytes = file->elf->target.elf_class == ElfClass::Elf64 ? 24 : 16;
    for (std::size_t i = 0; i < symbols_.symbols.size(); ++i) {
      const DynamicSymbol& symbol = symbols_.symbols[i];
      if (symbol.is_defined()) continue;
      Entry entry;
      if (place) entry.offset = place->file_offset + i * entry_bytes;
      const auto need = needs.find(symbol.version);
      std::string_view version;
      if (need != needs.end()) {
        version = need->second->name;
        entry.file = need->second->file;
      }
      entries_.try_emplace({symbol.name, version}, entry);
    }
  }

  struct Entry {
    std::string_view file;                ///< vn_file; empty: it requires no version
    std::optional<std::uint64_t> offset;  ///< of the entry, in the file
  };
  [[nodiscard]] Entry of(const UndefinedSymbol& reference) const {
    const auto entry = entries_.find({reference.name, reference.version});
    return entry == entries_.end() ? Entry() : entry->second;
  }

 private:
  SymbolTable symbols_;
  std::map<std::pair<std::string_view, std::string_view>, Entry> entries_;  ///< by symbol and version
};

std::vector<UnresolvedSymbol> unresolved_symbols(const LinkMap& map, const Startup& startup, MapVersions& tables) {
  std::vector<UnresolvedSymbol> missing;
  std::map<ObjectIndex, RequiredFiles> required;
  ListNames names(map);
  std::map<std::tuple<ObjectIndex, std::string_view, std::string_view>, std::size_t> known;
  for (const UndefinedSymbol& reference : startup.undefined) {
    const auto [entry, is_first] =
        known.try_emplace({reference.referrer, reference.name, reference.version}, missing.size());
    if (!is_first) {  // by a relocation of another kind
      missing[entry->second].reference.is_lazy &= reference.is_lazy;
      continue;
    }
    UnresolvedSymbol symbol;
    symbol.reference = reference;
    const auto [table, is_new] = required.try_emplace(reference.referrer, map, tables, reference.referrer);
    const RequiredFiles::Entry own = table->second.of(reference);
    symbol.entry_offset = own.offset;
    if (!reference.version.empty()) symbol.file = own.file;
    if (!symbol.file.empty()) symbol.from = names.first(symbol.file, map.objects[reference.referrer].space);
    missing.push_back(std::move(symbol));
  }
  return missing;
}

/// Who carries the names of the first few, in another version or out of sight.
std::optional<Error> find_other_versions(const LinkMap& map, const StartFacts& facts,
                                         std::vector<UnresolvedSymbol>& missing) {
  constexpr std::size_t kMostSearches = 12;
  for (std::size_t i = 0; i < missing.size() && i < kMostSearches; ++i) {
    const UndefinedSymbol& reference = missing[i].reference;
    SymbolQuery query;
    query.symbol = reference.name;
    query.version = reference.version;
    query.referrer = reference.referrer;
    query.out_of_scope = OutOfScope::LookedInto;
    Result<SymbolSearch> search = search_symbol(map, facts.bindings, query);
    if (!search) return std::move(search).error();
    missing[i].out_of_scope = std::move(search->out_of_scope);
    for (AskedObject& asked : search->asked) {
      if (!asked.other_versions.empty()) missing[i].other_versions.push_back(std::move(asked));
    }
  }
  return std::nullopt;
}

/// Of the first few that nothing else tells of.
void add_near_symbols(const LinkMap& map, std::vector<UnresolvedSymbol>& missing) {
  constexpr std::size_t kMostNames = 8;
  std::vector<std::size_t> places;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < missing.size() && places.size() < kMostNames; ++i) {
    const bool is_open = missing[i].other_versions.empty() && missing[i].out_of_scope.empty();
    if (!is_open || qualified_part(missing[i].reference.name).empty()) continue;
    places.push_back(i);
    names.push_back(missing[i].reference.name);
  }
  if (places.empty()) return;
  std::vector<std::vector<NearSymbol>> near = find_near_symbols(map, names);
  for (std::size_t i = 0; i < places.size(); ++i) missing[places[i]].near_misses = std::move(near[i]);
}

StartCounts count(const LinkMap& map, const StartFacts& facts) {
  StartCounts counts;
  const std::vector<bool> belongs = map.target_closure();
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const LoadedObject& object = map.objects[i];
    const bool is_file = object.role == ObjectRole::Library || object.role == ObjectRole::Loader ||
                         (object.role == ObjectRole::Main && !map.main_path.empty());
    counts.objects += is_file && belongs[i];
  }
  counts.versions = facts.versions.checked;
  for (std::size_t dlopen_call = 0; dlopen_call <= map.subject(); ++dlopen_call) {
    if (!map.is_in_target_closure(dlopen_call)) continue;
    const Bindings::Tally& tally = facts.bindings.tally(dlopen_call);
    counts.references += tally.references;
    counts.unbound_weak += tally.unbound_weak;
    counts.lazy += tally.bound_lazily;
  }
  return counts;
}

}  // namespace

Result<Check> check_what_lacks(const LinkMap& map, const BindOptions& options) {
  Result<StartFacts> facts = read_start_facts(map, options);
  if (!facts) return Unexpected{std::move(facts).error()};
  Check check;
  check.facts = std::move(facts).value();
  const auto play = [&](BindTime bind_time) {
    return map.subject() == 0 ? start_up(map, check.facts, bind_time)
                              : open_up(map, check.facts, map.subject(), bind_time);
  };
  check.now = play(BindTime::Now);
  check.opens_lazily = map.subject() != 0 && map.dlopen_calls.back().mode.bind_time == BindTime::AsAsked;
  check.as_asked = play(BindTime::AsAsked);
  const auto bind_now = map.process->environment.value("LD_BIND_NOW");
  check.asks_now = bind_now && !bind_now->empty();
  MapVersions tables(map);
  check.libraries = unresolved_libraries(map);
  check.versions = version_gaps(map, check.facts.versions, tables);
  check.symbols = unresolved_symbols(map, check.now, tables);
  check.counts = count(map, check.facts);
  return check;
}

Result<Check> check_start(const LinkMap& map, const BindOptions& options) {
  Result<Check> check = check_what_lacks(map, options);
  if (!check) return check;
  if (auto error = find_other_versions(map, check->facts, check->symbols)) {
    return Unexpected{std::move(*error)};
  }
  add_near_symbols(map, check->symbols);
  return check;
}

std::optional<int> exit_status_of(const LinkMap& map, const Startup& startup) {
  if (startup.ends_process) return 127;
  if (map.process->start == Start::Dlopen || map.subject() != 0) return std::nullopt;
  if (startup.end == StartEnd::Fails) return 127;
  if (startup.end == StartEnd::Versions) return 1;
  return std::nullopt;
}

std::string isa_level_name(std::uint32_t isa_needed) {
  constexpr std::string_view kNames[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  const unsigned width = static_cast<unsigned>(std::bit_width(isa_needed));
  if (width == 0) return "x86-64";
  if (width > std::size(kNames)) {
    return "bit " + std::to_string(width - 1) + " of GNU_PROPERTY_X86_ISA_1_NEEDED";
  }
  return std::string(kNames[width - 1]);
}

}  // namespace soresolve
