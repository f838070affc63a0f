#include "diagnose/mending.h"

#include <algorithm>

#include "base/path.h"
#include "diagnose/candidates.h"
#include "soresolve/limits.h"

namespace soresolve {
namespace {

constexpr std::size_t kMaxCandidates = 24;  ///< read for one library
constexpr std::size_t kMaxJudged = 256;     ///< libraries that others are looked for

bool is_about_library(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::MissingLibrary:
    case FindingKind::WrongClass:
    case FindingKind::FatalCandidate:
    case FindingKind::VersionMissing:
    case FindingKind::SymbolMissing: return true;
    default: return false;
  }
}

bool is_broken(const Finding& finding) {
  return severity_of(finding.kind) == Severity::Fatal && is_about_library(finding);
}

std::vector<ObjectIndex> consumers_of(const LinkMap& map, const Finding& finding) {
  std::set<ObjectIndex> objects;
  for (const NeedRef& request : finding.requests) objects.insert(request.needer);
  for (ObjectIndex i = 0; i < map.objects.size() && finding.object != kNoObject; ++i) {
    for (const Need& need : map.objects[i].needs) {
      if (need.target == finding.object) objects.insert(i);
    }
  }
  return {objects.begin(), objects.end()};
}

NeedRef first_request(const LinkMap& map, const Finding& finding) {
  if (!finding.requests.empty()) return finding.requests.front();
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    for (std::uint32_t k = 0; k < map.objects[i].needs.size(); ++k) {
      if (map.objects[i].needs[k].target == finding.object) return {i, k};
    }
  }
  return {};
}

class CandidateJudge {
 public:
  CandidateJudge(const LinkMap& map, const CandidateSearch& search, Suitability& suitability)
      : map_(map), search_(search), suitability_(suitability) {}

  /// Adds the files that could stand for the finding's library, those that serve first.
  void judge(Finding& finding) {
    std::vector<NamedFile> files = search_.files_like(finding.name);
    if (finding.object != kNoObject) {
      std::erase_if(files, [&](const NamedFile& file) {
        const Result<FileStatus, Errno> status = map_.system->files->status(file.path);
        return status && status->id == map_.objects[finding.object].status.id;
      });
    }
    // By how near the name is, should there be too many to read.
    std::stable_sort(files.begin(), files.end(), [&](const NamedFile& a, const NamedFile& b) {
      return (file_name_of(a.path) == finding.name) > (file_name_of(b.path) == finding.name);
    });
    finding.candidates_note = search_.cut_short();
    if (search_.has_left_out() && finding.candidates_note.empty()) {
      finding.candidates_note =
          "looked in the first " + std::to_string(kMaxAttemptsOfOne) + " places of each search, not in all";
    }
    if (files.size() > kMaxCandidates) {
      const std::string separator = finding.candidates_note.empty() ? "" : "; ";
      finding.candidates_note += separator + "read " + std::to_string(kMaxCandidates) + " of " +
                                 std::to_string(files.size()) +
                                 " files with such a name, those that are called just so first";
      files.resize(kMaxCandidates);
    }
    const std::vector<ObjectIndex> consumers = consumers_of(map_, finding);
    for (const NamedFile& file : files) {
      Candidate candidate = suitability_.judge(file, finding.name, consumers);
      if (candidate.reason.find("not begin with 7f 45 4c 46") == std::string::npos)
        finding.candidates.push_back(std::move(candidate));
    }
    std::stable_sort(finding.candidates.begin(), finding.candidates.end(), [](const Candidate& a, const Candidate& b) {
      if (a.serves != b.serves) return a.serves;
      if (a.is_asked_name != b.is_asked_name) return a.is_asked_name;
      return compare_cache_keys(file_name_of(a.path), file_name_of(b.path)) > 0;
    });
  }

 private:
  const LinkMap& map_;
  const CandidateSearch& search_;
  Suitability& suitability_;
};

/// The first candidate of each library that bears its name and serves.
std::vector<Mending> chosen_of(const LinkMap& map, const std::vector<Finding>& findings,
                               const std::set<std::string, std::less<>>& broken) {
  std::vector<Mending> chosen;
  std::set<std::string_view> seen;
  for (const Finding& finding : findings) {
    if (!broken.contains(finding.name) || !seen.insert(finding.name).second) continue;
    const auto asked =
        std::find_if(finding.candidates.begin(), finding.candidates.end(),
                     [](const Candidate& candidate) { return candidate.is_asked_name && candidate.serves; });
    const NeedRef request = first_request(map, finding);
    if (asked != finding.candidates.end() && request.needer != kNoObject)
      chosen.push_back({&finding, &*asked, request});
  }
  return chosen;
}

}  // namespace

bool is_in_the_way(const Finding& finding) {
  return finding.kind == FindingKind::VersionMissing || finding.kind == FindingKind::SymbolMissing ||
         finding.kind == FindingKind::FatalCandidate;
}

Mendings find_mendings(const LinkMap& map, const RemedyOptions& options, Suitability& suitability,
                       std::vector<Finding>& findings) {
  Mendings mendings;
  std::vector<NeedRef> requests;
  for (const Finding& finding : findings) {
    if (!is_broken(finding)) continue;
    mendings.broken.insert(finding.name);
    const NeedRef request = first_request(map, finding);
    if (request.needer != kNoObject && requests.size() < kMaxJudged) requests.push_back(request);
  }
  if (mendings.broken.empty()) return mendings;
  const CandidateSearch search(map, requests, options);
  CandidateJudge judge(map, search, suitability);
  std::size_t judged = 0;
  for (Finding& finding : findings) {
    if (!is_broken(finding)) continue;
    if (++judged <= kMaxJudged) {
      judge.judge(finding);
    } else {
      finding.candidates_note =
          "not looked for: only files for the first " + std::to_string(kMaxJudged) + " libraries are";
    }
  }
  mendings.chosen = chosen_of(map, findings, mendings.broken);
  return mendings;
}

}  // namespace soresolve
