// An examination of the machine: the verdict and what to try, then the checks in their order, each with a word for its
// result, and unfolded where it does not pass.
#include "diagnose/cuda_rules.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

constexpr std::size_t kItemColumn = 8;
constexpr std::size_t kProofColumn = 15;

Words result_words(DoctorResult result) {
  Words word = term(name_of(result));
  switch (result) {
    case DoctorResult::Pass: return std::move(word).in(Tone::Good);
    case DoctorResult::Warn: return std::move(word).in(Tone::Warn);
    case DoctorResult::Fail: return std::move(word).in(Tone::Bad);
    case DoctorResult::Skip: return std::move(word).in(Tone::Dim);
  }
  return word;
}

void add_item(Page& page, const DoctorItem& item, Detail detail) {
  const Words word = item.result == DoctorResult::Pass ? Words() : result_words(item.result);
  page.line(word + Words::stop(5) + item.text, kItemColumn);
  const bool shows_proof =
      detail == Detail::Full || item.result == DoctorResult::Warn || item.result == DoctorResult::Fail;
  for (const Statement& each : item.proof) {
    if (shows_proof) page.line(Words(each).in(Tone::Dim), kProofColumn);
  }
}

void add_advice(Page& page, const DoctorAdvice& advice) {
  page.line(Words(say("head-do")) + Words::stop(5) + advice.text, kItemColumn);
  for (const CommandText& command : advice.commands) page.add(Command{command, kProofColumn, false, Tone::Strong});
  if (advice.tried.empty()) return;
  const Statement tried = say(advice.is_tried ? "was-tried" : "was-not-tried", {{"text", advice.tried}});
  page.line(Words(tried).in(Tone::Dim), kProofColumn);
}

}  // namespace

Page doctor_page(const DoctorReport& report, Detail detail) {
  Page page;
  page.line(Words(report.verdict.text).in(report.is_healthy() ? Tone::Good : Tone::Bad));
  if (!report.verdict.command.empty()) {
    page.line(Words(say("try")) + Words::command(report.verdict.command));
  }
  if (report.driver != nullptr) {
    for (const Statement& note : driver_notes(*report.driver)) page.line(Words(note).in(Tone::Dim));
  }
  page.blank();
  std::size_t counts[4] = {};
  for (const DoctorCheck& check : report.checks) {
    ++counts[static_cast<std::size_t>(check.result)];
    page.line(result_words(check.result) + Words::stop(6) + Words::foreign(check.name) + Words::stop(21) + check.seen);
    const bool is_good = check.result == DoctorResult::Pass || check.result == DoctorResult::Skip;
    if (!is_good && !check.why.empty()) {
      page.line((Words(say("head-why")) + Words::stop(5) + check.why).in(Tone::Dim), kItemColumn);
    }
    for (const DoctorItem& item : check.items) add_item(page, item, detail);
    for (const DoctorAdvice& advice : check.advice) add_advice(page, advice);
  }
  page.blank();
  page.line(say("doctor-counts",
                {{"passed", counts[0]}, {"warned", counts[2]}, {"failed", counts[3]}, {"skipped", counts[1]}}));
  return page;
}

}  // namespace soresolve
