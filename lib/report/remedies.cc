// Candidates and fixes as text and as JSON, in the order in which they were tried. Verdicts come from
// diagnose/remedy_trials.cc; commands are printed as they are to be typed.
#include "report/remedies.h"

#include <utility>

#include "soresolve/catalogue.h"

namespace soresolve {
namespace {

std::string verdict_word(RemedyVerdict verdict, const Paint& paint, Language language) {
  switch (verdict) {
    case RemedyVerdict::Works: return paint.good(said(say("fix-works"), language));
    case RemedyVerdict::Partly: return paint.warn(said(say("fix-partly"), language));
    case RemedyVerdict::Fails: return paint.bad(said(say("fix-fails"), language));
    case RemedyVerdict::Untried: return paint.dim(said(say("fix-untried"), language));
  }
  return "";
}

}  // namespace

std::string candidates_text(const Problem& problem, const Paint& paint, const WhyOptions& options) {
  constexpr std::size_t kShown = 8;
  const Language language = options.language;
  std::string text =
      "  " + said(say(problem.candidates.empty() ? "nothing-like-it" : "what-else-is-there"), language) + "\n";
  for (std::size_t i = 0; i < problem.candidates.size(); ++i) {
    const Candidate& candidate = problem.candidates[i];
    if (i == kShown && options.detail == Detail::Folded) {
      text += "    " + said(say("and-more-v", {{"count", problem.candidates.size() - kShown}}), language) + "\n";
      break;
    }
    text += "    " + printable(candidate.path) + paint.dim("  (" + said(candidate.place, language) + ")") + "\n";
    const std::string word =
        candidate.serves ? paint.good(said(say("would-do"), language)) : paint.bad(said(say("would-not-do"), language));
    const Statement soname = candidate.is_asked_name || candidate.soname.empty()
                                 ? Statement{}
                                 : say("its-soname", {{"soname", candidate.soname}});
    text +=
        "      " + word +
        said(say("candidate-judged", {{"reason", sentence(candidate.reason, Language::English)}, {"soname", soname}}),
             language) +
        "\n";
  }
  if (!problem.candidates_note.empty()) text += "    (" + said(problem.candidates_note, language) + ")\n";
  return text;
}

std::string remedies_text(const std::vector<Remedy>& remedies, const Paint& paint, Language language) {
  if (remedies.empty()) return {};
  std::string text = "\n" + paint.strong(said(say("fixes"), language)) + "\n";
  std::size_t number = 0;
  for (const Remedy& remedy : remedies) {
    text += "  " + std::to_string(++number) + ". " + verdict_word(remedy.verdict, paint, language) +
            said(say("colon-text", {{"text", remedy.text}}), language) + "\n";
    for (const std::string& command : remedy.commands) text += "       " + paint.name(printable(command)) + "\n";
    if (remedy.verdict == RemedyVerdict::Partly) {
      text += "     " + said(say("fix-mends", {{"libraries", NameList{remedy.mends, 0}}}), language) + "\n";
    }
    if (!remedy.loader_says.empty()) text += "       " + paint.bad(printable(remedy.loader_says)) + "\n";
    if (!remedy.reason.empty()) text += "     (" + said(remedy.reason, language) + ")\n";
    constexpr std::size_t kShown = 6;
    for (std::size_t i = 0; i < remedy.also.size() && i < kShown; ++i)
      text += "     " + said(say("fix-also", {{"change", remedy.also[i]}}), language) + "\n";
    if (remedy.also.size() > kShown) {
      text += "     " + said(say("and-more-plain", {{"count", remedy.also.size() - kShown}}), language) + "\n";
    }
    if (remedy.verdict == RemedyVerdict::Works) {
      text += paint.dim("     " + said(say("fix-checked", {{"what", remedy.checked}}), language)) + "\n";
    }
  }
  return text;
}

Json to_json(const Candidate& candidate) {
  return {{"path", candidate.path},
          {"soname", candidate.soname.empty() ? Json(nullptr) : Json(candidate.soname)},
          {"place", sentence(candidate.place, Language::English)},
          {"is_asked_name", candidate.is_asked_name},
          {"serves", candidate.serves},
          {"reason", sentence(candidate.reason, Language::English)}};
}

Json to_json(const Remedy& remedy) {
  Json also = Json::array();
  for (const Statement& change : remedy.also) also.push_back(sentence(change, Language::English));
  return {{"kind", name_of(remedy.kind)},
          {"verdict", name_of(remedy.verdict)},
          {"text", sentence(remedy.text, Language::English)},
          {"commands", remedy.commands},
          {"mends", remedy.mends},
          {"loader_prints", remedy.loader_says.empty() ? Json(nullptr) : Json(remedy.loader_says)},
          {"also", std::move(also)},
          {"reason", text_or_null(remedy.reason)},
          {"checked", text_or_null(remedy.checked)}};
}

}  // namespace soresolve
