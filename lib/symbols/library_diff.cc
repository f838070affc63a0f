// Each version and symbol of the old library is searched in the new one as a reference to it would be (offer.cc).
// Source: glibc 2.36 elf/dl-version.c:match_symbol, elf/dl-lookup.c:check_match; sizes count for COPY relocations. Left
// out: signatures, layout of structures, behaviour.
#include "soresolve/symbols.h"

#include <elf.h>

#include <algorithm>
#include <set>

#include "symbols/offer.h"
#include "symbols/version_tables.h"

namespace soresolve {
namespace {

enum class Nature : std::uint8_t { Unknown, Code, Data, ThreadLocal };

Nature nature_of(const DynamicSymbol& symbol) {
  switch (symbol.type) {
    case STT_FUNC:
    case STT_GNU_IFUNC: return Nature::Code;
    case STT_OBJECT:
    case STT_COMMON: return Nature::Data;
    case STT_TLS: return Nature::ThreadLocal;
    default: return Nature::Unknown;
  }
}

/// Code and data without a type can be used as either; thread-local symbols have relocations of
/// their own.
bool is_other_kind(const DynamicSymbol& old, const DynamicSymbol& now) {
  const Nature before = nature_of(old);
  const Nature after = nature_of(now);
  if (before == after) return false;
  if (before == Nature::ThreadLocal || after == Nature::ThreadLocal) return true;
  return before != Nature::Unknown && after != Nature::Unknown;
}

class Comparer {
 public:
  Comparer(const VersionedLibrary& old, const VersionedLibrary& now)
      : old_(old), now_(now), old_offer_(old), now_offer_(now) {}

  LibraryDiff compare() {
    diff_.has_other_soname = old_.soname != now_.soname;
    diff_.has_no_nodes_now = old_.versions.has_defs && !now_.versions.has_defs;
    diff_.old_symbols = old_offer_.all().size();
    compare_nodes();
    for (const OfferedSymbol& offered : old_offer_.all()) compare_symbol(offered);
    compare_defaults();
    count_new();
    compare_needs();
    return std::move(diff_);
  }

 private:
  void compare_nodes() {
    const auto lacks = [](const VersionedLibrary& library, const VersionDef& node) {
      VersionNeed need;
      need.name = node.name;
      need.hash = node.hash;
      const VersionVerdict verdict = match_version(need, library.versions).verdict;
      return verdict == VersionVerdict::Missing || verdict == VersionVerdict::UnknownRecord;
    };
    for (std::size_t i = 0; i < old_.versions.defs.size(); ++i) {
      const VersionDef& def = old_.versions.defs[i];
      if (def.base || !lacks(now_, def)) continue;
      diff_.missing_nodes.push_back({std::string(def.name), old_.symbol_counts[i]});
    }
    for (const VersionDef& def : now_.versions.defs) {
      if (!def.base && (!old_.versions.has_defs || lacks(old_, def))) {
        diff_.new_nodes.emplace_back(def.name);
      }
    }
  }

  SymbolChange& add(SymbolChangeKind kind, const OfferedSymbol& old) {
    SymbolChange change;
    change.kind = kind;
    change.name = std::string(old.symbol->name);
    change.version = std::string(old.version);
    change.old_type = change.new_type = old.symbol->type;
    change.old_bytes = change.new_bytes = old.symbol->size_bytes;
    change.old_index = old.index;
    return diff_.changes.emplace_back(std::move(change));
  }

  /// The reference that a needer has to `old`, searched for in the new library.
  void compare_symbol(const OfferedSymbol& old) {
    const Offer::Found found = old.hash != 0 ? now_offer_.find(old.symbol->name, old.version, old.hash)
                                             : now_offer_.find_unversioned(old.symbol->name);
    if (found.symbol == nullptr) {
      const bool is_gone = found.verdict == ForVerdict::Missing;
      SymbolChange& change = add(is_gone ? SymbolChangeKind::Gone : SymbolChangeKind::OtherVersion, old);
      change.instead = now_offer_.versions_of(old.symbol->name);
      return;
    }
    if (found.verdict == ForVerdict::MetUnversioned) {
      add(SymbolChangeKind::Unversioned, old);
      diff_.ends_in_assertion |= !now_offer_.has_versions();
    }
    compare_definitions(old, *found.symbol->symbol);
  }

