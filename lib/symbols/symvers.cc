// Answers for one library alone: does it have a version or symbol, does it have all that one needer requires of it.
// Source: glibc 2.36 elf/dl-version.c:match_symbol, elf/dl-lookup.c:check_match. Where the library would be found, and
// whether another object defines a symbol first, is left to bindings.
#include "soresolve/symbols.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/path.h"
#include "elf/image_reader.h"
#include "symbols/nearest_versions.h"
#include "symbols/offer.h"
#include "symbols/symbol_answer.h"
#include "symbols/symbol_table.h"
#include "symbols/version_tables.h"

namespace soresolve {
namespace {

bool is_word_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// "libcudart.so.11.0" ends in the bare version "11.0", but not in "1.0".
bool ends_in_version(std::string_view node, std::string_view version) {
  if (!node.ends_with(version)) return false;
  return node.size() == version.size() || !is_word_char(node[node.size() - version.size() - 1]);
}

/// "libcudart.so" of "libcudart.so.11.0"; all of a name without ".so".
std::string_view name_stem(std::string_view name) {
  const std::size_t so = name.rfind(".so");
  return so == std::string_view::npos ? name : name.substr(0, so + 3);
}

std::optional<std::size_t> record_of(const VersionedLibrary& library, const OfferedSymbol& offered) {
  for (std::size_t i = 0; i < library.versions.defs.size(); ++i) {
    const VersionDef& def = library.versions.defs[i];
    if (!def.base && def.index == offered.symbol->version && offered.hash != 0) return i;
  }
  return std::nullopt;
}

/// Names in the order in which they help whoever lacks `wanted`: its family, nearest first, then the others as they
/// stood. Numbers without letters are no family: "11.0" is wanted at the end of any name.
class NearestFirst {
 public:
  NearestFirst(const std::vector<std::string_view>& names, std::string_view wanted) {
    for (const std::string& name : NearestVersions(names).family_of(wanted)) places_.try_emplace(name, places_.size());
  }

  [[nodiscard]] bool is_family(std::string_view name) const { return places_.find(name) != places_.end(); }
  bool operator()(std::string_view a, std::string_view b) const { return place_of(a) < place_of(b); }

 private:
  [[nodiscard]] std::size_t place_of(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? places_.size() : found->second;
  }

