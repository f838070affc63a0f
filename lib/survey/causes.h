// What is wrong with those roots of a tree that fail, grouped by cause, and for each cause what would help and whose
// files it is about.
//
// Not here: which problems are of one cause (problem_groups.cc), and the fix of one root (judge.cc).
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "soresolve/survey.h"
#include "survey/judge.h"

namespace soresolve {

/// A tree whose files have all been judged.
struct JudgedTree {
  std::vector<World>& worlds;  ///< one for each thread
  const SurveyOptions& options;
  const std::shared_ptr<const FileSystem>& files;
  const std::vector<bool>& is_program;  ///< by file of the survey
  const IsInTree& is_of_tree;
  std::function<RootQuestion(SurveyIndex root)> question_of;
  /// May a file be there for others than those who use the tree? Not in a process, which has loaded it.
  bool has_spare_parts = true;
  /// Is the work to end? Asked by several threads.
  std::function<bool()> is_stopped;
};

/// Sets the groups of `survey` from its files and from what it skipped, those that are optional last.
void find_causes(Survey& survey, const JudgedTree& tree);

}  // namespace soresolve
