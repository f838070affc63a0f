// The pages of `soresolve help CODE` and `help codes`: severity and words of a code. The words are in
// catalogue/problems_*.toml.
#include "catalogue/problem_rows.h"
#include "report/explain_report.h"
#include "report/page.h"
#include "soresolve/catalogue.h"
#include "soresolve/report.h"

namespace soresolve {
Page problem_help_page(const ProblemRow& row) {
  Page page;
  const Words head = Words::foreign(code_of(row.code)) + " (" + term(name_of(severity_of(row.code))) + ")";
  page.line(head.in(Tone::Strong) + say("colon") + Words::phrase(row.meaning));
  page.blank();
  page.prose(Words::phrase(row.help), 2);
  return page;
}

Page problem_list_page() {
  constexpr std::size_t kSeverity = 18;
  constexpr std::size_t kMeaning = 27;
  Page page;
  for (const ProblemRow& row : problem_rows()) {
    page.line((Words::foreign(code_of(row.code)) + Words::stop(kSeverity)).in(Tone::Strong) +
              term(name_of(severity_of(row.code))) + Words::stop(kMeaning) + Words::phrase(row.meaning));
  }
  return page;
}

}  // namespace soresolve
