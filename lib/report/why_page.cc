// The diagnosis: the verdict, the command to try, then each cause with its proof, the fixes, and what else is worth
// knowing. why shows all of it; check shows of a file that fails what stands behind its own first lines.
//
// Folded it is one screen: of all but the first cause a line, and sections say in the order of what matters how many
// lines they take of those that are left; what is cut is counted. A path is written out once, then by its last part.
// Full (-v) it is the same page without limits: every attempt of a search, every cause with its proof, each fix with
// what it was judged by.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/path.h"
#include "diagnose/hosts.h"
#include "loader/load.h"
#include "loader/process.h"
#include "packages/what_brings.h"
#include "report/layer_words.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"
#include "report/step_lines.h"
#include "soresolve/remedies.h"
#include "world/next_step.h"

namespace soresolve {
namespace {

constexpr std::size_t kLines = 25;

/// Paths of libraries and programs that were written out before become their last parts, where no other path that was
/// shown or is loaded has the same.
class Shortener {
 public:
  Shortener(const LinkMap& map, Detail detail) : is_on_(detail == Detail::Folded) {
    for (const LoadedObject& object : map.objects) {
      if (object.role != ObjectRole::Placeholder)
        paths_[std::string(file_name_of(object.name()))].emplace(object.name());
    }
  }

  Statement operator()(Statement statement) {
    if (!is_on_) return statement;
    for (Argument& argument : statement.arguments) {
      if (auto* const text = std::get_if<std::string>(&argument.value)) *text = shorten(std::move(*text));
      if (auto* const names = std::get_if<NameList>(&argument.value)) {
        for (std::string& name : names->shown) name = shorten(std::move(name));
      }
      if (auto* const parts = std::get_if<std::vector<Statement>>(&argument.value)) {
        for (Statement& part : *parts) part = (*this)(std::move(part));
      }
    }
    return statement;
  }

 private:
  std::string shorten(std::string text) {
    const std::string last(file_name_of(text));
    const bool is_file =
        text.find('/') != std::string::npos && (paths_.contains(last) || last.find(".so") != std::string::npos);
    if (!is_file) return text;
    std::set<std::string>& known = paths_[last];
    known.insert(text);
    const bool is_new = seen_.insert(text).second;
    return is_new || known.size() > 1 ? text : last;
  }

  bool is_on_;
  std::map<std::string, std::set<std::string>> paths_;  ///< by their last parts
  std::set<std::string> seen_;
};

class WhyPage {
 public:
  WhyPage(const WhyReport& report, Detail detail)
      : report_(report), map_(report.map), process_(*report.map.process), diagnosis_(report.diagnosis),
        import_(report.import), detail_(detail), shorten_(report.map, detail) {}

  Page make() {
    if (Words found = found_words(report_); !found.empty()) page_.line(std::move(found));
    page_.line(verdict_words(report_, [this](Statement statement) { return shorten_(std::move(statement)); }));
    add_try();
    return proof(FirstLine::Verdict);
  }

  enum class FirstLine : std::uint8_t { Verdict, Loaders };
  /// Behind the first line and what to type.
  Page proof(FirstLine first) {
    first_ = first;
    add_causes();
    if (import_ != nullptr) page_.append(import_page(*import_, detail_));
    const Page later = is_full() ? dlopens_page(diagnosis_.dlopens) : later_lines();
    const Page others = other_lines();
    is_full() ? page_.append(remedies_page(diagnosis_.remedies))
              : add_section(fixes_page(diagnosis_, report_.root), room_for(later) + room_for(others), 3);
    if (!diagnosis_.asked.empty()) add_search_of_asked();
    is_full() ? page_.append(later) : add_section(later, room_for(others), std::min(size_of(later), kTailLines));
    add_section(others, 0, kTailLines);
    for (const Problem& problem : diagnosis_.problems) {
      const Statement next = next_of_warning(problem);
      if (next.empty()) continue;
      page_.add(next_line(next));
      break;
    }
    return std::move(page_);
  }

 private:
  static constexpr std::size_t kTailLines = 2;

  [[nodiscard]] bool is_full() const { return detail_ == Detail::Full; }
  [[nodiscard]] static std::size_t size_of(const Page& lines) { return lines.blocks().size(); }

  [[nodiscard]] std::size_t left() const {
    if (is_full()) return std::numeric_limits<std::size_t>::max();
    constexpr std::size_t kProseWidth = 84;  // of a pipe, behind the indent
    std::size_t used = 0;
    for (const Block& block : page_.blocks()) {
      const Prose* const prose = std::get_if<Prose>(&block);
      used += 1 + (prose == nullptr ? 0 : to_text(prose->words).size() / kProseWidth);
    }
    return used < kLines ? kLines - used : 0;
  }

