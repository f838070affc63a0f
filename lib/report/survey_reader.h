// A survey read back from its JSON Lines, and what its page leaves out.
#pragma once
#include <string>
#include <string_view>

#include "report/page.h"
#include "soresolve/report.h"
#include "soresolve/result.h"
#include "soresolve/survey.h"

namespace soresolve {

/// What stands in the JSON Lines of a survey: files, and which of them leads to which.
struct ReadSurvey {
  Survey survey;
  std::string root;  ///< of the tree, as it was named
};
/// Errors: Malformed, with the line; `path` is what errors call the text.
Result<ReadSurvey> read_survey(std::string_view json_lines, std::string_view path);
/// One line: how many causes do not count, and by which files; no line where all count. What a caller who asks for
/// nothing but problems has to see all the same.
Page suppressed_page(const SurveyReport& report);

}  // namespace soresolve
