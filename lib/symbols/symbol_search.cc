// One lookup, object by object, with the reason of each refusal. Source: glibc 2.36 elf/dl-lookup.c:do_lookup_x,
// check_match; dlsym: elf/dl-sym.c. It calls the code of bind_symbols() for one name, so that both agree.
#include "base/enum_names.h"
#include "soresolve/symbols.h"

#include <elf.h>

#include <algorithm>
#include <utility>

#include "base/load.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "symbols/definitions.h"
#include "symbols/gnu_hash.h"
#include "symbols/map_files.h"
#include "symbols/version_tables.h"

namespace soresolve {

std::string_view name_of(AskedVerdict verdict) {
  using enum AskedVerdict;
  static constexpr auto kNames = enum_names<AskedVerdict>({{Serves, "serves"},
                                                           {NotDefined, "not-defined"},
                                                           {OtherVersion, "other-version"},
                                                           {Ambiguous, "ambiguous"},
                                                           {NotVisible, "not-visible"},
                                                           {LocalBinding, "local-binding"},
                                                           {OnlyReference, "only-reference"},
                                                           {SkippedProgram, "skipped-program"},
                                                           {WeakPassedOver, "weak-passed-over"},
                                                           {NoHashTable, "no-hash-table"},
                                                           {NoFile, "no-file"},
                                                           {Damaged, "damaged"}});
  return kNames[verdict];
}

namespace {

class SymbolSearcher {
 public:
  SymbolSearcher(const LinkMap& map, const Bindings& bindings, const SymbolQuery& query)
      : system_(*map.system), process_(*map.process), map_(map), bindings_(bindings), query_(query) {
    rules_ = definition_rules_of(map.system->rules);
    rules_.is_dynamic_weak = rules_.compares_versions &&
                             map.process->environment.value("LD_DYNAMIC_WEAK").has_value() && !map.process->secure;
  }

  Result<SymbolSearch> run() {
    const VersionId version = find_wanted_version();
    if (error_) return Unexpected{std::move(*error_)};
    const std::uint32_t hash = gnu_hash(query_.symbol);
    lookup_ = lookups_.intern(query_.symbol, hash, version, query_.lookup_class);
    // What serves data only: tells a mere reference from a definition.
    plain_ = lookups_.intern(query_.symbol, hash, version, LookupClass::Plain);
    const std::size_t dlopen_call = map_.dlopen_call_of(query_.referrer);
    const bool looks_in_itself = query_.by == SearchedBy::Relocation && map_.looks_in_itself(query_.referrer);
    if (looks_in_itself) ask(query_.referrer, true);
    for (const ObjectIndex object : bindings_.scope(dlopen_call)) {
      if (is_done_ || error_) break;
      ask(object, false);
    }
    if (!search_.serving && query_.out_of_scope == OutOfScope::LookedInto) look_out_of_scope(dlopen_call);
    if (error_) return Unexpected{std::move(*error_)};
    if (search_.serving) search_.asked[*search_.serving].verdict = AskedVerdict::Serves;
    return std::move(search_);
  }

 private:
  [[nodiscard]] const ElfObject& elf_of(ObjectIndex object) const {
    return map_.objects[object].role == ObjectRole::Loader ? system_.loader : map_.objects[object].elf;
  }

  /// What a filter of the program puts before it is behind the back of the version check.
  [[nodiscard]] bool is_unchecked(ObjectIndex object) const {
    return map_.objects[object].role != ObjectRole::Loader &&
           std::find(map_.list_order.begin(), map_.list_order.end(), object) == map_.list_order.end();
  }

  /// 0 for none. Notes the version as the referrer has it stored.
  VersionId find_wanted_version() {
    WantedVersion wanted{query_.version, {}, version_hash(query_.version), false, false};
    // dlvsym takes no definition without a version (elf/dl-sym.c:_dl_vsym).
    if (query_.by == SearchedBy::Dlsym) wanted.is_hidden = true;
    if (query_.symbol_index) {
      Result<ObjectFile> opened = open_object_file(map_, query_.referrer);
      if (!opened) {
        error_ = std::move(opened).error();
        return 0;
      }
      if (opened->file != nullptr) {
        TableReader reader(*opened->file, *opened->elf, tables_);
        const auto versions = read_version_tables(reader, *opened->elf, map_.objects[query_.referrer].name());
        const std::uint16_t versym = versym_of(reader, *opened->elf, *query_.symbol_index);
        if (!versions || is_unchecked(query_.referrer)) return 0;
        const VersionIndex index(*versions);
        const WantedVersion& stored = index.at(versym);
        return stored.hash == 0 ? 0 : wanted_.intern(stored);
      }
    }
    return query_.version.empty() ? 0 : wanted_.intern(wanted);
  }