  /// What a section at the end takes at least, with its blank line.
  [[nodiscard]] static std::size_t room_for(const Page& lines) {
    return lines.empty() ? 0 : 1 + std::min(size_of(lines), kTailLines);
  }

  /// Behind a blank line: as many as there is room for beside `reserved` lines, at least `least`; the rest is counted.
  void add_section(const Page& lines, std::size_t reserved, std::size_t least) {
    if (lines.empty()) return;
    page_.blank();
    const std::size_t size = size_of(lines);
    const std::size_t room = std::max(least, left() > reserved ? left() - reserved : 0);
    const std::size_t shown = size <= room ? size : std::max<std::size_t>(room, 2) - 1;
    for (std::size_t i = 0; i < shown; ++i) page_.add(lines.blocks()[i]);
    if (shown < size) page_.line(dim(say("and-more-lines-v", {{"count", size - shown}})), 2);
  }

  void add_try() {
    if (report_.step->fix == nullptr) {
      if (Words command = try_on_demand(import_); !command.empty()) return page_.line(std::move(command));
    }
    for (Block& block : step_lines(*report_.step, report_.root)) page_.add(std::move(block));
  }

  /// Is one statement a part of the other?
  static bool says(const Statement& whole, const Statement& part) {
    if (whole == part) return true;
    return std::any_of(whole.arguments.begin(), whole.arguments.end(), [&](const Argument& argument) {
      const auto* const parts = std::get_if<std::vector<Statement>>(&argument.value);
      return parts != nullptr &&
             std::any_of(parts->begin(), parts->end(), [&](const Statement& one) { return says(one, part); });
    });
  }

  [[nodiscard]] static bool is_fatal(const Problem& problem) { return severity_of(problem.code) == Severity::Fatal; }

  /// The first with its proof, the others a line each; in full each with its proof.
  void add_causes() {
    Page lines;
    bool is_first = true;
    for (const Problem& problem : diagnosis_.problems) {
      if (!is_fatal(problem)) continue;
      if (!is_first && is_full()) lines.blank();
      if (is_first || is_full()) {
        add_cause(problem, is_first, lines);
        is_first = false;
      } else {
        lines.line(shorten_(problem.what));
      }
    }
    constexpr std::size_t kForRemedies = 7;
    add_section(lines, std::min(kForRemedies, diagnosis_.remedies.size() + 2), 8);
  }

  void add_cause(const Problem& problem, bool is_first, Page& lines) {
    if (!is_first || first_ == FirstLine::Loaders || !says(diagnosis_.verdict, problem.what))
      lines.line(strong(shorten_(problem.what)));
    const bool is_request = !problem.requests.empty() && problem.code != ProblemCode::VersionFile &&
                            problem.requests.front().need < map_.objects[problem.requests.front().needer].needs.size();
    if (is_request) {
      add_needers(problem.requests, lines);
      add_search(problem.requests.front(), lines);
      if (is_full()) add_other_searches(problem, lines);
    }
    add_list(say("head-packages"), packages_of(problem), lines);
    std::vector<Statement> layers;
    for (const LayerOfFile& layer : problem.layers) layers.push_back(layer_words(layer));
    add_list(say("head-layers"), std::move(layers), lines);
    const bool is_missing = problem.code == ProblemCode::MissingLibrary || problem.code == ProblemCode::WrongClass;
    if (!is_missing && !is_request) add_found(problem, lines);
    add_evidence(problem, is_missing, lines);
    if (is_missing || !problem.candidates.empty())
      is_full() ? lines.append(candidates_page(problem)) : add_candidates(problem, lines);
    const std::optional<WhatBrings> brings = is_missing ? what_brings(problem.name) : std::nullopt;
    if (brings && !brings->product.empty()) lines.entry(say("head-belongs"), words_of_others(brings->product));
    const std::string& line = ends_program(map_) ? problem.loader_says : problem.dlerror_says;
    if (!line.empty() && (!is_first || first_ == FirstLine::Verdict)) add_error(problem, line, is_first, lines);
  }

  /// The library that lacks something, and what led the loader to it.
  void add_found(const Problem& problem, Page& lines) {
    if (problem.object >= map_.objects.size()) return;
    const LoadedObject& object = map_.objects[problem.object];
    if (object.role != ObjectRole::Library || object.found.step == SearchStep::Path) return;
    lines.entry(say("head-found"),
                shorten_(words_of_others(object.path)) +
                    dim(" (" + Words(step_words(map_, object.found.step, object.found.owner)) + ")"));
  }

