// Reads a candidate as if it stood under the requested name, and compares it with all that its needers require of it:
// machine, versions, symbols. Source: glibc 2.36 elf/dl-version.c:match_symbol, elf/dl-lookup.c:check_match, by way of
// symvers.cc. Needers are those of the map and their siblings. What the candidate itself needs is judged by a trial.
#include "remedies/suitability.h"

#include <map>
#include <set>

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "loader/file_acceptance.h"
#include "loader/load.h"
#include "loader/name_search.h"
#include "remedies/foreign.h"
#include "symbols/map_files.h"
#include "symbols/offer.h"
#include "symbols/symbol_table.h"
#include "symbols/version_tables.h"

namespace soresolve {

namespace {

/// What all that need a library require of one file.
class Judgement {
 public:
  enum class Asker : std::uint8_t { OfMap, Sibling };

  /// The library must outlive it.
  explicit Judgement(const VersionedLibrary& library) : library_(library), offer_(library) {}

  /// A file may be a sibling of several needers: it counts once.
  void add(const VersionedLibrary& from, Asker asker) {
    if (!askers_.insert(from.path).second) return;
    const ForAnswer answer = answer_for(offer_, library_, from);
    is_known_by_symbols_ |= answer.unversioned_here != 0;
    files_.push_back(from.path);
    if (answer.is_other_name) return;
    for (const ForVersion& version : answer.versions) {
      const std::string text(version.need.name);
      versions_.insert(text);
      const VersionVerdict verdict = version.match.verdict;
      const bool is_missing = verdict == VersionVerdict::Missing || verdict == VersionVerdict::UnknownRecord;
      if (is_missing) missing_versions_.try_emplace(text, Refusal{from.path, asker});
    }
    for (const ForSymbol& symbol : answer.symbols) {
      symbols_.insert(symbol.name);
      const bool is_met = symbol.verdict == ForVerdict::Met || symbol.verdict == ForVerdict::MetUnversioned;
      if (!is_met && !symbol.weak) {
        unresolved_symbols_.try_emplace(symbol.name + "@" + symbol.version, Refusal{from.path, asker});
      }
    }
    ends_in_assertion_ |= answer.ends_in_assertion;
  }

  void settle(Candidate& candidate, std::string_view name, const LoaderRules& rules) const {
    candidate.judged_by = files_;
    candidate.reason = reason(candidate, name, rules);
    candidate.serves =
        candidate.reason.sentence == "nothing-by-version" || candidate.reason.sentence == "has-what-is-needed";
    candidate.is_unproven = candidate.reason.sentence == "other-release-unproven";
    if (!missing_versions_.empty()) {
      const auto& [version, refusal] = *missing_versions_.begin();
      candidate.refused_by = refusal.file;
      candidate.dlerror_tail = "version `" + version + "' not found (required by " + refusal.file + ")";
    } else if (!unresolved_symbols_.empty()) {
      candidate.refused_by = unresolved_symbols_.begin()->second.file;
    }
  }
  [[nodiscard]] bool is_refused() const {
    return ends_in_assertion_ || !missing_versions_.empty() || !unresolved_symbols_.empty();
  }

 private:
  struct Refusal {
    std::string file;
    Asker asker;
  };

  /// "…, which FILE beside it requires": only where it is no file of the map.
  static Statement required_by(Statement what, const Refusal& refusal) {
    if (refusal.asker == Asker::OfMap) return what;
    return say("required-by-sibling", {{"what", std::move(what)}, {"file", file_name_of(refusal.file)}});
  }

  [[nodiscard]] Statement reason(const Candidate& candidate, std::string_view name, const LoaderRules& rules) const {
    if (ends_in_assertion_ && rules.match_assert_line != 0) return say("without-versions-assertion");
    if (!missing_versions_.empty()) {
      const auto& [version, refusal] = *missing_versions_.begin();
      return required_by(missing_versions_.size() == 1
                             ? say("lacks-version", {{"version", version}})
                             : say("lacks-versions", {{"version", version}, {"count", missing_versions_.size() - 1}}),
                         refusal);
    }
    if (!unresolved_symbols_.empty()) {
      const auto& [symbol, refusal] = *unresolved_symbols_.begin();
      return required_by(say(unresolved_symbols_.size() == 1 ? "lacks-symbol" : "lacks-symbols",
                             {{"lost", unresolved_symbols_.size()}, {"count", symbols_.size()}, {"symbol", symbol}}),
                         refusal);
    }
    if (files_.empty() && !candidate.is_asked_name) return say("other-name-unknown");
    const bool is_proven = !versions_.empty() || is_known_by_symbols_;
    if (is_other_release(candidate, name) && !is_proven) return say("other-release-unproven");
    if (versions_.empty()) return say("nothing-by-version");
    return say("has-what-is-needed",
               {{"versions", versions_.size()}, {"symbols", symbols_.size()}, {"files", files_.size()}});
  }

