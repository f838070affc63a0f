// What is broken, which other files could serve, and the one of them that remedies make use of.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "remedies/definers.h"
#include "remedies/suitability.h"
#include "soresolve/diagnose.h"
#include "soresolve/remedies.h"

namespace soresolve {

/// One library that is to be fixed, and the file that is to take its place.
struct Replacement {
  const Problem* problem = nullptr;
  const Candidate* candidate = nullptr;
  NeedRef request;  ///< the first one for it
};

struct Replacements {
  std::set<std::string, std::less<>> broken;  ///< libraries with a fatal problem
  std::vector<Replacement> chosen;            ///< of those with a file of the right name that serves
  std::vector<MissingNeed> needs = {};        ///< libraries that are to be required
};

/// Is a file there that should not be taken?
bool is_in_the_way(const Problem& problem);

/// Adds candidates to the fatal problems about libraries; none is chosen yet. `check`: of this map; nullptr: symbols
/// have not been looked at.
Replacements find_replacements(const LinkMap& map, const RemedyOptions& options, Suitability& suitability,
                               const Check* check, std::vector<Problem>& problems);

/// Orders the candidates of each problem, best first, and chooses among them. What is chosen points into `problems`.
void choose_replacements(const LinkMap& map, std::vector<Problem>& problems, Replacements& replacements);

}  // namespace soresolve
