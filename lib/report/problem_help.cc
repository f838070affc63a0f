// The text of `soresolve help CODE` and `help codes`: severity and words of a code. The words are in
// catalogue/problems_*.cc.
#include <algorithm>

#include "report/paint.h"
#include "report/wrapped.h"
#include "soresolve/report.h"

namespace soresolve {
namespace {

std::string_view severity_word(Severity severity, Language language) {
  switch (severity) {
    case Severity::Fatal: return Phrase{"fatal", "致命"}.in(language);
    case Severity::Warning: return Phrase{"warning", "警告"}.in(language);
    case Severity::Note: return Phrase{"note", "提示"}.in(language);
  }
  return {};
}

}  // namespace

std::string problem_help_text(const ProblemRow& row, Language language, Colour colour, std::size_t width) {
  const Paint paint(colour);
  const std::string head = std::string(row.name) + " (" + std::string(severity_word(row.severity, language)) + ")";
  const std::string_view colon = Phrase{": ", "："}.in(language);
  return paint.strong(head) + std::string(colon) + std::string(row.meaning.in(language)) + "\n\n  " +
         wrapped(row.help.in(language), 2, width) + "\n";
}

std::string problem_list_text(Language language, Colour colour) {
  const Paint paint(colour);
  constexpr std::size_t kCode = 18;
  constexpr std::size_t kSeverity = 9;
  std::string text;
  for (const ProblemRow* row : problem_rows()) {
    const std::string code = padded(row->name, kCode);
    const std::string severity = padded(std::string(severity_word(row->severity, language)), kSeverity);
    text += paint.strong(code) + severity + std::string(row->meaning.in(language)) + "\n";
  }
  return text;
}

}  // namespace soresolve