  /// What the loader prints, or what dlerror() has for the host to print.
  void add_error(const Problem& problem, const std::string& line, bool is_first, Page& lines) {
    if (is_full()) {
      const HostRow* const host = host_of(map_.objects[map_.subject()].path, map_.main_path);
      lines.line(problem.is_met_later() ? say("prints-at-call")
                 : ends_program(map_)   ? say("prints")
                 : host == nullptr      ? say("dlopen-error")
                                        : say("dlopen-error-of-host", {{"host", host->title}}),
                 2);
      lines.line(bad(Words::foreign(line)), 4);
      if (!is_first && !problem.is_met_later()) lines.line(dim(say("once-others-are-fixed-note")), 4);
    } else {
      lines.entry(say("head-error"), bad(Words::foreign(line)));
    }
  }

  void add_list(const Statement& head, std::vector<Statement> list, Page& lines) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      Statement line = shorten_(std::move(list[i]));
      i == 0 ? lines.entry(head, std::move(line)) : lines.more(std::move(line));
    }
  }

  void add_needers(const std::vector<NeedRef>& requests, Page& lines) {
    const NeedRef& first = requests.front();
    const Need& need = map_.objects[first.needer].needs[first.need];
    Words who;
    for (const ObjectIndex object : map_.chain_to(first.needer)) {
      if (object == 0 && process_.start == Start::Dlopen) continue;
      if (!who.empty()) who += " → ";
      who += shorten_(name_of_object(map_, object));
    }
    if (who.empty()) who = shorten_(name_of_object(map_, first.needer));
    if (need.written != need.name) who += ", " + Words(say("written-as")) + " " + Words::foreign(need.written);
    lines.entry(say("needed-by"), who);
    if (requests.size() == 1) return;
    const std::size_t most = is_full() ? 8 : 3;
    NameList others;
    for (std::size_t i = 1; i < requests.size(); ++i) {
      if (others.shown.size() == most) {
        ++others.more;
      } else {
        others.shown.emplace_back(map_.objects[requests[i].needer].name());
      }
    }
    lines.more(say("also-needed-by-list", {{"objects", shorten_(say("words", {{"text", others}}))}}));
  }

  /// Who walked may have kept no record.
  [[nodiscard]] std::vector<Attempt> attempts_of(const NeedRef& request) const {
    const Need* const need = map_.find_need(request);
    return need != nullptr && need->trace < map_.traces.size() ? map_.traces[need->trace].attempts
                                                               : std::vector<Attempt>();
  }

  /// Further needers have searches of their own; those that looked in other places are shown.
  void add_other_searches(const Problem& problem, Page& lines) {
    const auto places = [&](const NeedRef& request) {
      std::vector<std::string> list;
      for (const Attempt& attempt : attempts_of(request)) list.push_back(attempt.directory + attempt.subdirectory);
      return list;
    };
    std::set<std::vector<std::string>> shown = {places(problem.requests.front())};
    for (std::size_t i = 1; i < problem.requests.size(); ++i) {
      if (!shown.insert(places(problem.requests[i])).second) continue;
      lines.line(say("for-needer", {{"object", map_.objects[problem.requests[i].needer].name()}}), 2);
      lines.append(search_page(map_, problem.requests[i]));
    }
  }

  void add_search(const NeedRef& request, Page& lines) {
    if (attempts_of(request).empty()) return;
    if (is_full()) return lines.append(search_page(map_, request));
    constexpr std::size_t kHead = 12;
    constexpr std::size_t kStage = 24;  // behind the longest name of one
    const auto shorten = [this](Statement statement) { return shorten_(std::move(statement)); };
    bool is_first = true;
    for (StageLine& line : brief_search(map_, request)) {
      const std::size_t column = is_first ? kHead : 0;
      Words words = is_first ? Words(say("head-searched")) + Words::stop(kHead) : Words();
      if (!line.stage.empty()) words += std::move(line.stage) + Words::stop(column + kStage);
      words += std::move(line.outcome).changed(shorten);
      lines.add(Line{std::move(words), is_first ? 2U : 14U, line.is_usual});
      is_first = false;
    }
  }

  void add_evidence(const Problem& problem, bool is_missing, Page& lines) {
    constexpr std::size_t kShown = 4;
    std::vector<Statement> evidence;
    for (const Evidence& each : problem.evidence) evidence.push_back(each.what);
    if (!is_full() && evidence.size() > kShown) {
      evidence.resize(kShown);
      evidence.push_back(say("and-more-v", {{"count", problem.evidence.size() - kShown}}));
    }
    add_list(say(is_missing ? "head-but" : "head-seen"), std::move(evidence), lines);
  }

