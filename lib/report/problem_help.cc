// The pages of `soresolve help CODE` and `help codes`: severity and words of a code. The words are in
// catalogue/problems_*.cc.
#include "soresolve/catalogue.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

Words words_of(const Phrase& phrase) { return Words::filled(std::string(phrase.en), std::string(phrase.zh)); }

}  // namespace

Page problem_help_page(const ProblemRow& row) {
  Page page;
  const Words head = Words::foreign(row.name) + " (" + term(name_of(row.severity)) + ")";
  page.line(head.in(Tone::Strong) + say("colon") + words_of(row.meaning));
  page.blank();
  page.prose(words_of(row.help), 2);
  return page;
}

Page problem_list_page() {
  constexpr std::size_t kSeverity = 18;
  constexpr std::size_t kMeaning = 27;
  Page page;
  for (const ProblemRow* row : problem_rows()) {
    page.line((Words::foreign(row->name) + Words::stop(kSeverity)).in(Tone::Strong) + term(name_of(row->severity)) +
              Words::stop(kMeaning) + words_of(row->meaning));
  }
  return page;
}

}  // namespace soresolve
