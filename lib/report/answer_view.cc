// One answer in each of its forms: which page and which data make the document, and what the command ends with.
//
// Nothing is made before it is rendered: a page costs nothing to who asks for data, and the other way round. Not here:
// a line of any page (why_page.cc, check_page.cc, refusal_page.cc).
#include <algorithm>

#include "report/answer_parts.h"
#include "report/check_parts.h"
#include "report/data.h"
#include "report/page.h"
#include "report/page_words.h"
#include "report/pages.h"

namespace soresolve {
namespace {

Verdict under(Strict strict, Verdict verdict) {
  return verdict == Verdict::Depends && strict == Strict::Yes ? Verdict::Fails : verdict;
}

CheckReport check_report(const Answer& answer, Strict strict) {
  const Resolution& run = *answer.run();
  return {run.map(),
          *run.check(),
          run.file(),
          answer.later(),
          answer.call_problems(),
          answer.requirements(),
          run.import(),
          under(strict, answer.verdict()),
          answer.root()};
}

WhyReport why_report(const Answer& answer, const View& how) {
  const Resolution& run = *answer.run();
  const Diagnosis& diagnosis = answer.diagnosis_with_fixes(how.fixes);
  return {run.searched(), diagnosis, run.file(), run.import(), &answer.next_step(), answer.root()};
}

Document why_view(const Answer& answer, const View& how) {
  return {[answer, how] { return why_page(why_report(answer, how), how.detail); },
          [answer, how](const WritePart& write) { write_why_data(why_report(answer, how), write); },
          [answer, how](const TakeStatement& take) { take_statements(why_report(answer, how), take); }};
}

Document check_view(const Answer& answer, const View& how) {
  return {[answer, how] {
            CheckReport report = check_report(answer, how.strict);
            const bool is_whole = how.form == CheckForm::Whole;
            const bool has_fault = report.import != nullptr && !report.import->wheel_faults.empty();
            const bool is_judged = report.verdict != Verdict::Works || has_fault;
            if (is_judged && (is_whole || how.form == CheckForm::NamedWhole)) {
              const bool has_fixes = is_whole && how.steps == View::Steps::Shown;
              report.diagnosis = has_fixes ? &answer.diagnosis_with_fixes(how.fixes) : &answer.diagnosis();
              report.step = has_fixes ? &answer.next_step() : nullptr;
              report.searched = &answer.run()->searched();
            }
            return check_page(report, how.form, how.detail);
          },
          [answer, how](const WritePart& write) {
            const CheckReport report = check_report(answer, how.strict);
            if (how.objects == View::Objects::Drawn) return write_check_data(report, write);
            write(dump(check_data(report)));
          },
          [answer, how](const TakeStatement& take) { take_statements(check_report(answer, how.strict), take); }};
}

bool is_line(const View& how) {
  return how.as == View::As::Check && (how.form == CheckForm::Line || how.form == CheckForm::NamedLine);
}

Page refusal_line(const RefusalReport& report) {
  Page page;
  const bool is_static = report.diagnosis.problems.empty();
  const bool is_open = report.diagnosis.answer == Verdict::Depends;
  page.line(is_static ? Words::foreign(report.file + ": ") + say("ok-static")
            : is_open ? Words(report.diagnosis.verdict)
                      : Words::foreign(report.diagnosis.loader_prints));
  return page;
}

Document refusal_view(const Answer& answer, const View& how) {
  const auto report = [answer, how] {
    return RefusalReport{how.as, answer.diagnosis(), answer.next_step(), answer.file(), answer.root()};
  };
  return {[report, how] { return is_line(how) ? refusal_line(report()) : refusal_page(report(), how.detail); },
          [report](const WritePart& write) { write(dump(refusal_data(report()))); }};
}

}  // namespace

Document view(Answer answer, const View& how) {
  if (answer.run() == nullptr) return refusal_view(answer, how);
  return how.as == View::As::Check ? check_view(answer, how) : why_view(answer, how);
}

std::string check_line(const Answer& answer, Language language) {
  if (answer.run() == nullptr) return answer.verdict() == Verdict::Fails ? answer.diagnosis().loader_prints : "ok";
  return check_line(check_report(answer, Strict::No), language);
}

AnswerStatus status_of(const Answer& answer, const View& how) {
  const bool is_found_wrong = how.as == View::As::Why && answer.verdict() == Verdict::Fails;
  if (!is_found_wrong && answer.unreadable()) return AnswerStatus::NotKnown;
  const PythonImport* const import = answer.run() == nullptr ? nullptr : answer.run()->import();
  const bool is_open = import != nullptr && import->grave_doubt() != nullptr && answer.verdict() == Verdict::Works;
  if (is_open && how.strict == Strict::Yes) return AnswerStatus::NotKnown;
  if (under(how.strict, answer.verdict()) == Verdict::Fails) return AnswerStatus::Problem;
  const Diagnosis* const asked =
      answer.question().about.empty() || answer.run() == nullptr ? nullptr : &answer.diagnosis();
  const bool is_asked_missing = asked != nullptr && asked->asked_requests.empty() && asked->dlopens.list.empty();
  return is_asked_missing ? AnswerStatus::Problem : AnswerStatus::Good;
}

}  // namespace soresolve
