// Reads a candidate as if it stood under the requested name, and compares it with all that its needers require of it:
// machine, versions, symbols. Source: glibc 2.36 elf/dl-version.c:match_symbol, elf/dl-lookup.c:check_match, by way of
// symvers.cc. What the candidate itself needs is judged by a trial.
#include "diagnose/suitability.h"

#include <set>

#include "base/path.h"
#include "loader/load.h"
#include "symbols/map_files.h"

namespace soresolve {

const VersionedLibrary* Suitability::consumer(ObjectIndex object) {
  const auto [at, is_new] = consumers_.try_emplace(object);
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

std::optional<Candidate> Suitability::judge(const NamedFile& file, std::string_view name,
                                            const std::vector<ObjectIndex>& consumers) {
  Candidate candidate;
  candidate.path = file.path;
  candidate.place = file.place;
  const std::string_view base = file_name_of(file.path);
  candidate.is_asked_name = base == name;
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
  Result<VersionedLibrary> library = read_versioned_library(*opened->file, opened->elf, file.path);
  if (!library) {
    candidate.reason = say("tables-unreadable", {{"reason", library.error().message}});
    return candidate;
  }
  // Judged as if it stood under the name that is asked for: that is what the consumers' versions
  // name.
  library->path = std::string(directory_prefix_of(file.path)).append(name);

  std::set<std::string> versions;
  std::set<std::string> lost_versions;
  std::set<std::string> symbols;
  std::set<std::string> lost_symbols;
  std::size_t asked = 0;
  for (const ObjectIndex object : consumers) {
    const VersionedLibrary* from = consumer(object);
    if (from == nullptr) continue;
    ++asked;
    const ForAnswer answer = answer_for(*library, *from);
    if (answer.is_other_name) continue;
    for (const ForVersion& version : answer.versions) {
      const std::string text(version.need.name);
      versions.insert(text);
      const VersionVerdict verdict = version.match.verdict;
      if (verdict == VersionVerdict::Missing || verdict == VersionVerdict::UnknownRecord) lost_versions.insert(text);
    }
    for (const ForSymbol& symbol : answer.symbols) {
      symbols.insert(symbol.name);
      const bool is_met = symbol.verdict == ForVerdict::Met || symbol.verdict == ForVerdict::MetUnversioned;
      if (!is_met && !symbol.weak) lost_symbols.insert(symbol.name + "@" + symbol.version);
    }
    if (answer.ends_in_assertion && system_.rules.match_assert_line != 0) {
      candidate.reason = say("without-versions-assertion");
      return candidate;
    }
  }
  if (!lost_versions.empty()) {
    const std::string& first = *lost_versions.begin();
    candidate.reason = lost_versions.size() == 1
                           ? say("lacks-version", {{"version", first}})
                           : say("lacks-versions", {{"version", first}, {"count", lost_versions.size() - 1}});
    return candidate;
  }
  if (!lost_symbols.empty()) {
    candidate.reason =
        say(lost_symbols.size() == 1 ? "lacks-symbol" : "lacks-symbols",
            {{"lost", lost_symbols.size()}, {"count", symbols.size()}, {"symbol", *lost_symbols.begin()}});
    return candidate;
  }
  if (asked == 0 && !candidate.is_asked_name) {
    candidate.reason = say("other-name-unknown");
    return candidate;
  }
  candidate.serves = true;
  candidate.reason =
      versions.empty()
          ? say("nothing-by-version")
          : say("has-what-is-needed", {{"versions", versions.size()}, {"symbols", symbols.size()}, {"files", asked}});
  return candidate;
}

}  // namespace soresolve
