// Lists which libraries are broken, which candidates could serve for each, best first, and which one the fixes use. At
// most 24 files are read for one library, and files for 256 libraries. Applying a fix is in trial.cc.
#include "remedies/replacements.h"

#include <algorithm>
#include <filesystem>

#include "base/limits.h"
#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "loader/load.h"
#include "loader/system.h"
#include "remedies/candidates.h"
#include "remedies/foreign.h"
#include "soresolve/symbols.h"
#include "symbols/offer.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxCandidates = 24;  ///< read for one library
constexpr std::size_t kMaxJudged = 256;     ///< libraries that others are looked for

bool is_about_library(const Problem& problem) {
  switch (problem.code) {
    case ProblemCode::MissingLibrary:
    case ProblemCode::WrongClass:
    case ProblemCode::FatalCandidate:
    case ProblemCode::VersionMissing:
    case ProblemCode::SymbolMissing: return true;
    case ProblemCode::VersionTable: return problem.object != kNoObject;  // not where it is the needer's own
    default: return false;
  }
}

bool is_broken(const Problem& problem) {
  return severity_of(problem.code) == Severity::Fatal && is_about_library(problem);
}

std::vector<ObjectIndex> needers_of(const LinkMap& map, const Problem& problem) {
  std::set<ObjectIndex> objects;
  for (const NeedRef& request : problem.requests) objects.insert(request.needer);
  for (ObjectIndex i = 0; i < map.objects.size() && problem.object != kNoObject; ++i) {
    for (const Need& need : map.objects[i].needs) {
      if (need.target == problem.object) objects.insert(i);
    }
  }
  return {objects.begin(), objects.end()};
}

NeedRef first_request(const LinkMap& map, const Problem& problem) {
  if (!problem.requests.empty()) return problem.requests.front();
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    for (std::uint32_t k = 0; k < map.objects[i].needs.size(); ++k) {
      if (map.objects[i].needs[k].target == problem.object) return {i, k};
    }
  }
  return {};
}

/// Does the file define it, whatever the version?
bool defines(const System& system, const std::string& path, std::string_view symbol) {
  const Result<OpenedObject> opened = open_object(*system.files, path, path);
  if (!opened || opened->elf.target.machine != system.rules.target.machine) return false;
  const Result<VersionedLibrary> library = read_versioned_library(*opened->file, opened->elf, path);
  return library && !Offer(*library).named(symbol).empty();
}

/// The requests by which a library could have come that should define the missing symbol: those of its referrer.
std::vector<NeedRef> suspects_of(const LinkMap& map, const Problem& problem) {
  std::vector<NeedRef> requests;
  if (problem.code != ProblemCode::SymbolMissing || problem.object != kNoObject || problem.referrer == kNoObject) {
    return requests;
  }
  const std::vector<Need>& needs = map.objects[problem.referrer].needs;
  for (std::uint32_t k = 0; k < needs.size(); ++k) {
    const ObjectIndex target = needs[k].target;
    if (target != kNoObject && map.objects[target].role == ObjectRole::Library) {
      requests.push_back({problem.referrer, k});
    }
  }
  return requests;
}

/// No version names the library that should have the symbol. Where another file of the name of a library that the
/// referrer needs has it, that library is the wrong one.
void find_wrong_copy(const LinkMap& map, const CandidateSearch& search, Problem& problem) {
  constexpr std::size_t kMostRead = 32;
  std::size_t read = 0;
  for (const NeedRef& request : suspects_of(map, problem)) {
    const Need& need = map.objects[request.needer].needs[request.need];
    const LoadedObject& taken = map.objects[need.target];
    for (const NamedFile& file : search.files_like(need.name)) {
      if (file_name_of(file.path) != need.name || ++read > kMostRead) continue;
      const Result<FileStatus, Errno> status = map.system->files->status(file.path);
      if (!status || status->id == taken.status.id || !defines(*map.system, file.path, problem.name)) continue;
      problem.object = need.target;
      // It says what is missing of which library; before the names of that, of which there may be many.
      std::erase_if(problem.evidence, is_of_other_release);
      problem.evidence.insert(
          problem.evidence.begin(),
          {.what = say("another-copy-defines", {{"path", file.path}, {"symbol", problem.name}, {"taken", taken.path}}),
           .path = file.path});
      // Of whoever opens it, and before LD_LIBRARY_PATH: nothing that is exported changes it.
      if (taken.found.step == SearchStep::Rpath && taken.found.owner != kNoObject &&
          taken.found.owner != request.needer) {
        const std::string owner = file_of(map, taken.found.owner);
        problem.evidence.push_back(
            {.what = say("taken-by-rpath",
                         {{"taken", std::filesystem::path(taken.path).lexically_normal().string()}, {"owner", owner}}),
             .path = owner});
      }
      problem.name = std::string(need.name);
      return;
    }
  }
}

/// What find_wrong_copy() has found missing in the copy that is loaded; empty: it has found none.
std::string symbol_of_wrong_copy(const Problem& problem) {
  for (const Evidence& evidence : problem.evidence) {
    if (evidence.what.sentence != "another-copy-defines") continue;
    for (const Argument& argument : evidence.what.arguments) {
      const std::string* const text = std::get_if<std::string>(&argument.value);
      if (argument.name == "symbol" && text != nullptr) return *text;
    }
  }
  return {};
}

class CandidateJudge {
 public:
  CandidateJudge(const LinkMap& map, const CandidateSearch& search, Suitability& suitability, Belonging& belonging)
      : map_(map), search_(search), suitability_(suitability), belonging_(belonging) {}