  /// Files for another processor are no candidates, but where there are no others, or one was found instead.
  void add_candidates(const Problem& problem, Page& lines) {
    constexpr std::size_t kShown = 3;
    std::size_t listed = 0;
    const auto is_of_other_target = [](const Candidate& candidate) {
      return candidate.reason.sentence == "of-other-target";
    };
    const bool has_others = problem.code != ProblemCode::MissingLibrary ||
                            !std::all_of(problem.candidates.begin(), problem.candidates.end(), is_of_other_target);
    for (const Candidate& candidate : problem.candidates) {
      if (is_of_other_target(candidate) && has_others && problem.code != ProblemCode::WrongClass) continue;
      if (++listed > kShown) continue;
      const Words word = candidate.serves ? good(say("would-do")) : bad(say("would-not-do"));
      Statement place = candidate.owner ? owner_words(*candidate.owner) : candidate.place;
      if (candidate.serves) place = with_note(std::move(place), candidate.foreign);
      const Words what = Words::foreign(candidate.path) + dim(" (" + Words(place) + ") ") + word +
                         say("candidate-judged", {{"reason", candidate.reason}, {"soname", Statement{}}});
      listed == 1 ? lines.entry(say("head-elsewhere"), what) : lines.more(what);
    }
    const bool is_missing = problem.code == ProblemCode::MissingLibrary || problem.code == ProblemCode::WrongClass;
    if (listed == 0 && is_missing) lines.entry(say("head-elsewhere"), say("no-candidate"));
    if (listed > kShown) lines.more(say("and-more-v", {{"count", listed - kShown}}));
  }

  /// Of a library that is asked about and no cause tells of.
  void add_search_of_asked() {
    const bool is_reported =
        std::any_of(diagnosis_.problems.begin(), diagnosis_.problems.end(),
                    [&](const Problem& problem) { return is_fatal(problem) && problem.name == diagnosis_.asked; });
    if (is_reported) return;
    Page lines;
    if (!diagnosis_.asked_requests.empty()) {
      add_needers(diagnosis_.asked_requests, lines);
      add_search(diagnosis_.asked_requests.front(), lines);
    } else if (diagnosis_.dlopens.list.empty()) {
      lines.line(say("not-asked-for", {{"library", diagnosis_.asked}}));
    }
    add_section(lines, 4, 6);
  }

  /// What is opened later: how many, and which of them are not in order.
  Page later_lines() {
    const std::vector<const Dlopen*> list = listed_dlopens(diagnosis_.dlopens);
    if (list.empty()) return {};
    const std::size_t good = static_cast<std::size_t>(
        std::count_if(list.begin(), list.end(), [](const Dlopen* opened) { return opened->is_faultless(); }));
    const Statement count = good == list.size() ? say("later-all", {{"count", list.size()}})
                            : good == 0         ? say("later-none", {{"count", list.size()}})
                                                : say("later-some", {{"count", list.size()}, {"good", good}});
    Page lines;
    lines.entry(say("head-later"), count);
    for (const Dlopen* opened : list) {
      if (!opened->is_faultless()) lines.more(dlopen_words(*opened));
    }
    return lines;
  }

  [[nodiscard]] Words dlopen_words(const Dlopen& opened) {
    const std::string& reason = opened.failure.empty() ? opened.failure_now : opened.failure;
    const std::string& name = opened.shown().name;
    const Statement what = !opened.is_found ? say("one-not-found", {{"library", name}})
                                            : say("one-cannot-load", {{"library", name}, {"reason", reason}});
    return shorten_(
        say("later-of", {{"what", what}, {"importance", term(name_of(opened.importance))}, {"opener", opened.opener}}));
  }

  /// Said in the section on what is opened later, or in the verdict; folded, notes on what is right but surprising are
  /// counted.
  [[nodiscard]] bool is_said_elsewhere(const Problem& problem) const {
    if (is_full()) return false;
    return problem.code == ProblemCode::DlopenMissing ||
           (diagnosis_.answer == Verdict::Depends && problem.what.sentence == "left-to-host" &&
            problem.evidence.empty());
  }
  [[nodiscard]] bool is_counted_only(const Problem& problem) const {
    return !is_full() && severity_of(problem.code) == Severity::Note && problem.code != ProblemCode::Note &&
           problem.what.sentence != "driver-of-host";
  }

