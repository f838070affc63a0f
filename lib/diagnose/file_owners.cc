// Whom to ask about a file that is missing, wrong or in the way: the package of the object that a problem is about, of
// the first that needs it, and of each candidate. Notes have none: they are many, and nothing is to be fixed.
#include "diagnose/additions.h"

#include <algorithm>

#include "diagnose/diagnosis_input.h"
#include "loader/system.h"

namespace soresolve {

namespace {

/// Without a package for anything, and with a database that was not read.
void add_unread(Problem& problem, const std::string& database) {
  const auto has_owner = [](const Candidate& candidate) { return candidate.owner.has_value(); };
  if (database.empty() || std::any_of(problem.candidates.begin(), problem.candidates.end(), has_owner)) return;
  const Statement note = say("owners-unread", {{"database", database}});
  problem.candidates_note = problem.candidates_note.empty()
                                ? note
                                : say("note-and-note", {{"first", problem.candidates_note}, {"second", note}});
}

}  // namespace

void add_owners(const LinkMap& map, Diagnosis& diagnosis, const PackageOwners& owners) {
  constexpr std::size_t kMostProblems = 256;
  std::size_t count = 0;
  for (Problem& problem : diagnosis.problems) {
    if (severity_of(problem.code) == Severity::Note || ++count > kMostProblems) continue;
    const auto add = [&](ObjectIndex object) {
      if (object >= map.objects.size() || map.objects[object].role == ObjectRole::Placeholder) return;
      const std::string path = file_of(map, object);
      const auto is_same = [&](const OwnedFile& known) { return known.path == path; };
      if (std::any_of(problem.owners.begin(), problem.owners.end(), is_same)) return;
      if (auto owner = owners.owner_of(path)) problem.owners.push_back({path, std::move(*owner)});
    };
    add(problem.object);
    if (!problem.requests.empty()) add(problem.requests.front().needer);
    for (Candidate& candidate : problem.candidates) candidate.owner = owners.owner_of(candidate.path);
    if (problem.owners.empty()) add_unread(problem, owners.unread());
  }
}

}  // namespace soresolve
