// What several proposals share: the directories of the chosen files, and a path list with directories put first. The
// proposals are in propose_*.cc, their order in remedies.cc.
#include "remedies/proposals.h"

#include <algorithm>

#include "base/path.h"
#include "base/pieces.h"

namespace soresolve {

std::vector<std::string> directories_of(const Replacements& replacements, ChosenFiles which) {
  std::vector<std::string> list;
  for (const Replacement& replacement : replacements.chosen) {
    const bool has_name = file_name_of(replacement.candidate->path) == replacement.problem->name;
    if (which == ChosenFiles::OfTheVeryName && !has_name) continue;
    std::string directory(directory_of(replacement.candidate->path));
    if (std::find(list.begin(), list.end(), directory) == list.end()) list.push_back(std::move(directory));
  }
  return list;
}

std::string prepended(const std::vector<std::string>& directories, std::optional<std::string_view> value) {
  std::string list = joined(directories, ":");
  if (value && !value->empty()) list += ":" + std::string(*value);
  return list;
}

}  // namespace soresolve