  std::map<std::string, std::size_t, std::less<>> places_;
};

/// What stands there instead of a node that is wanted.
void list_nodes(const VersionedLibrary& library, std::string_view wanted, NeedAnswer& answer) {
  const std::vector<VersionDef>& defs = library.versions.defs;
  std::vector<std::size_t> records;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < defs.size(); ++i) {
    if (defs[i].base) continue;
    records.push_back(i);
    names.push_back(defs[i].name);
  }
  const NearestFirst order(names, wanted);
  std::stable_sort(records.begin(), records.end(),
                   [&](std::size_t a, std::size_t b) { return order(defs[a].name, defs[b].name); });
  for (const std::size_t record : records) {
    answer.instead.push_back(words_of_others(defs[record].name));
    if (order.is_family(defs[record].name)) answer.family.push_back(record);
  }
}

void answer_symbol(const VersionedLibrary& library, NeedAnswer& answer, std::string_view symbol,
                   std::string_view node) {
  answer.symbol = std::string(symbol);
  const Offer offer(library);
  const Offer::Found found =
      node.empty() ? offer.find_unversioned(symbol) : offer.find(symbol, node, version_hash(node));
  answer.symbol_verdict = found.verdict;
  // A symbol without version serves any, but the loader asks for the node before it asks for symbols.
  const bool has_node = node.empty() || !library.versions.has_defs ||
                        std::any_of(library.versions.defs.begin(), library.versions.defs.end(),
                                    [&](const VersionDef& def) { return def.name == node; });
  answer.is_served = found.symbol != nullptr && has_node;
  if (answer.is_served) {
    answer.symbol_index = found.symbol->index;
    if (const auto record = record_of(library, *found.symbol)) answer.defs = {*record};
    return;
  }
  std::vector<std::string> versions = offer.versions_of(symbol);
  const NearestFirst order({versions.begin(), versions.end()}, node);
  std::stable_sort(versions.begin(), versions.end(), order);
  for (const std::string& version : versions) {
    answer.instead.push_back(version.empty() ? say("symbol-without-version", {{"symbol", symbol}})
                                             : words_of_others(std::string(symbol) + "@" + version));
  }
}

/// Counts and places, once the tables are read.
void complete(VersionedLibrary& library, const File& file, const ElfObject& object) {
  library.symbol_bytes = object.target.elf_class == ElfClass::Elf64 ? 24 : 16;
  const ImageReader reader(file, object);
  const auto place_of = [&](const std::optional<Vaddr>& tag) {
    const auto place = tag ? reader.locate(static_cast<std::uint64_t>(*tag)) : std::nullopt;
    return place ? place->file_offset : 0;
  };
  library.symbol_table_offset = place_of(object.symbol_tags.symbol_table);
  library.version_index_offset = place_of(object.symbol_tags.version_index);

  std::vector<std::size_t> by_index(0x8000, 0);
  const Offer offer(library);
  library.defined_count = offer.all().size();
  for (const OfferedSymbol& offered : offer.all()) {
    if (offered.hash != 0) ++by_index[offered.symbol->version];
  }
  for (const VersionDef& def : library.versions.defs) {
    library.symbol_counts.push_back(def.base ? 0 : by_index[def.index]);
  }
}

}  // namespace

Result<VersionedLibrary> read_versioned_library(const File& file, const ElfObject& object, std::string_view path) {
  VersionedLibrary library;
  library.path = std::string(path);
  if (object.soname) library.soname = std::string(*object.soname);
  for (const NeedEntry& need : object.needs) {
    if (need.kind == NeedKind::Needed) library.needed.emplace_back(need.name);
  }
  Result<VersionTables> versions = read_version_tables(file, object, path);
  if (!versions) return Unexpected{std::move(versions).error()};
  Result<SymbolTable> symbols = read_symbol_table(file, object, path);
  if (!symbols) return Unexpected{std::move(symbols).error()};
  library.versions = std::move(versions).value();
  library.symbols = std::move(symbols).value();
  complete(library, file, object);
  return library;
}

std::uint64_t place_of_symbol(const VersionedLibrary& library, std::size_t index) {
  return library.symbol_table_offset + std::uint64_t{index} * library.symbol_bytes;
}

std::optional<std::size_t> sole_node(const VersionedLibrary& library) {
  std::optional<std::size_t> sole;
  for (std::size_t i = 0; i < library.versions.defs.size(); ++i) {
    if (library.versions.defs[i].base) continue;
    if (sole || library.symbol_counts[i] != library.defined_count) return std::nullopt;
    sole = i;
  }
  return sole;
}

NeedAnswer answer_need(const VersionedLibrary& library, std::string_view need) {
  NeedAnswer answer;
  answer.asked = std::string(need);
  if (const std::size_t at = need.find('@'); at != std::string_view::npos) {
    answer.form = NeedForm::Symbol;
    std::string_view node = need.substr(at + 1);
    if (node.starts_with('@')) node.remove_prefix(1);
    answer_symbol(library, answer, need.substr(0, at), node);
    return answer;
  }
  const bool is_bare = !need.empty() && need.front() >= '0' && need.front() <= '9';
  answer.form = is_bare ? NeedForm::BareVersion : NeedForm::Node;
  for (std::size_t i = 0; i < library.versions.defs.size(); ++i) {
    const VersionDef& def = library.versions.defs[i];
    if (def.base || def.record_version != 1) continue;
    // The loader compares the stored hash as well: a node with a wrong one cannot be found.
    const bool is_sound = def.hash == version_hash(def.name);
    if (is_sound && (is_bare ? ends_in_version(def.name, need) : def.name == need)) {
      answer.defs.push_back(i);
    }
  }
  answer.is_served = !answer.defs.empty();
  if (!answer.is_served) list_nodes(library, need, answer);
  return answer;
}

