// Candidates and fixes, in the order in which they were tried. Verdicts come from remedies/remedy_trials.cc; commands
// are shown as they are to be typed.
#include "report/pages.h"

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "report/page.h"
#include "report/step_lines.h"
#include "soresolve/remedies.h"

namespace soresolve {

namespace {

Words verdict_word(RemedyVerdict verdict) {
  switch (verdict) {
    case RemedyVerdict::Works: return good(say("fix-works"));
    case RemedyVerdict::Partly: return warn(say("fix-partly"));
    case RemedyVerdict::Fails: return bad(say("fix-fails"));
    case RemedyVerdict::Untried: return dim(say("fix-untried"));
  }
  return {};
}

void add_remedy(Page& page, std::size_t number, const Remedy& remedy) {
  constexpr std::size_t kColumn = 5;
  page.line(Words::number(number) + ". " + verdict_word(remedy.verdict) + say("colon-text", {{"text", remedy.text}}),
            2);
  for (const CommandText& command : remedy.commands) page.add(Command{command, kColumn + 2});
  if (remedy.verdict == RemedyVerdict::Partly) {
    page.line(say("fix-mends", {{"libraries", NameList{remedy.fixes, 0}}}), kColumn);
  }
  if (!remedy.loader_says.empty()) page.line(bad(Words::foreign(remedy.loader_says)), kColumn + 2);
  if (!remedy.reason.empty()) page.line("(" + Words(remedy.reason) + ")", kColumn);
  constexpr std::size_t kShown = 6;
  for (std::size_t i = 0; i < remedy.also.size() && i < kShown; ++i) {
    page.line(say("fix-also", {{"change", remedy.also[i]}}), kColumn);
  }
  if (remedy.also.size() > kShown) {
    page.line(say("and-more-plain", {{"count", remedy.also.size() - kShown}}), kColumn);
  }
  if (!remedy.foreign.empty()) page.line(say("fix-also", {{"change", remedy.foreign}}), kColumn);
  if (remedy.verdict == RemedyVerdict::Works) page.line(dim(say("fix-checked", {{"what", remedy.checked}})), kColumn);
}

NameList names_of(const std::vector<std::string>& paths) {
  constexpr std::size_t kShown = 6;
  NameList names;
  for (const std::string& path : paths) {
    if (names.shown.size() == kShown) {
      ++names.more;
    } else {
      names.shown.emplace_back(file_name_of(path));
    }
  }
  return names;
}

}  // namespace

Statement with_note(Statement what, const Statement& note) {
  return note.empty() ? what : say("note-and-note", {{"first", std::move(what)}, {"second", note}});
}

Statement owner_words(const PackageOwner& owner) {
  return say("owned-by", {{"package", full_name_of(owner)}, {"record", name_of(owner.by)}});
}

std::vector<Statement> packages_of(const Problem& problem) {
  std::vector<std::pair<PackageOwner, NameList>> packages;
  for (const OwnedFile& file : problem.owners) {
    const auto known = std::find_if(packages.begin(), packages.end(),
                                    [&](const auto& package) { return package.first == file.owner; });
    NameList& files = known == packages.end() ? packages.emplace_back(file.owner, NameList{}).second : known->second;
    files.shown.emplace_back(file_name_of(file.path));
  }
  std::vector<Statement> lines;
  for (const auto& [owner, files] : packages) {
    lines.push_back(
        say("files-of-package", {{"files", files}, {"package", full_name_of(owner)}, {"record", name_of(owner.by)}}));
  }
  return lines;
}

Page candidates_page(const Problem& problem) {
  Page page;
  page.line(say(problem.candidates.empty() ? "nothing-like-it" : "what-else-is-there"), 2);
  for (const Candidate& candidate : problem.candidates) {
    Statement place = candidate.place;
    if (candidate.owner) place = with_note(std::move(place), owner_words(*candidate.owner));
    if (candidate.serves) place = with_note(std::move(place), candidate.foreign);
    page.line(Words::foreign(candidate.path) + dim("  (" + Words(place) + ")"), 4);
    const Words word = candidate.serves ? good(say("would-do")) : bad(say("would-not-do"));
    const Statement soname = candidate.is_asked_name || candidate.soname.empty()
                                 ? Statement{}
                                 : say("its-soname", {{"soname", candidate.soname}});
    page.line(word + say("candidate-judged", {{"reason", candidate.reason}, {"soname", soname}}), 6);
    if (!candidate.judged_by.empty()) page.line(dim(say("judged-by", {{"files", names_of(candidate.judged_by)}})), 6);
  }
  if (!problem.candidates_note.empty()) page.line("(" + Words(problem.candidates_note) + ")", 4);
  return page;
}

Page fixes_page(const Diagnosis& diagnosis, const std::string& root) {
  Page page;
  const std::vector<Remedy>& remedies = diagnosis.remedies;
  const Remedy* const above = best_remedy(diagnosis);
  const bool is_all_said = remedies.size() == 1 && above != nullptr && above->verdict == RemedyVerdict::Untried;
  if (remedies.empty() || is_all_said) return page;
  const bool is_any_good = std::any_of(remedies.begin(), remedies.end(),
                                       [](const Remedy& remedy) { return remedy.choice != FixChoice::IsNone; });
  page.heading(say(is_any_good ? "fixes" : "no-fixes"));
  std::size_t number = 0;
  for (const Remedy& remedy : remedies) {
    Words line = is_any_good ? Words::number(++number) + ". " : Words();
    line += verdict_word(remedy.verdict) + Words::stop(8) + "  ";
    if (&remedy == above) {
      line += say("fix-above");
    } else if (remedy.commands.empty()) {
      line += remedy.text;
    } else {
      line += Words::command(typed_in(root, remedy));
      if (remedy.verdict != RemedyVerdict::Fails) line += root_remark(remedy, root);
    }
    const bool is_above = &remedy == above && remedy.verdict == RemedyVerdict::Untried;
    const bool is_short =
        remedy.verdict == RemedyVerdict::Fails || (remedy.verdict == RemedyVerdict::Untried && !is_above);
    if (is_short && !remedy.loader_says.empty()) {
      line += dim(": " + Words::foreign(remedy.loader_says));
    } else if (is_short && !remedy.reason.empty()) {
      line += dim(": " + Words(remedy.reason));
    }
    if (!is_short && !remedy.foreign.empty()) line += dim("   (" + Words(remedy.foreign) + ")");
    page.line(std::move(line), 2);
  }
  return page;
}

Page remedies_page(const std::vector<Remedy>& remedies) {
  Page page;
  if (remedies.empty()) return page;
  page.blank();
  page.heading(say("fixes"));
  std::size_t number = 0;
  for (const Remedy& remedy : remedies) add_remedy(page, ++number, remedy);
  return page;
}

}  // namespace soresolve
