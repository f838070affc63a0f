// What soresolve says that the loader prints for a problem, explain has to recognise as a message of that problem.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/pattern.h"
#include "soresolve/catalogue.h"
#include "soresolve/diagnose.h"

namespace soresolve::test {

/// No pattern captures a name that is longer than it says.
inline bool has_endless_word(std::string_view line) {
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" \n"), line.size());
    if (end > Pattern::kMaxCapture) return true;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return false;
}

/// How explain takes a line of the loader for something else than `problem`; empty if it does not.
inline std::string taken_otherwise(const Problem& problem) {
  // Its words are those of what comes of it.
  if (problem.code == ProblemCode::ForeignLibc) return {};
  for (const std::string& line : {problem.loader_says, problem.dlerror_says}) {
    if (line.empty() || has_endless_word(line)) continue;
    const std::vector<Recognised> found = recognise(line);
    if (found.empty()) return std::string(code_of(problem.code)) + ": nothing recognises '" + line + "'";
    const KnownMessage& known = *found.front().known;
    if (known.problem == problem.code) continue;
    return std::string(code_of(problem.code)) + ": '" + line + "' is taken for " + std::string(known.id) + " [" +
           (known.problem ? std::string(code_of(*known.problem)) : std::string("no code")) + "]";
  }
  return {};
}

}  // namespace soresolve::test
