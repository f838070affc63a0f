// Compares both readings entry by entry: DT_NEEDED, SONAME, search tags, versions, dynamic symbols. A difference is a
// defect in one of the readers, or a file with two meanings. Left out: what only LIEF reads (sections, comments), and
// symbols where LIEF 0.9 cannot find them.
#include "witness/differences.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "witness/second_reading.h"

namespace soresolve::witness {
namespace {

constexpr std::uint16_t kHidden = 0x8000;  // top bit of a DT_VERSYM entry and of vna_other

Statement nothing() { return say("read-nothing"); }

Statement quoted(const std::optional<std::string>& text) {
  return text ? words_of_others("\"" + printable(*text) + "\"") : nothing();
}

Statement words_of(const Definition& definition) {
  std::string names;
  for (const std::string& name : definition.names) names += " " + printable(name);
  return say("read-definition", {{"index", definition.index},
                                 {"flags", hex(definition.flags)},
                                 {"hash", hex(definition.hash)},
                                 {"names", names}});
}

Statement words_of(const Requirement& need) {
  return say("read-requirement", {{"file", printable(need.file)},
                                  {"version", printable(need.name)},
                                  {"hash", hex(need.hash)},
                                  {"flags", hex(need.flags)},
                                  {"other", hex(need.other)}});
}

Statement words_of(const Symbol& symbol) {
  return say("read-symbol", {{"name", versioned_name(symbol.name, symbol.version)},
                             {"index", hex(symbol.version_word)},
                             {"value", hex(symbol.value)},
                             {"bytes", symbol.size_bytes},
                             {"section", symbol.section},
                             {"type", symbol.type},
                             {"binding", symbol.binding}});
}

Statement words_of(const std::string& name) { return quoted(name); }

std::optional<std::string> owned(const std::optional<std::string_view>& text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::vector<std::string> needed_of(const ElfObject& elf) {
  std::vector<std::string> names;
  for (const NeedEntry& need : elf.needs) {
    if (need.kind == NeedKind::Needed) names.emplace_back(need.name);
  }
  return names;
}

std::vector<Definition> definitions_of(const VersionTables& versions) {
  std::vector<Definition> definitions;
  for (const VersionDef& def : versions.defs) {
    const unsigned flags = (def.base ? VER_FLG_BASE : 0) | (def.weak ? VER_FLG_WEAK : 0);
    Definition definition{def.index, static_cast<std::uint16_t>(flags), def.hash, {std::string(def.name)}};
    for (const std::string_view parent : def.parents) definition.names.emplace_back(parent);
    definitions.push_back(std::move(definition));
  }
  return definitions;
}

std::vector<Requirement> requirements_of(const VersionTables& versions) {
  std::vector<Requirement> requirements;
  for (const VersionNeed& need : versions.needs) {
    requirements.push_back({std::string(need.file), std::string(need.name), need.hash,
                            static_cast<std::uint16_t>(need.weak ? VER_FLG_WEAK : 0),
                            static_cast<std::uint16_t>(need.index | (need.is_hidden ? kHidden : 0))});
  }
  return requirements;
}

/// The names of versions by index, as the records give them; the later one of two counts.
std::vector<std::string_view> names_by_index(const VersionTables& versions) {
  std::vector<std::string_view> names;
  const auto set = [&](std::size_t index, std::string_view name) {
    if (index >= names.size()) names.resize(index + 1);
    names[index] = name;
  };
  for (const VersionDef& def : versions.defs) {
    if (!def.base) set(def.index & ~kHidden, def.name);
  }
  for (const VersionNeed& need : versions.needs) set(need.index, need.name);
  return names;
}

std::vector<Symbol> symbols_of(const VersionedLibrary& library) {
  const std::vector<std::string_view> names = names_by_index(library.versions);
  std::vector<Symbol> symbols;
  symbols.reserve(library.symbols.symbols.size());
  for (const DynamicSymbol& from : library.symbols.symbols) {
    Symbol symbol;
    symbol.name = from.name;
    if (from.version > 1 && from.version < names.size()) symbol.version = names[from.version];
    symbol.version_word = static_cast<std::uint16_t>(from.version | (from.hidden ? kHidden : 0));
    symbol.value = from.value;
    symbol.size_bytes = from.size_bytes;
    symbol.section = from.section;
    symbol.type = from.type;
    symbol.binding = from.binding;
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

/// Takes notes of what differs.
class Notes {
 public:
  explicit Notes(SecondReading& reading) : reading_(reading) {}

  void add(Statement what, Statement here, Statement there) {
    ++reading_.difference_count;
    if (reading_.differences.size() >= SecondReading::kMaxListed) return;
    reading_.differences.push_back({std::move(what), std::move(here), std::move(there)});
  }

  void compare(const char* what, const std::optional<std::string>& here, const std::optional<std::string>& there) {
    if (here != there) add(words_of_others(what), quoted(here), quoted(there));
  }

  /// `what` is the name of a sentence that takes the place in the list.
  template <class Entry>
  void compare_lists(std::string_view what, const std::vector<Entry>& here, const std::vector<Entry>& there) {
    for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i) {
      if (i < here.size() && i < there.size() && here[i] == there[i]) continue;
      add(say(what, {{"index", i}}), i < here.size() ? words_of(here[i]) : nothing(),
          i < there.size() ? words_of(there[i]) : nothing());
    }
  }

 private:
  SecondReading& reading_;
};

/// LIEF 0.9 does not find the symbols of a file with DT_HASH alone and no section headers.
bool has_symbols(const ElfFacts& facts) { return !facts.symbols.empty() || !facts.sections.empty(); }

void compare_facts(const ElfObject& elf, const VersionedLibrary& library, const ElfFacts& facts, Notes& notes) {
  notes.compare_lists("reading-needed", needed_of(elf), facts.needed);
  notes.compare("DT_SONAME", owned(elf.soname), facts.soname);
  notes.compare("DT_RPATH", owned(elf.rpath), facts.rpath);
  notes.compare("DT_RUNPATH", owned(elf.runpath), facts.runpath);
  notes.compare_lists("reading-definition", definitions_of(library.versions), facts.definitions);
  notes.compare_lists("reading-requirement", requirements_of(library.versions), facts.requirements);
  if (has_symbols(facts)) notes.compare_lists("reading-symbol", symbols_of(library), facts.symbols);
}

}  // namespace

SecondReading compare_readings(const ElfObject& elf, const VersionedLibrary& library, const LiefFacts& lief_facts) {
  SecondReading reading;
  reading.file = library.path;
  reading.reader = lief_facts.reader;
  reading.definition_count = library.versions.defs.size();
  reading.requirement_count = library.versions.needs.size();
  reading.symbol_count = library.symbols.symbols.size();
  Notes notes(reading);
  if (lief_facts.elf) {
    reading.has_symbols = has_symbols(*lief_facts.elf);
    compare_facts(elf, library, *lief_facts.elf, notes);
  } else if (lief_facts.refusal) {
    notes.add(say("reading-file"), say("read-it"),
              say("read-refused", {{"reason", printable(lief_facts.refusal->reason)}}));
  } else {
    notes.add(say("reading-file"), say("read-as-elf"), say("read-other-format"));
  }
  return reading;
}

}  // namespace soresolve::witness
