// An examination for people: the checks in their order, each with a word for its result.
#include <algorithm>

#include "report/paint.h"
#include "report/words.h"
#include "report/wrapped.h"
#include "soresolve/catalogue.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

Text painted(DoctorResult result, const Paint& paint) {
  const Text word = padded(Text::escaped(name_of(result)), 4);
  switch (result) {
    case DoctorResult::Pass: return paint.good(word);
    case DoctorResult::Warn: return paint.warn(word);
    case DoctorResult::Fail: return paint.bad(word);
    case DoctorResult::Skip: return paint.dim(word);
  }
  return word;
}

Text item_lines(const DoctorItem& item, const Paint& paint, Detail detail) {
  const Text word = item.result == DoctorResult::Pass ? Text("     ") : painted(item.result, paint) + " ";
  Text text = "        " + word + Text::escaped(item.text) + "\n";
  const bool shows_proof =
      detail == Detail::Full || item.result == DoctorResult::Warn || item.result == DoctorResult::Fail;
  for (const Statement& each : item.proof) {
    const std::string proof = sentence(each, Language::English);
    if (shows_proof) text += paint.dim("               " + Text::escaped(proof)) + "\n";
  }
  return text;
}

Text advice_lines(const DoctorAdvice& advice, const Paint& paint) {
  Text text = "        do   " + Text::escaped(advice.text) + "\n";
  for (const std::string& command : advice.commands)
    text += "               " + paint.strong(Text::escaped(command)) + "\n";
  if (!advice.tried.empty()) {
    text += paint.dim("               " + (advice.is_tried ? Text("tried: ") : "not tried: ") +
                      Text::escaped(advice.tried)) +
            "\n";
  }
  return text;
}

}  // namespace

std::string doctor_text(const DoctorReport& report, Colour colour, Detail detail) {
  const Paint paint(colour);
  Text text;
  std::size_t counts[4] = {};
  for (const DoctorCheck& check : report.checks) {
    ++counts[static_cast<std::size_t>(check.result)];
    text +=
        painted(check.result, paint) + "  " + padded(Text::escaped(check.name), 15) + Text::escaped(check.seen) + "\n";
    const bool is_good = check.result == DoctorResult::Pass || check.result == DoctorResult::Skip;
    if (!is_good && !check.why.empty()) text += paint.dim("        why  " + Text::escaped(check.why)) + "\n";
    for (const DoctorItem& item : check.items) text += item_lines(item, paint, detail);
    for (const DoctorAdvice& advice : check.advice) text += advice_lines(advice, paint);
  }
  text += "\n" + Text::number(counts[0]) + " passed, " + Text::number(counts[2]) + " with a warning, " +
          Text::number(counts[3]) + " failed, " + Text::number(counts[1]) + " with nothing to judge\n";
  return text.str();
}

}  // namespace soresolve
