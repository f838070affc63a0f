// An examination for people: the checks in their order, each with a word for its result.
#include <algorithm>

#include "report/paint.h"
#include "report/words.h"
#include "report/wrapped.h"
#include "soresolve/report_doctor.h"
#include "soresolve/sentence.h"

namespace soresolve {
namespace {

std::string painted(DoctorResult result, const Paint& paint) {
  const std::string word = padded(name_of(result), 4);
  switch (result) {
    case DoctorResult::Pass: return paint.good(word);
    case DoctorResult::Warn: return paint.warn(word);
    case DoctorResult::Fail: return paint.bad(word);
    case DoctorResult::Skip: return paint.dim(word);
  }
  return word;
}

std::string item_lines(const DoctorItem& item, const Paint& paint, Detail detail) {
  const std::string word = item.result == DoctorResult::Pass ? std::string("     ") : painted(item.result, paint) + " ";
  std::string text = "        " + word + printable(item.text) + "\n";
  const bool shows_proof =
      detail == Detail::Full || item.result == DoctorResult::Warn || item.result == DoctorResult::Fail;
  for (const Statement& each : item.proof) {
    const std::string proof = sentence(each, Language::English);
    if (shows_proof) text += paint.dim("               " + printable(proof)) + "\n";
  }
  return text;
}

std::string advice_lines(const DoctorAdvice& advice, const Paint& paint) {
  std::string text = "        do   " + printable(advice.text) + "\n";
  for (const std::string& command : advice.commands)
    text += "               " + paint.strong(printable(command)) + "\n";
  if (!advice.tried.empty()) {
    text += paint.dim("               " + std::string(advice.is_tried ? "tried: " : "not tried: ") +
                      printable(advice.tried)) +
            "\n";
  }
  return text;
}

}  // namespace

std::string doctor_text(const DoctorReport& report, Colour colour, Detail detail) {
  const Paint paint(colour);
  std::string text;
  std::size_t counts[4] = {};
  for (const DoctorCheck& check : report.checks) {
    ++counts[static_cast<std::size_t>(check.result)];
    text += painted(check.result, paint) + "  " + padded(check.name, 15) + printable(check.seen) + "\n";
    const bool is_good = check.result == DoctorResult::Pass || check.result == DoctorResult::Skip;
    if (!is_good && !check.why.empty()) text += paint.dim("        why  " + printable(check.why)) + "\n";
    for (const DoctorItem& item : check.items) text += item_lines(item, paint, detail);
    for (const DoctorAdvice& advice : check.advice) text += advice_lines(advice, paint);
  }
  text += "\n" + std::to_string(counts[0]) + " passed, " + std::to_string(counts[2]) + " with a warning, " +
          std::to_string(counts[3]) + " failed, " + std::to_string(counts[1]) + " with nothing to judge\n";
  return text;
}

}  // namespace soresolve
