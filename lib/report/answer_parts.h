// What the pages and data of an answer read: parts of it, borrowed for as long as one of them is made (answer_view.cc).
#pragma once
#include <string>
#include <vector>

#include "soresolve/report.h"

namespace soresolve {

/// Of why.
struct WhyReport {
  const LinkMap& map;
  const Diagnosis& diagnosis;
  const std::string& file;     ///< as it was asked about
  const PythonImport* import;  ///< that the file is opened by, if that is the question
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
  Verdict verdict;  ///< under Strict::Yes Depends has become Fails
};

/// Of a file that comes into no process.
struct RefusalReport {
  View::As command;
  const Diagnosis& diagnosis;
  const std::string& file;
};

}  // namespace soresolve