  static std::uint16_t versym_of(TableReader& reader, const ElfObject& elf, std::uint32_t symbol) {
    if (!elf.symbol_tags.version_index) return 0;
    const auto bytes = reader.view(TableReader::Table::Versions,
                                   static_cast<std::uint64_t>(*elf.symbol_tags.version_index) + 2ull * symbol, 2);
    return bytes.size() < 2 ? 0 : load_as<std::uint16_t>(bytes.data(), reader.order());
  }

  /// What was loaded before the referrer, and is in no list of it.
  void look_out_of_scope(std::size_t dlopen_call) {
    const std::vector<ObjectIndex>& scope = bindings_.scope(dlopen_call);
    const ObjectIndex end = map_.loaded_by(dlopen_call).first;
    for (const ObjectIndex object : map_.list_order) {
      const bool is_there = object < end && map_.objects[object].role == ObjectRole::Library;
      if (!is_there || std::find(scope.begin(), scope.end(), object) != scope.end()) continue;
      AskedObject asked;
      bool is_final = true;
      if (verdict_of(object, false, asked, is_final) == AskedVerdict::Serves) search_.out_of_scope.push_back(object);
      if (error_) return;
    }
  }

  void ask(ObjectIndex object, bool is_itself_first) {
    AskedObject asked;
    asked.object = object;
    asked.is_itself_first = is_itself_first;
    bool is_final = true;
    asked.verdict = verdict_of(object, is_itself_first, asked, is_final);
    if (error_) return;
    if (asked.verdict == AskedVerdict::Serves) {
      // Of weak ones the first is remembered in case that no strong one follows.
      if (is_final || !search_.serving) search_.serving = search_.asked.size();
      if (!is_final) asked.verdict = AskedVerdict::WeakPassedOver;
      is_done_ = is_final;
    }
    search_.asked.push_back(std::move(asked));
  }

  AskedVerdict verdict_of(ObjectIndex object, bool is_itself_first, AskedObject& asked, bool& is_final) {
    if (object == 0 && query_.lookup_class == LookupClass::Copy && !is_itself_first) {
      return AskedVerdict::SkippedProgram;
    }
    Result<ObjectFile> opened = open_object_file(map_, object);
    if (!opened) {
      error_ = std::move(opened).error();
      return AskedVerdict::Damaged;
    }
    if (opened->file == nullptr) return AskedVerdict::NoFile;
    // One symbol may be found in tables in which another one leads astray: the loader dies of that one.
    for (const BindingDamage& damage : bindings_.damages()) {
      const bool is_here = damage.object == object && !is_itself_first;
      if (!is_here || damage.kind != BindingDamage::Kind::Definitions) continue;
      asked.damage = damage.error.to_string();
      return AskedVerdict::Damaged;
    }
    const SymbolTags& tags = opened->elf->symbol_tags;
    asked.has_gnu_hash = tags.gnu_hash.has_value();
    if (!tags.gnu_hash && !tags.sysv_hash) return AskedVerdict::NoHashTable;
    TableReader reader(*opened->file, *opened->elf, tables_, TableReader::Purpose::Definitions);
    const auto versions = read_version_tables(reader, *opened->elf, map_.objects[object].name());
    const VersionIndex index = versions && !is_unchecked(object) ? VersionIndex(*versions) : VersionIndex();
    std::optional<Error> damage;
    if (versions) {
      const ProviderView provider{object, opened->elf, &index, map_.objects[object].name(), Asked::AllObjects};
      damage = find_definitions(reader, provider, rules_, wanted_, scratch_, lookups_);
    } else {
      damage = versions.error();
    }
    if (damage) {
      if (damage->code == ErrorCode::Unreadable || damage->code == ErrorCode::LimitReached) {
        error_ = std::move(damage);
      } else {
        asked.damage = damage->to_string();
      }
      return AskedVerdict::Damaged;
    }
    return judge(reader, *opened->elf, index, asked, is_final);
  }

  /// What find_definitions() has found, and if it is nothing, what it has refused.
  AskedVerdict judge(const TableReader& reader, const ElfObject& elf, const VersionIndex& index, AskedObject& asked,
                     bool& is_final) const {
    std::vector<const SymbolCandidate*> named;
    for (const SymbolCandidate& candidate : scratch_.candidates) {
      if (candidate.lookup != lookup_ || !candidate.has_name) continue;
      named.push_back(&candidate);
      asked.other_versions.push_back(describe(reader, elf, index, candidate));
    }
    if (query_.by == SearchedBy::Dlsym && query_.version.empty()) {
      return judge_newest(named, index, asked, is_final);
    }
    for (const Hit& hit : scratch_.hits) {
      if (hit.lookup != lookup_ || hit.is_ignored) continue;
      const auto found = std::find_if(named.begin(), named.end(), [&](const SymbolCandidate* candidate) {
        return candidate->symbol == hit.definition.symbol;
      });
      asked.served_by = static_cast<std::size_t>(found - named.begin());
      is_final = hit.is_final;
      return AskedVerdict::Serves;
    }
    if (named.empty()) {
      const bool is_referred =
          std::any_of(scratch_.hits.begin(), scratch_.hits.end(), [&](const Hit& hit) { return hit.lookup == plain_; });
      return is_referred ? AskedVerdict::OnlyReference : AskedVerdict::NotDefined;
    }
    return refusal_of(named, index);
  }

