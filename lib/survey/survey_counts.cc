// A root fails for causes. Only if all of them are optional is it an optional part; only if all are optional or
// suppressed does it not count.
#include "survey/survey_counts.h"

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
}

}  // namespace soresolve
