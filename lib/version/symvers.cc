#include "soresolve/symvers.h"

#include <algorithm>
#include <map>
#include <set>

namespace soresolve {
namespace {

constexpr std::uint8_t kBindingLocal = 0;
constexpr std::uint8_t kBindingWeak = 2;

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// "libcudart.so.11.0" ends in the bare version "11.0", but not in "1.0".
bool ends_in_version(std::string_view node, std::string_view version) {
  if (!node.ends_with(version)) return false;
  return node.size() == version.size() || !is_word_char(node[node.size() - version.size() - 1]);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The version record that a defined symbol carries; nullptr for an unversioned one.
const VersionDef* def_of(const VersionedLibrary& library, const DynamicSymbol& symbol) {
  for (const VersionDef& def : library.versions.defs) {
    if (!def.base && def.index == symbol.version) return &def;
  }
  return nullptr;
}

bool is_offered(const DynamicSymbol& symbol) {
  return symbol.is_defined() && symbol.binding != kBindingLocal && !symbol.name.empty();
}

void list_nodes(const VersionedLibrary& library, std::vector<std::string>& into) {
  for (const VersionDef& def : library.versions.defs) {
    if (!def.base) into.emplace_back(def.name);
  }
}

void answer_symbol(const VersionedLibrary& library, NeedAnswer& answer, std::string_view symbol,
                   std::string_view node) {
  answer.symbol = std::string(symbol);
  for (std::size_t i = 0; i < library.symbols.symbols.size(); ++i) {
    const DynamicSymbol& candidate = library.symbols.symbols[i];
    if (!is_offered(candidate) || candidate.name != symbol) continue;
    const VersionDef* def = def_of(library, candidate);
    const std::string_view name = def != nullptr ? def->name : std::string_view();
    if (name == node) {
      answer.is_served = true;
      answer.symbol_index = i;
      if (def != nullptr) {
        answer.defs = {static_cast<std::size_t>(def - library.versions.defs.data())};
      }
      return;
    }
    answer.instead.push_back(std::string(symbol) +
                             (def != nullptr ? "@" + std::string(name) : " without a version"));
  }
}

}  // namespace

Result<VersionedLibrary> read_versioned_library(const File& file, const ElfObject& object,
                                                std::string_view path) {
  VersionedLibrary library;
  library.path = std::string(path);
  if (object.soname) library.soname = std::string(*object.soname);
  Result<VersionTables> versions = read_version_tables(file, object, path);
  if (!versions) return Unexpected{std::move(versions).error()};
  Result<SymbolTable> symbols = read_symbol_table(file, object, path);
  if (!symbols) return Unexpected{std::move(symbols).error()};
  library.versions = std::move(versions).value();
  library.symbols = std::move(symbols).value();
  library.symbol_counts.assign(library.versions.defs.size(), 0);
  for (const DynamicSymbol& symbol : library.symbols.symbols) {
    if (!is_offered(symbol)) continue;
    ++library.defined_count;
    if (const VersionDef* def = def_of(library, symbol)) {
      ++library.symbol_counts[static_cast<std::size_t>(def - library.versions.defs.data())];
    }
  }
  return library;
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
  if (!answer.is_served) list_nodes(library, answer.instead);
  return answer;
}

bool ForAnswer::is_served() const {
  const bool has_versions =
      std::none_of(versions.begin(), versions.end(), [](const ForVersion& version) {
        return version.match.verdict == VersionVerdict::Missing ||
               version.match.verdict == VersionVerdict::UnknownRecord;
      });
  return has_versions && std::none_of(symbols.begin(), symbols.end(), [](const ForSymbol& symbol) {
           const bool is_met = symbol.verdict == ForVerdict::Met ||
                               symbol.verdict == ForVerdict::MetUnversioned;
           return !is_met && !symbol.weak;
         });
}

ForAnswer answer_for(const VersionedLibrary& library, const VersionedLibrary& consumer) {
  ForAnswer answer;
  answer.consumer = consumer.path;
  const auto is_meant = [&](std::string_view file) {
    return file == library.soname || file_name(file) == file_name(library.path);
  };
  std::map<std::uint16_t, const VersionNeed*> needs_by_index;
  std::set<std::string, std::less<>> files;
  for (const VersionNeed& need : consumer.versions.needs) {
    if (!is_meant(need.file)) continue;
    files.emplace(need.file);
    needs_by_index[need.index] = &need;
    answer.versions.push_back({need, match_version(need, library.versions)});
  }
  answer.files.assign(files.begin(), files.end());

  std::multimap<std::string_view, const DynamicSymbol*> offered;
  for (const DynamicSymbol& symbol : library.symbols.symbols) {
    if (is_offered(symbol)) offered.emplace(symbol.name, &symbol);
  }
  for (const DynamicSymbol& symbol : consumer.symbols.symbols) {
    if (symbol.is_defined() || symbol.name.empty() || symbol.binding == kBindingLocal) continue;
    const auto [first, last] = offered.equal_range(symbol.name);
    const auto need = needs_by_index.find(symbol.version);
    if (need == needs_by_index.end()) {
      if (symbol.version > 1) continue;  // of another library
      ++answer.unversioned_count;
      answer.unversioned_here += first != last ? 1 : 0;
      continue;
    }
    ForSymbol wanted;
    wanted.name = std::string(symbol.name);
    wanted.version = std::string(need->second->name);
    wanted.weak = symbol.binding == kBindingWeak;
    for (auto at = first; at != last; ++at) {
      const VersionDef* def = def_of(library, *at->second);
      if (def != nullptr && def->name == wanted.version) {
        wanted.verdict = ForVerdict::Met;
        break;
      }
      if (def == nullptr && !at->second->hidden) {
        wanted.verdict = ForVerdict::MetUnversioned;
      } else if (wanted.verdict == ForVerdict::Missing) {
        wanted.verdict = ForVerdict::OtherVersion;
      }
      if (def != nullptr) wanted.instead.emplace_back(def->name);
    }
    answer.symbols.push_back(std::move(wanted));
  }
  return answer;
}

}  // namespace soresolve
