// A root fails for causes. Only if all of them are optional is it an optional part; only if all are optional or
// suppressed does it not count. What was not judged is counted beside them: it is neither good nor bad.
#include "survey/problem_groups.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace soresolve {

void count_roots(Survey& survey) {
  enum : std::uint8_t { kOptional = 1, kSuppressed = 2, kCounts = 4 };
  std::vector<std::uint8_t> causes(survey.files.size(), 0);
  for (const ProblemGroup& group : survey.groups) {
    const std::uint8_t kind = group.suppression ? kSuppressed : group.is_optional ? kOptional : kCounts;
    for (const SurveyIndex member : group.members) causes[member] |= kind;
  }
  SurveyCounts& counts = survey.counts;
  counts.dynamic = survey.files.size();
  counts.programs = counts.roots = counts.works = counts.fails = 0;
  counts.depends = counts.optional = counts.suppressed = 0;
  for (std::size_t i = 0; i < survey.files.size(); ++i) {
    SurveyedFile& file = survey.files[i];
    counts.programs += file.as == SurveyedAs::Program;
    if (!file.is_root()) continue;
    ++counts.roots;
    counts.works += file.verdict == Verdict::Works;
    counts.depends += file.verdict == Verdict::Depends;
    if (file.verdict != Verdict::Fails) continue;
    file.is_optional = causes[i] == kOptional;
    file.is_suppressed = (causes[i] & kCounts) == 0 && (causes[i] & kSuppressed) != 0;
    counts.optional += file.is_optional;
    counts.suppressed += file.is_suppressed;
    counts.fails += !file.is_optional && !file.is_suppressed;
  }
  // A dynamic file that was not judged stands in both lists, unless the survey was ended before its turn.
  counts.unjudged = 0;
  std::size_t of_files = 0;
  for (const SurveySkip& skip : survey.skipped) {
    counts.unjudged += skip.is_open;
    of_files += skip.why == SurveySkip::Why::NoLoader || skip.why == SurveySkip::Why::Unjudged;
  }
  const auto left =
      static_cast<std::size_t>(std::count_if(survey.files.begin(), survey.files.end(),
                                             [](const SurveyedFile& file) { return file.as == SurveyedAs::Unjudged; }));
  counts.unjudged += left - std::min(left, of_files);
}

}  // namespace soresolve
