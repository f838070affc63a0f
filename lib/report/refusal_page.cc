// A file that comes into no process, for people: the line of the shell, the fix, the cause and its evidence.
#include "report/layer_words.h"
#include "report/page.h"
#include "report/pages.h"
#include "report/step_lines.h"
#include "soresolve/diagnose.h"

namespace soresolve {
Page refusal_page(const RefusalReport& report, Detail detail) {
  Page page;
  const Diagnosis& diagnosis = report.diagnosis;
  if (diagnosis.problems.empty()) {
    page.line(good(report.command == View::As::Check ? say("ok-static") : diagnosis.verdict));
    return page;
  }
  const Problem& problem = diagnosis.problems.front();
  const bool is_open = diagnosis.answer == Verdict::Depends;
  const bool is_why = report.command == View::As::Why || is_open;
  // check says it as the loader would, byte by byte; to others a name is a stranger's.
  const Words said = report.command == View::As::Check ? Words::loaders_line(diagnosis.loader_prints)
                                                       : Words::foreign(diagnosis.loader_prints);
  page.line(is_open ? warn(diagnosis.verdict) : bad(is_why ? Words(diagnosis.verdict) : said));
  for (Block& block : step_lines(report.step, report.root)) page.add(std::move(block));
  if (is_why) {
    page.entry(say("head-prints"), said);
  } else {
    page.entry(say("head-cause"), Words(problem.what));
  }
  for (const Evidence& evidence : problem.evidence) page.more(evidence.what);
  for (const Statement& package : packages_of(problem)) page.entry(say("head-packages"), package);
  for (const LayerOfFile& layer : problem.layers) page.entry(say("head-layers"), layer_words(layer));
  if (detail == Detail::Full) {
    page.append(remedies_page(diagnosis.remedies));
  } else if (Page fixes = fixes_page(diagnosis, report.root); !fixes.empty()) {
    page.blank();
    page.append(std::move(fixes));
  }
  return page;
}

}  // namespace soresolve