bool ForAnswer::is_served() const {
  const bool has_versions = std::none_of(versions.begin(), versions.end(), [](const ForVersion& version) {
    return version.match.verdict == VersionVerdict::Missing || version.match.verdict == VersionVerdict::UnknownRecord;
  });
  return has_versions && !ends_in_assertion &&
         std::none_of(symbols.begin(), symbols.end(), [](const ForSymbol& symbol) {
           const bool is_met = symbol.verdict == ForVerdict::Met || symbol.verdict == ForVerdict::MetUnversioned;
           return !is_met && !symbol.weak;
         });
}

ForAnswer answer_for(const VersionedLibrary& library, const VersionedLibrary& needer) {
  return answer_for(Offer(library), library, needer);
}

ForAnswer answer_for(const Offer& offer, const VersionedLibrary& library, const VersionedLibrary& needer) {
  ForAnswer answer;
  answer.needer = needer.path;
  const auto has_name = [&](std::string_view file) {
    return file == library.soname || file_name_of(file) == file_name_of(library.path);
  };
  const auto has_stem = [&](std::string_view file) {
    return name_stem(file_name_of(file)) ==
           name_stem(library.soname.empty() ? file_name_of(library.path) : library.soname);
  };
  const std::vector<VersionNeed>& needs = needer.versions.needs;
  answer.is_other_name =
      std::none_of(needs.begin(), needs.end(), [&](const VersionNeed& need) { return has_name(need.file); });

  std::map<std::uint16_t, const VersionNeed*> needs_by_index;
  std::set<std::string, std::less<>> files;
  for (const VersionNeed& need : needs) {
    if (!(answer.is_other_name ? has_stem(need.file) : has_name(need.file))) continue;
    files.emplace(need.file);
    needs_by_index[need.index] = &need;
    answer.versions.push_back({need, match_version(need, library.versions)});
  }
  answer.files.assign(files.begin(), files.end());

  const std::vector<DynamicSymbol>& symbols = needer.symbols.symbols;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const DynamicSymbol& symbol = symbols[i];
    if (symbol.name.empty() || symbol.binding == STB_LOCAL) continue;
    const auto need = needs_by_index.find(symbol.version);
    if (need == needs_by_index.end()) {
      if (symbol.is_defined() || symbol.version > 1) continue;  // its own, or of another library
      ++answer.unversioned_count;
      answer.unversioned_here += offer.find_unversioned(symbol.name).symbol != nullptr ? 1 : 0;
      continue;
    }
    ForSymbol wanted;
    wanted.name = std::string(symbol.name);
    wanted.version = std::string(need->second->name);
    wanted.weak = symbol.binding == STB_WEAK;
    wanted.symbol_index = i;
    wanted.file_offset = place_of_symbol(needer, i);
    const Offer::Found found = offer.find(symbol.name, need->second->name, need->second->hash);
    wanted.verdict = found.verdict;
    // A definition with a version that another file defines: the room for a COPY relocation.
    wanted.is_copy = symbol.is_defined();
    wanted.copy_bytes = symbol.size_bytes;
    wanted.library_bytes = found.symbol != nullptr ? found.symbol->symbol->size_bytes : 0;
    if (wanted.verdict == ForVerdict::OtherVersion) {
      wanted.instead = offer.versions_of(symbol.name);
    }
    answer.ends_in_assertion |= wanted.verdict == ForVerdict::MetUnversioned && !offer.has_versions();
    answer.symbols.push_back(std::move(wanted));
  }
  return answer;
}

}  // namespace soresolve