  const VersionedLibrary& library_;
  Offer offer_;
  std::set<std::string> askers_;
  std::vector<std::string> files_;
  std::set<std::string> versions_;
  std::set<std::string> symbols_;
  std::map<std::string, Refusal> missing_versions_;
  std::map<std::string, Refusal> unresolved_symbols_;
  bool is_known_by_symbols_ = false;
  bool ends_in_assertion_ = false;
};

}  // namespace

const VersionedLibrary* Suitability::needer(ObjectIndex object) {
  const auto [at, is_new] = needers_.try_emplace(object);
  if (is_new) {
    const Result<ObjectFile> file = open_object_file(map_, object);
    if (file && file->file != nullptr) {
      // What it offers itself is not asked, and costs most to find out.
      Result<VersionTables> versions = read_version_tables(*file->file, *file->elf, file->path);
      Result<SymbolTable> symbols = read_symbol_table(*file->file, *file->elf, file->path);
      if (versions && symbols) {
        at->second = std::make_unique<VersionedLibrary>();
        at->second->path = file->path;
        at->second->versions = std::move(*versions);
        at->second->symbols = std::move(*symbols);
      }
    }
  }
  return at->second.get();
}

/// Why the loader would refuse a file of the right name; empty if it takes the file.
Statement Suitability::refusal_of(const OpenedObject& opened) const {
  ImageReader reader(*opened.file);
  Acceptance acceptance =
      verify_candidate(reader, system_.rules, OpenedAs::Library, kernel_version(system_, *map_.process));
  if (acceptance.outcome == Outcome::OldAbiNote) return say("of-newer-kernel");
  if (acceptance.outcome == Outcome::Loaded) {
    const ElfHeader header = reader.header(system_.rules.target.elf_class, system_.rules.target.byte_order);
    acceptance = check_mapping(reader, header, system_.rules, OpenedAs::Library);
  }
  if (acceptance.outcome == Outcome::Loaded) acceptance = check_dynamic(opened.elf, system_.rules, OpenedAs::Library);
  if (acceptance.outcome == Outcome::Loaded) return {};
  return say("refused-by-loader",
             {{"text", acceptance.text.empty() ? acceptance.reason : std::string(acceptance.text)}});
}

std::optional<Candidate> Suitability::judge(const NamedFile& file, std::string_view name,
                                            const std::vector<ObjectIndex>& needers) {
  Candidate candidate;
  candidate.path = file.path;
  candidate.place = file.place;
  candidate.is_asked_name = file_name_of(file.path) == name;
  const Result<OpenedObject> opened = open_object(*system_.files, file.path, file.path);
  if (!opened) {
    if (opened.error().code == ErrorCode::NotElf) return std::nullopt;
    candidate.reason = words_of_others(opened.error().message);
    return candidate;
  }
  if (opened->elf.soname) candidate.soname = std::string(*opened->elf.soname);
  candidate.is_asked_name |= candidate.soname == name;
  const ElfTarget& target = opened->elf.target;
  if (target.elf_class != system_.rules.target.elf_class || target.machine != system_.rules.target.machine) {
    candidate.reason = say("of-other-target", {{"target", describe(target)}});
    return candidate;
  }
  if (Statement refusal = refusal_of(*opened); !refusal.empty()) {
    candidate.reason = std::move(refusal);
    return candidate;
  }
  Result<VersionedLibrary> library = read_versioned_library(*opened->file, opened->elf, file.path);
  if (!library) {
    candidate.reason = say("tables-unreadable", {{"reason", library.error().message}});
    return candidate;
  }
  // Judged as if it stood under the name that is asked for: that is what the needers' versions
  // name.
  library->path = std::string(directory_prefix_of(file.path)).append(name);

  Judgement judgement(*library);
  for (const ObjectIndex object : needers) {
    if (const VersionedLibrary* from = needer(object)) judgement.add(*from, Judgement::Asker::OfMap);
  }
  for (const ObjectIndex object : needers) {
    if (judgement.is_refused()) break;  // the first proof is enough
    for (const auto& sibling : siblings_.that_need(name, file_of(map_, object))) {
      judgement.add(*sibling, Judgement::Asker::Sibling);
    }
  }
  judgement.settle(candidate, name, system_.rules);
  return candidate;
}

}  // namespace soresolve
