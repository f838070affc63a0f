// What the pages and data of an answer read: parts of it, borrowed for as long as one of them is made (answer_view.cc).
#pragma once
#include <string>
#include <vector>

#include "soresolve/report.h"

namespace soresolve {

/// Of why.
struct WhyReport {
  const LinkMap& map;  ///< that the diagnosis is of: Resolution::searched()
  const Diagnosis& diagnosis;
  const std::string& file;     ///< as it was asked about
  const PythonImport* import;  ///< that the file is opened by, if that is the question
  const NextStep* step;        ///< Answer::next_step(), where it is shown; else nullptr
  const std::string& root;     ///< Answer::root()
};

/// Of check.
struct CheckReport {
  const LinkMap& map;
  const Check& check;
  const std::string& file;  ///< as it was asked about
  const Dlopens& dlopens;   ///< what is opened later, with versions and symbols
  const std::vector<Problem>& cuda;
  const std::vector<RequirementVerdict>& requirements;
  const PythonImport* import;
  Verdict verdict;                       ///< under Strict::Yes Depends has become Fails
  const std::string& root;               ///< Answer::root()
  const Diagnosis* diagnosis = nullptr;  ///< for the whole page of a file that does not work,
  const NextStep* step = nullptr;        ///< Answer::next_step(), where it is shown,
  const LinkMap* searched = nullptr;     ///< and what its indices are of: Resolution::searched()
};

/// Of a file that comes into no process.
struct RefusalReport {
  View::As command;
  const Diagnosis& diagnosis;
  const NextStep& step;
  const std::string& file;
  const std::string& root;
};

}  // namespace soresolve
