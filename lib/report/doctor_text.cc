// An examination for people: the checks in their order, each with a word for its result.
#include <algorithm>

#include "report/paint.h"
#include "report/wrapped.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

Text painted(DoctorResult result, const Paint& paint, Language language) {
  const Text word = padded(said_text(term(name_of(result)), language), 4);
  switch (result) {
    case DoctorResult::Pass: return paint.good(word);
    case DoctorResult::Warn: return paint.warn(word);
    case DoctorResult::Fail: return paint.bad(word);
    case DoctorResult::Skip: return paint.dim(word);
  }
  return word;
}

Text item_lines(const DoctorItem& item, const Paint& paint, Detail detail, Language language) {
  const Text word = item.result == DoctorResult::Pass ? Text("     ") : painted(item.result, paint, language) + " ";
  Text text = "        " + word + said_text(item.text, language) + "\n";
  const bool shows_proof =
      detail == Detail::Full || item.result == DoctorResult::Warn || item.result == DoctorResult::Fail;
  for (const Statement& each : item.proof) {
    if (shows_proof) text += paint.dim("               " + said_text(each, language)) + "\n";
  }
  return text;
}

Text advice_lines(const DoctorAdvice& advice, const Paint& paint, Language language) {
  Text text = "        " + padded(said_text(say("head-do"), language), 5) + said_text(advice.text, language) + "\n";
  for (const std::string& command : advice.commands)
    text += "               " + paint.strong(Text::escaped(command)) + "\n";
  if (!advice.tried.empty()) {
    const Statement tried = say(advice.is_tried ? "was-tried" : "was-not-tried", {{"text", advice.tried}});
    text += paint.dim("               " + said_text(tried, language)) + "\n";
  }
  return text;
}

}  // namespace

std::string doctor_text(const DoctorReport& report, Colour colour, Detail detail, Language language) {
  const Paint paint(colour);
  Text text;
  std::size_t counts[4] = {};
  for (const DoctorCheck& check : report.checks) {
    ++counts[static_cast<std::size_t>(check.result)];
    text += painted(check.result, paint, language) + "  " + padded(Text::escaped(check.name), 15) +
            said_text(check.seen, language) + "\n";
    const bool is_good = check.result == DoctorResult::Pass || check.result == DoctorResult::Skip;
    if (!is_good && !check.why.empty()) {
      text += paint.dim("        " + padded(said_text(say("head-why"), language), 5) + said_text(check.why, language)) +
              "\n";
    }
    for (const DoctorItem& item : check.items) text += item_lines(item, paint, detail, language);
    for (const DoctorAdvice& advice : check.advice) text += advice_lines(advice, paint, language);
  }
  const Statement all = say(
      "doctor-counts", {{"passed", counts[0]}, {"warned", counts[2]}, {"failed", counts[3]}, {"skipped", counts[1]}});
  return (text + "\n" + said_text(all, language) + "\n").str();
}

}  // namespace soresolve
