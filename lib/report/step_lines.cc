// The line to type or what leads on, and the cause, for the pages of why, check and explain alike.
#include "report/step_lines.h"

#include "report/tones.h"

namespace soresolve {

Words filled_words(const Phrase& phrase, const Recognised& message) {
  return Words::filled(filled(phrase.en, message), filled(phrase.zh, message));
}

Prose next_line(Words next) {
  constexpr std::size_t kHang = 6;
  return {std::move(next), kHang, say("next-step")};
}

namespace {

Words try_line(const Remedy& fix, const std::string& root) {
  Words line = Words(say("try")) + Words::command(typed_in(root, fix));
  if (fix.verdict == RemedyVerdict::Partly) line += say("try-partly", {{"libraries", NameList{fix.fixes, 0}}});
  const bool has_remark = fix.verdict == RemedyVerdict::Untried && !fix.reason.empty();
  return has_remark ? std::move(line) + dim("   # " + Words(fix.reason)) : line;
}

}  // namespace

std::string without_guess(std::string text) {
  constexpr std::string_view kGuess = "(most likely due to a circular import)";
  if (const std::size_t at = text.find(kGuess); at != std::string::npos) text.replace(at, kGuess.size(), "(…)");
  return text;
}

std::string shown_exception(const PythonImport& import) {
  return import.other_python.empty() ? import.exception : without_guess(import.exception);
}

CommandText typed_in(const std::string& root, const Remedy& fix) {
  const CommandText command = joined_commands(fix.commands);
  return root.empty() || fix.kind == RemedyKind::Capabilities ? command : command.without_sudo();
}

Words root_remark(const Remedy& fix, const std::string& root) {
  return root.empty() || fix.kind == RemedyKind::Capabilities ? Words()
                                                              : Words(dim(say("inside-root", {{"root", root}})));
}

std::vector<Block> step_lines(const NextStep& step, const std::string& root) {
  constexpr std::size_t kHang = 14;
  std::vector<Block> blocks;
  if (step.fix != nullptr) {
    blocks.push_back(Line{try_line(*step.fix, root) + root_remark(*step.fix, root)});
  } else if (!step.next.empty()) {
    blocks.push_back(Line{Words(say("next-step")) + Words(step.next)});
  } else if (step.row) {
    blocks.push_back(next_line(filled_words(step.row->known->next, *step.row)));
  }
  if (!step.cause.empty())
    blocks.push_back(Prose{Words(step.cause), kHang, say("head-cause"), 2});
  else if (step.row && !step.row->known->is_general)
    blocks.push_back(Prose{filled_words(step.row->known->cause, *step.row), kHang, say("head-cause"), 2});
  return blocks;
}

}  // namespace soresolve