  /// Adds the files that could stand for the problem's library.
  void judge(Problem& problem) {
    std::vector<NamedFile> files = search_.files_like(problem.name);
    if (problem.object != kNoObject) {
      std::erase_if(files, [&](const NamedFile& file) {
        const Result<FileStatus, Errno> status = map_.system->files->status(file.path);
        return status && status->id == map_.objects[problem.object].status.id;
      });
    }
    // By how near the name is, should there be too many to read.
    std::stable_sort(files.begin(), files.end(), [&](const NamedFile& a, const NamedFile& b) {
      return (file_name_of(a.path) == problem.name) > (file_name_of(b.path) == problem.name);
    });
    problem.candidates_note = search_.cut_short();
    if (search_.has_left_out() && problem.candidates_note.empty()) {
      problem.candidates_note = say("places-cut-short", {{"count", kMaxAttemptsOfOne}});
    }
    if (files.size() > kMaxCandidates) {
      Statement note = say("files-cut-short", {{"read", kMaxCandidates}, {"count", files.size()}});
      problem.candidates_note = problem.candidates_note.empty()
                                    ? std::move(note)
                                    : say("note-and-note", {{"first", problem.candidates_note}, {"second", note}});
      files.resize(kMaxCandidates);
    }
    const std::vector<ObjectIndex> needers = needers_of(map_, problem);
    const std::string symbol = symbol_of_wrong_copy(problem);
    for (const NamedFile& file : files) {
      if (std::optional<Candidate> candidate = suitability_.judge(file, problem.name, needers)) {
        // Without versions its needers do not say which of their symbols are meant to be of it.
        if (candidate->serves && !symbol.empty() && !defines(*map_.system, file.path, symbol)) {
          candidate->serves = false;
          candidate->reason = say("lacks-this-symbol", {{"symbol", symbol}});
        }
        candidate->foreign = belonging_.judge(*candidate, problem.name);
        problem.candidates.push_back(std::move(*candidate));
      }
    }
  }

 private:
  const LinkMap& map_;
  const CandidateSearch& search_;
  Suitability& suitability_;
  Belonging& belonging_;
};

/// Those that serve first, and of those the ones of the very name that belong to who asks.
void order_candidates(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.serves != b.serves) return a.serves;
    if (a.is_asked_name != b.is_asked_name) return a.is_asked_name;
    if (a.foreign.empty() != b.foreign.empty()) return a.foreign.empty();
    return compare_cache_keys(file_name_of(a.path), file_name_of(b.path)) > 0;
  });
}

/// The first candidate of each library that bears its name and serves.
std::vector<Replacement> chosen_of(const LinkMap& map, const std::vector<Problem>& problems,
                                   const std::set<std::string, std::less<>>& broken) {
  std::vector<Replacement> chosen;
  std::set<std::string_view> seen;
  for (const Problem& problem : problems) {
    if (!broken.contains(problem.name) || !seen.insert(problem.name).second) continue;
    const auto asked =
        std::find_if(problem.candidates.begin(), problem.candidates.end(),
                     [](const Candidate& candidate) { return candidate.is_asked_name && candidate.serves; });
    const NeedRef request = first_request(map, problem);
    if (asked != problem.candidates.end() && request.needer != kNoObject)
      chosen.push_back({&problem, &*asked, request});
  }
  return chosen;
}

}  // namespace

bool is_in_the_way(const Problem& problem) {
  return problem.code == ProblemCode::VersionMissing || problem.code == ProblemCode::SymbolMissing ||
         problem.code == ProblemCode::FatalCandidate ||
         (problem.code == ProblemCode::VersionTable && is_about_library(problem));
}

Replacements find_replacements(const LinkMap& map, const RemedyOptions& options, Suitability& suitability,
                               const Check* check, std::vector<Problem>& problems) {
  Replacements replacements;
  std::vector<NeedRef> requests;
  bool is_any_broken = false;
  for (const Problem& problem : problems) {
    if (!is_broken(problem)) continue;
    is_any_broken = true;
    std::vector<NeedRef> own = suspects_of(map, problem);
    own.push_back(first_request(map, problem));
    for (const NeedRef& request : own) {
      if (request.needer != kNoObject && requests.size() < kMaxJudged) requests.push_back(request);
    }
  }
  const bool may_lack = check != nullptr && may_lack_need(problems);
  if (!is_any_broken && !may_lack) return replacements;
  const CandidateSearch search(map, requests, options);
  for (Problem& problem : problems) {
    if (!is_broken(problem)) continue;
    find_wrong_copy(map, search, problem);
    replacements.broken.insert(problem.name);
  }
  if (may_lack) replacements.needs = find_missing_needs(map, search, *check, problems);
  Belonging belonging(map, options.search);
  CandidateJudge judge(map, search, suitability, belonging);
  std::size_t judged = 0;
  for (Problem& problem : problems) {
    if (!is_broken(problem)) continue;
    if (++judged <= kMaxJudged) {
      judge.judge(problem);
    } else {
      problem.candidates_note = say("libraries-cut-short", {{"count", kMaxJudged}});
    }
  }
  return replacements;
}

void choose_replacements(const LinkMap& map, std::vector<Problem>& problems, Replacements& replacements) {
  for (Problem& problem : problems) order_candidates(problem.candidates);
  replacements.chosen = chosen_of(map, problems, replacements.broken);
}

}  // namespace soresolve