  /// Warnings and what was assumed.
  Page other_lines() {
    Page lines;
    std::size_t notes = 0;
    for (const Problem& problem : diagnosis_.problems) {
      if (is_fatal(problem) || is_said_elsewhere(problem)) continue;
      if (is_counted_only(problem)) {
        ++notes;
        continue;
      }
      const bool is_note = severity_of(problem.code) == Severity::Note;
      const Words code = is_note && !is_full() ? Words() : "[" + Words::foreign(code_of(problem.code)) + "] ";
      lines.line((is_note ? dim(term("note")) : warn(term("warning"))) + " " + code + shorten_(problem.what), 2);
      add_proof_of_other(problem, lines);
    }
    if (notes != 0) lines.line(dim(say("and-notes-v", {{"count", notes}})), 2);
    return lines;
  }

  void add_proof_of_other(const Problem& problem, Page& lines) {
    const bool is_note = severity_of(problem.code) == Severity::Note;
    const std::size_t most = is_full() ? problem.evidence.size() : is_note ? 3 : 0;
    for (std::size_t i = 0; i < problem.evidence.size() && i < most; ++i)
      lines.line(shorten_(problem.evidence[i].what), 6);
    if (problem.code == ProblemCode::VersionUnproven && problem.object < map_.objects.size()) {
      const FoundAt& found = map_.objects[problem.object].found;
      lines.line(dim(say("found-by", {{"step", step_words(map_, found.step, found.owner)}})), 6);
    }
    // Why, only the loader's line says.
    if (problem.code == ProblemCode::PreloadIgnored && !problem.loader_says.empty())
      lines.line(Words::foreign(problem.loader_says), 6);
    if (!is_full()) return;
    for (const Statement& package : packages_of(problem)) lines.line(package, 6);
    for (const LayerOfFile& layer : problem.layers) lines.line(layer_words(layer), 6);
  }

  const WhyReport& report_;
  const LinkMap& map_;
  const Process& process_;
  const Diagnosis& diagnosis_;
  const PythonImport* import_;
  Detail detail_;
  Shortener shorten_;
  FirstLine first_ = FirstLine::Verdict;
  Page page_;
};

/// The request for the name that was asked about: of FILE's link map, or as dlopen gets it, in a process or in none.
std::optional<NeedRef> asked_request(const WhyReport& report) {
  const LinkMap& map = report.map;
  if (!report.diagnosis.asked.empty()) {
    if (report.diagnosis.asked_requests.empty()) return std::nullopt;
    return report.diagnosis.asked_requests.front();
  }
  if (map.process->start != Start::Dlopen) return std::nullopt;
  if (!map.dlopen_calls.empty()) return map.dlopen_calls.back().request;
  const bool is_name = report.file.find('/') == std::string_view::npos && !map.objects.empty() &&
                       !map.objects.front().needs.empty() && map.objects.front().needs.front().kind == NeedKind::Dlopen;
  return is_name ? std::optional(NeedRef{0, 0}) : std::nullopt;
}

}  // namespace

Words found_words(const WhyReport& report) {
  const std::optional<NeedRef> request = asked_request(report);
  if (!request) return {};
  const LinkMap& map = report.map;
  const Need& need = map.objects[request->needer].needs[request->need];
  if (need.target == kNoObject || map.objects[need.target].role == ObjectRole::Placeholder) return {};
  const LoadedObject& target = map.objects[need.target];
  const std::string_view path = target.path.empty() ? target.name() : target.path;
  const std::string& name = report.diagnosis.asked;
  const std::string_view asked = name.empty() ? std::string_view(need.name) : std::string_view(name);
  if (path == asked) return {};
  Words line = strong(Words::foreign(asked) + " => " + Words::foreign(path));
  if (target.role == ObjectRole::Library) {
    line += dim(" (" + Words(step_words(map, target.found.step, target.found.owner)) + ")");
  }
  return line;
}

Words verdict_words(const WhyReport& report, const std::function<Statement(Statement)>& shorten) {
  if (report.import != nullptr && !report.import->exception.empty() && !report.import->ends_process) {
    const Statement exception = shorten(words_of_others(shown_exception(*report.import)));
    return bad(say("import-fails", {{"module", report.import->module}, {"exception", exception}}));
  }
  const Words verdict = shorten(report.diagnosis.verdict);
  switch (report.diagnosis.answer) {
    case Verdict::Works: {
      const Statement open = doubt_words(report.import);
      return open.empty() ? good(verdict) : good(verdict) + warn(open);
    }
    case Verdict::Fails: return bad(verdict);
    case Verdict::Depends: return warn(verdict);
  }
  return verdict;
}

Page why_page(const WhyReport& report, Detail detail) { return WhyPage(report, detail).make(); }
Page why_proof(const WhyReport& report, Detail detail) {
  return WhyPage(report, detail).proof(WhyPage::FirstLine::Loaders);
}

}  // namespace soresolve
