// Candidates and fixes as text and as JSON, in the order in which they were tried. Verdicts come from
// diagnose/remedy_trials.cc; commands are printed as they are to be typed.
#include "report/remedies.h"

#include "soresolve/remedy_words.h"

namespace soresolve {
namespace {

std::string verdict_word(RemedyVerdict verdict, const Paint& paint) {
  switch (verdict) {
    case RemedyVerdict::Works: return paint.good("works");
    case RemedyVerdict::Partly: return paint.warn("helps in part");
    case RemedyVerdict::Fails: return paint.bad("fails");
    case RemedyVerdict::Untried: return paint.dim("cannot be tried here");
  }
  return "";
}

}  // namespace

std::string candidates_text(const Problem& problem, const Paint& paint, Detail detail) {
  constexpr std::size_t kShown = 8;
  std::string text;
  if (problem.candidates.empty()) {
    text = "  nothing of that name, or of one like it, lies in the places where libraries are put\n";
  } else {
    text = "  what else is there:\n";
  }
  for (std::size_t i = 0; i < problem.candidates.size(); ++i) {
    const Candidate& candidate = problem.candidates[i];
    if (i == kShown && detail == Detail::Folded) {
      text += "    and " + std::to_string(problem.candidates.size() - kShown) + " more (-v)\n";
      break;
    }
    text += "    " + printable(candidate.path) + paint.dim("  (" + printable(candidate.place) + ")") + "\n";
    const std::string word = candidate.serves ? paint.good("would do") : paint.bad("would not do");
    const std::string soname =
        candidate.is_asked_name || candidate.soname.empty() ? "" : ", its SONAME is " + printable(candidate.soname);
    text += "      " + word + ": " + printable(candidate.reason) + soname + "\n";
  }
  if (!problem.candidates_note.empty()) text += "    (" + printable(problem.candidates_note) + ")\n";
  return text;
}

std::string remedies_text(const std::vector<Remedy>& remedies, const Paint& paint, Language language) {
  if (remedies.empty()) return {};
  std::string text = "\n" + paint.strong("Fixes, each tried in memory (nothing was changed), smallest first:") + "\n";
  std::size_t number = 0;
  for (const Remedy& remedy : remedies) {
    text += "  " + std::to_string(++number) + ". " + verdict_word(remedy.verdict, paint) + ": " +
            printable(remedy.text) + "\n";
    // The sentence is English; what such a change is, is told in others, too.
    if (language != Language::English) text += "     " + std::string(meaning_of(remedy.kind).in(language)) + "\n";
    for (const std::string& command : remedy.commands) text += "       " + paint.name(printable(command)) + "\n";
    if (remedy.verdict == RemedyVerdict::Partly) {
      std::string names;
      for (const std::string& name : remedy.mends) names += (names.empty() ? "" : ", ") + printable(name);
      text += "     mends " + names + "; then\n";
    }
    if (!remedy.loader_says.empty()) text += "       " + paint.bad(printable(remedy.loader_says)) + "\n";
    if (!remedy.reason.empty()) text += "     (" + printable(remedy.reason) + ")\n";
    constexpr std::size_t kShown = 6;
    for (std::size_t i = 0; i < remedy.also.size() && i < kShown; ++i)
      text += "     also " + printable(remedy.also[i]) + "\n";
    if (remedy.also.size() > kShown) text += "     and " + std::to_string(remedy.also.size() - kShown) + " more\n";
    if (remedy.verdict == RemedyVerdict::Works) text += paint.dim("     looked at: " + remedy.checked) + "\n";
  }
  return text;
}

Json to_json(const Candidate& candidate) {
  return {{"path", candidate.path},     {"soname", candidate.soname.empty() ? Json(nullptr) : Json(candidate.soname)},
          {"place", candidate.place},   {"is_asked_name", candidate.is_asked_name},
          {"serves", candidate.serves}, {"reason", candidate.reason}};
}

Json to_json(const Remedy& remedy) {
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  return {{"kind", name_of(remedy.kind)},
          {"verdict", name_of(remedy.verdict)},
          {"text", remedy.text},
          {"commands", remedy.commands},
          {"mends", remedy.mends},
          {"loader_prints", text_or_null(remedy.loader_says)},
          {"also", remedy.also},
          {"reason", text_or_null(remedy.reason)},
          {"checked", text_or_null(remedy.checked)}};
}

}  // namespace soresolve