  [[nodiscard]] AskedVerdict refusal_of(const std::vector<const SymbolCandidate*>& named,
                                        const VersionIndex& index) const {
    const VersionId version = lookups_.at(lookup_).version;
    const WantedVersion* const wanted = version == 0 ? nullptr : &wanted_.at(version);
    const SymbolCandidate* chosen = nullptr;
    std::size_t fallbacks = 0;
    for (const SymbolCandidate* candidate : named) {
      const VersionAnswer answer = answer_version(wanted, candidate->versym, index, rules_);
      if (answer == VersionAnswer::Refused) continue;
      chosen = candidate;
      if (answer == VersionAnswer::Accepted) return refusal_of(*chosen);
      ++fallbacks;
    }
    if (fallbacks > 1) return AskedVerdict::Ambiguous;
    return chosen == nullptr ? AskedVerdict::OtherVersion : refusal_of(*chosen);
  }

  static AskedVerdict refusal_of(const SymbolCandidate& candidate) {
    const unsigned visibility = candidate.other & 3;
    return visibility == STV_HIDDEN || visibility == STV_INTERNAL ? AskedVerdict::NotVisible
                                                                  : AskedVerdict::LocalBinding;
  }

  /// dlsym prefers the default version to the oldest one (DL_LOOKUP_RETURN_NEWEST).
  AskedVerdict judge_newest(const std::vector<const SymbolCandidate*>& named, const VersionIndex& index,
                            AskedObject& asked, bool& is_final) const {
    if (named.empty()) return AskedVerdict::NotDefined;
    std::optional<std::size_t> chosen;
    std::size_t defaults = 0;
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (!index.is_used() || (named[i]->versym & kVersymIndex) < 2) {
        chosen = i;
        defaults = 1;
        break;
      }
      if ((named[i]->versym & kVersymHidden) == 0 && ++defaults == 1) chosen = i;
    }
    if (defaults > 1) return AskedVerdict::Ambiguous;
    if (!chosen) return AskedVerdict::OtherVersion;
    const SymbolCandidate& candidate = *named[*chosen];
    const unsigned visibility = candidate.other & 3;
    const unsigned binding = candidate.info >> 4;
    const bool is_taken = binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE;
    if (visibility == STV_HIDDEN || visibility == STV_INTERNAL || !is_taken) {
      return refusal_of(candidate);
    }
    asked.served_by = chosen;
    is_final = binding != STB_WEAK || !rules_.is_dynamic_weak;
    return AskedVerdict::Serves;
  }

  static OtherVersion describe(const TableReader& reader, const ElfObject& elf, const VersionIndex& index,
                               const SymbolCandidate& candidate) {
    OtherVersion other_version;
    other_version.version = index.at(candidate.versym).name;
    other_version.is_hidden = (candidate.versym & kVersymHidden) != 0;
    other_version.is_weak = candidate.info >> 4 == STB_WEAK;
    other_version.is_unique = candidate.info >> 4 == STB_GNU_UNIQUE;
    other_version.version_index = candidate.versym & kVersymIndex;
    other_version.symbol_index = candidate.symbol;
    const std::uint64_t size = reader.is_64() ? 24 : 16;
    const auto place =
        reader.image().locate(static_cast<std::uint64_t>(*elf.symbol_tags.symbol_table) + candidate.symbol * size);
    if (place) other_version.file_offset = place->file_offset;
    return other_version;
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  const Bindings& bindings_;
  const SymbolQuery& query_;
  DefinitionRules rules_;
  WantedVersions wanted_;
  LookupSet lookups_;
  LookupId lookup_ = 0;
  LookupId plain_ = 0;
  TableScratch tables_;
  DefinitionScratch scratch_;
  bool is_done_ = false;
  SymbolSearch search_;
  std::optional<Error> error_;
};

}  // namespace

Result<SymbolSearch> search_symbol(const LinkMap& map, const Bindings& bindings, const SymbolQuery& query) {
  return SymbolSearcher(map, bindings, query).run();
}

}  // namespace soresolve