  void compare_definitions(const OfferedSymbol& old, const DynamicSymbol& now) {
    const DynamicSymbol& before = *old.symbol;
    const bool is_data = nature_of(before) == Nature::Data && nature_of(now) == Nature::Data;
    if (is_other_kind(before, now)) add(SymbolChangeKind::Kind, old).new_type = now.type;
    if (is_data && before.size_bytes != 0 && before.size_bytes != now.size_bytes) {
      add(SymbolChangeKind::Size, old).new_bytes = now.size_bytes;
    }
    if (is_data && before.visibility == STV_DEFAULT && now.visibility == STV_PROTECTED) {
      add(SymbolChangeKind::Protected, old);
    }
    if ((before.binding == STB_GNU_UNIQUE) != (now.binding == STB_GNU_UNIQUE)) {
      add(SymbolChangeKind::Unique, old);
    }
  }

  /// Names whose default version is another one now, though the old one is still served.
  void compare_defaults() {
    for (const OfferedSymbol& old : old_offer_.all()) {
      if (old.hash == 0 || old.is_hidden) continue;
      const Offer::Found kept = now_offer_.find(old.symbol->name, old.version, old.hash);
      if (kept.verdict != ForVerdict::Met || !kept.symbol->is_hidden) continue;
      SymbolChange& change = add(SymbolChangeKind::Default, old);
      for (const OfferedSymbol& now : now_offer_.named(old.symbol->name)) {
        if (change.instead.size() == Offer::kMaxListed) break;
        if (!now.is_hidden) change.instead.emplace_back(now.version);
      }
    }
  }

  void count_new() {
    for (const OfferedSymbol& now : now_offer_.all()) {
      diff_.new_symbols += !old_offer_.has(now.symbol->name, now.version, now.hash);
    }
  }

  void compare_needs() {
    const std::set<std::string> needed(old_.needed.begin(), old_.needed.end());
    for (const std::string& name : now_.needed) {
      if (needed.count(name) == 0) diff_.new_needed.push_back(name);
    }
    const auto text_of = [](const VersionNeed& need) { return std::string(need.file) + " " + std::string(need.name); };
    std::set<std::string> requirements;
    for (const VersionNeed& need : old_.versions.needs) requirements.insert(text_of(need));
    for (const VersionNeed& need : now_.versions.needs) {
      if (!need.weak && requirements.insert(text_of(need)).second) {
        diff_.new_requirements.push_back(text_of(need));
      }
    }
  }

  const VersionedLibrary& old_;
  const VersionedLibrary& now_;
  Offer old_offer_;
  Offer now_offer_;
  LibraryDiff diff_;
};

}  // namespace

bool SymbolChange::is_loss() const {
  switch (kind) {
    case SymbolChangeKind::Gone:
    case SymbolChangeKind::OtherVersion:
    case SymbolChangeKind::Kind:
    case SymbolChangeKind::Size:
    case SymbolChangeKind::Protected: return true;
    case SymbolChangeKind::Unversioned:
    case SymbolChangeKind::Default:
    case SymbolChangeKind::Unique: return false;
  }
  return true;
}

bool LibraryDiff::has_loss() const {
  return has_other_soname || ends_in_assertion || !missing_nodes.empty() ||
         std::any_of(changes.begin(), changes.end(), [](const SymbolChange& change) { return change.is_loss(); });
}

LibraryDiff::Stands LibraryDiff::stands() const {
  if (!has_loss()) return Stands::ForEveryone;
  std::size_t missing = 0;
  for (const SymbolChange& change : changes) {
    missing += change.kind == SymbolChangeKind::Gone || change.kind == SymbolChangeKind::OtherVersion;
  }
  std::size_t in_missing_nodes = 0;
  for (const NodeLoss& node : missing_nodes) in_missing_nodes += node.symbols;
  const bool is_all = old_symbols != 0 && (missing == old_symbols || in_missing_nodes == old_symbols);
  return is_all ? Stands::Unbound : Stands::ForSome;
}

LibraryDiff compare_libraries(const VersionedLibrary& old, const VersionedLibrary& now) {
  return Comparer(old, now).compare();
}

}  // namespace soresolve
