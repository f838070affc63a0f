// The diagnosis on one screen: the verdict, the command to try, then the first cause with its proof, and of everything
// else a line. Sections say in the order of what matters how many lines they take of those that are left; what is cut
// is counted, and the long page (why_page.cc, -v) has all of it. A path is written out once, then by its last part.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/path.h"
#include "loader/load.h"
#include "loader/process.h"
#include "packages/what_brings.h"
#include "report/known_cause.h"
#include "report/layer_words.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"
#include "soresolve/remedies.h"

namespace soresolve {
namespace {

constexpr std::size_t kLines = 25;

/// Paths of libraries and programs that were written out before become their last parts, where no other path that was
/// shown or is loaded has the same.
class Shortener {
 public:
  explicit Shortener(const LinkMap& map) {
    for (const LoadedObject& object : map.objects) {
      if (object.role != ObjectRole::Placeholder)
        paths_[std::string(file_name_of(object.name()))].emplace(object.name());
    }
  }

  Statement operator()(Statement statement) {
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

  std::map<std::string, std::set<std::string>> paths_;  ///< by their last parts
  std::set<std::string> seen_;
};

class WhyBrief {
 public:
  explicit WhyBrief(const WhyReport& report)
      : report_(report), map_(report.map), process_(*report.map.process), diagnosis_(report.diagnosis),
        file_(report.file), import_(report.import), shorten_(report.map) {}

  Page make() {
    if (Words found = found_words(report_); !found.empty()) page_.line(std::move(found));
    page_.line(verdict_words(report_, [this](Statement statement) { return shorten_(std::move(statement)); }));
    add_try();
    return proof(Line::Verdict);
  }

  enum class Line : std::uint8_t { Verdict, Loaders };
  /// Behind the first line and what to type.
  Page proof(Line first) {
    first_ = first;
    tried_ = best_remedy(diagnosis_);
    add_causes();
    if (import_ != nullptr) page_.append(import_page(*import_, Detail::Folded));
    const Lines later = later_lines();
    const Lines others = other_lines();
    add_remedies(room_for(later) + room_for(others));
    if (!diagnosis_.asked.empty()) add_search_of_asked();
    add_section(later, room_for(others), std::min<std::size_t>(later.size(), kTailLines));
    add_section(others, 0, kTailLines);
    for (const Problem& problem : diagnosis_.problems) {
      std::optional<Block> next = next_of_warning(problem);
      if (!next) continue;
      page_.add(std::move(*next));
      break;
    }
    return std::move(page_);
  }

 private:
  using Lines = std::vector<std::pair<Words, std::size_t>>;  ///< with their indents
  static constexpr std::size_t kTailLines = 2;

  [[nodiscard]] std::size_t left() const {
    constexpr std::size_t kProseWidth = 84;  // of a pipe, behind the indent
    std::size_t used = 0;
    for (const Block& block : page_.blocks()) {
      const Prose* const prose = std::get_if<Prose>(&block);
      used += 1 + (prose == nullptr ? 0 : to_text(prose->words).size() / kProseWidth);
    }
    return used < kLines ? kLines - used : 0;
  }

  /// What a section at the end takes at least, with its blank line.
  [[nodiscard]] static std::size_t room_for(const Lines& lines) {
    return lines.empty() ? 0 : 1 + std::min(lines.size(), kTailLines);
  }

  /// Behind a blank line: as many as there is room for beside `reserved` lines, at least `least`; the rest is counted.
  void add_section(const Lines& lines, std::size_t reserved, std::size_t least) {
    if (lines.empty()) return;
    page_.blank();
    const std::size_t room = std::max(least, left() > reserved ? left() - reserved : 0);
    const std::size_t shown = lines.size() <= room ? lines.size() : std::max<std::size_t>(room, 2) - 1;
    for (std::size_t i = 0; i < shown; ++i) page_.line(lines[i].first, lines[i].second);
    if (shown < lines.size()) page_.line(dim(say("and-more-lines-v", {{"count", lines.size() - shown}})), 2);
  }

  void add_try() {
    if (best_remedy(diagnosis_) == nullptr) {
      if (Words command = try_on_demand(import_); !command.empty()) return page_.line(std::move(command));
    }
    const std::string line = hosts_line(map_, diagnosis_, import_, report_.check);
    for (Block& block : step_lines(diagnosis_, line, file_, report_.root, import_)) page_.add(std::move(block));
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

  /// The first with its proof, the others a line each.
  void add_causes() {
    Lines lines;
    bool is_first = true;
    for (const Problem& problem : diagnosis_.problems) {
      if (!is_fatal(problem)) continue;
      if (is_first) {
        add_cause(problem, lines);
        is_first = false;
      } else {
        lines.emplace_back(Words(shorten_(problem.what)), 0);
      }
    }
    constexpr std::size_t kForRemedies = 7;
    add_section(lines, std::min(kForRemedies, diagnosis_.remedies.size() + 2), 8);
  }

  void add_cause(const Problem& problem, Lines& lines) {
    if (first_ == Line::Loaders || !says(diagnosis_.verdict, problem.what))
      lines.emplace_back(strong(shorten_(problem.what)), 0);
    const bool is_request = !problem.requests.empty() && problem.code != ProblemCode::VersionFile &&
                            problem.requests.front().need < map_.objects[problem.requests.front().needer].needs.size();
    if (is_request) {
      add_needers(problem.requests, lines);
      add_search(problem.requests.front(), lines);
    }
    const std::vector<Statement> packages = packages_of(problem);
    for (std::size_t i = 0; i < packages.size(); ++i) {
      i == 0 ? entry(say("head-packages"), shorten_(packages[i]), lines) : more(shorten_(packages[i]), lines);
    }
    for (const LayerOfFile& layer : problem.layers) {
      const bool is_first = &layer == &problem.layers.front();
      is_first ? entry(say("head-layers"), shorten_(layer_words(layer)), lines)
               : more(shorten_(layer_words(layer)), lines);
    }
    const bool is_missing = problem.code == ProblemCode::MissingLibrary || problem.code == ProblemCode::WrongClass;
    add_evidence(problem, is_missing, lines);
    if (is_missing || !problem.candidates.empty()) add_candidates(problem, lines);
    const std::optional<WhatBrings> brings = is_missing ? what_brings(problem.name) : std::nullopt;
    if (brings && !brings->product.empty()) entry(say("head-belongs"), words_of_others(brings->product), lines);
    const std::string& line = ends_program(map_) ? problem.loader_says : problem.dlerror_says;
    if (!line.empty() && first_ == Line::Verdict) entry(say("head-error"), bad(Words::foreign(line)), lines);
  }

  static void entry(const Statement& head, Words content, Lines& lines) {
    lines.emplace_back(Words(head) + Words::stop(12) + std::move(content), 2);
  }
  static void more(Words content, Lines& lines) { lines.emplace_back(std::move(content), 14); }

  void add_needers(const std::vector<NeedRef>& requests, Lines& lines) {
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
    entry(say("needed-by"), who, lines);
    if (requests.size() == 1) return;
    constexpr std::size_t kShown = 3;
    NameList others;
    for (std::size_t i = 1; i < requests.size(); ++i) {
      if (others.shown.size() == kShown) {
        ++others.more;
      } else {
        others.shown.emplace_back(map_.objects[requests[i].needer].name());
      }
    }
    more(say("also-needed-by-list", {{"objects", shorten_(say("words", {{"text", others}}))}}), lines);
  }

  void add_search(const NeedRef& request, Lines& lines) {
    // Who walked may have kept no record.
    const std::uint32_t trace = map_.objects[request.needer].needs[request.need].trace;
    if (trace >= map_.traces.size() || map_.traces[trace].attempts.empty()) return;
    constexpr std::size_t kHead = 12;
    constexpr std::size_t kStage = 24;  // behind the longest name of one
    const auto shorten = [this](Statement statement) { return shorten_(std::move(statement)); };
    bool is_first = true;
    for (StageLine& line : brief_search(map_, request)) {
      const std::size_t column = is_first ? kHead : 0;
      Words words = is_first ? Words(say("head-searched")) + Words::stop(kHead) : Words();
      if (!line.stage.empty()) words += std::move(line.stage) + Words::stop(column + kStage);
      words += std::move(line.outcome).changed(shorten);
      lines.emplace_back(std::move(words), is_first ? 2 : 14);
      is_first = false;
    }
  }

  void add_evidence(const Problem& problem, bool is_missing, Lines& lines) {
    constexpr std::size_t kShown = 4;
    for (std::size_t i = 0; i < problem.evidence.size(); ++i) {
      if (i == kShown) {
        more(say("and-more-v", {{"count", problem.evidence.size() - kShown}}), lines);
        return;
      }
      const Statement what = shorten_(problem.evidence[i].what);
      if (i == 0)
        entry(say(is_missing ? "head-but" : "head-seen"), what, lines);
      else
        more(what, lines);
    }
  }

  /// Files for another processor are no candidates, but where one was found instead.
  void add_candidates(const Problem& problem, Lines& lines) {
    constexpr std::size_t kShown = 3;
    std::size_t listed = 0;
    for (const Candidate& candidate : problem.candidates) {
      const bool is_of_other_target = candidate.reason.sentence == "of-other-target";
      if (is_of_other_target && problem.code != ProblemCode::WrongClass) continue;
      if (++listed > kShown) continue;
      const Words word = candidate.serves ? good(say("would-do")) : bad(say("would-not-do"));
      Statement place = candidate.owner ? owner_words(*candidate.owner) : candidate.place;
      if (candidate.serves) place = with_note(std::move(place), candidate.foreign);
      const Words what = Words::foreign(candidate.path) + dim(" (" + Words(place) + ") ") + word +
                         say("candidate-judged", {{"reason", candidate.reason}, {"soname", Statement{}}});
      listed == 1 ? entry(say("head-elsewhere"), what, lines) : more(what, lines);
    }
    const bool is_missing = problem.code == ProblemCode::MissingLibrary || problem.code == ProblemCode::WrongClass;
    if (listed == 0 && is_missing) entry(say("head-elsewhere"), say("no-candidate"), lines);
    if (listed > kShown) more(say("and-more-v", {{"count", listed - kShown}}), lines);
  }

  void add_remedies(std::size_t reserved) {
    const bool is_all_said =
        diagnosis_.remedies.size() == 1 && tried_ != nullptr && tried_->verdict == RemedyVerdict::Untried;
    if (diagnosis_.remedies.empty() || is_all_said) return;
    const bool is_any_good = std::any_of(diagnosis_.remedies.begin(), diagnosis_.remedies.end(),
                                         [](const Remedy& remedy) { return remedy.choice != FixChoice::IsNone; });
    Lines lines = {{strong(say(is_any_good ? "fixes" : "no-fixes")), 0}};
    std::size_t number = 0;
    for (const Remedy& remedy : diagnosis_.remedies) {
      Words line = is_any_good ? Words::number(++number) + ". " : Words();
      line += verdict_word(remedy.verdict) + Words::stop(8) + "  ";
      if (&remedy == tried_) {
        line += say("fix-above");
      } else if (remedy.commands.empty()) {
        line += remedy.text;
      } else {
        line += Words::command(typed_in(report_.root, remedy));
        if (remedy.verdict != RemedyVerdict::Fails) line += root_remark(remedy, report_.root);
      }
      const bool is_short = remedy.verdict == RemedyVerdict::Fails || remedy.verdict == RemedyVerdict::Untried;
      if (is_short && !remedy.loader_says.empty()) {
        line += dim(": " + Words::foreign(remedy.loader_says));
      } else if (is_short && !remedy.reason.empty()) {
        line += dim(": " + Words(remedy.reason));
      }
      if (!is_short && !remedy.foreign.empty()) line += dim("   (" + Words(remedy.foreign) + ")");
      lines.emplace_back(std::move(line), 2);
    }
    add_section(lines, reserved, 3);
  }

  /// Of a library that is asked about and no cause tells of.
  void add_search_of_asked() {
    const bool is_reported =
        std::any_of(diagnosis_.problems.begin(), diagnosis_.problems.end(),
                    [&](const Problem& problem) { return is_fatal(problem) && problem.name == diagnosis_.asked; });
    if (is_reported) return;
    Lines lines;
    if (!diagnosis_.asked_requests.empty()) {
      add_needers(diagnosis_.asked_requests, lines);
      add_search(diagnosis_.asked_requests.front(), lines);
    } else if (diagnosis_.dlopens.list.empty()) {
      lines.emplace_back(say("not-asked-for", {{"library", diagnosis_.asked}}), 0);
    }
    add_section(lines, 4, 6);
  }

  /// What is opened later: how many, and which of them are not in order.
  Lines later_lines() {
    const std::vector<const Dlopen*> list = listed_dlopens(diagnosis_.dlopens);
    if (list.empty()) return {};
    const std::size_t good = static_cast<std::size_t>(
        std::count_if(list.begin(), list.end(), [](const Dlopen* opened) { return opened->is_faultless(); }));
    const Statement count = good == list.size() ? say("later-all", {{"count", list.size()}})
                            : good == 0         ? say("later-none", {{"count", list.size()}})
                                                : say("later-some", {{"count", list.size()}, {"good", good}});
    Lines lines;
    lines.emplace_back(Words(say("head-later")) + Words::stop(12) + count, 2);
    for (const Dlopen* opened : list) {
      if (!opened->is_faultless()) lines.emplace_back(dlopen_words(*opened), 14);
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

  /// Warnings and what was assumed a line each; notes on what is right but surprising are counted.
  Lines other_lines() {
    Lines lines;
    std::size_t notes = 0;
    for (const Problem& problem : diagnosis_.problems) {
      if (is_fatal(problem)) continue;
      // Said in the section on what is opened later, or in the verdict.
      if (problem.code == ProblemCode::DlopenMissing) continue;
      const bool is_note = severity_of(problem.code) == Severity::Note;
      const bool is_said =
          diagnosis_.answer == Verdict::Depends && problem.what.sentence == "left-to-host" && problem.evidence.empty();
      if (is_said) continue;
      if (is_note && problem.code != ProblemCode::Note && problem.what.sentence != "driver-of-host") {
        ++notes;
        continue;
      }
      const Words code = is_note ? Words() : "[" + Words::foreign(code_of(problem.code)) + "] ";
      lines.emplace_back((is_note ? dim(term("note")) : warn(term("warning"))) + " " + code + shorten_(problem.what),
                         2);
      constexpr std::size_t kProofShown = 3;
      for (std::size_t i = 0; is_note && i < problem.evidence.size() && i < kProofShown; ++i) {
        lines.emplace_back(Words(shorten_(problem.evidence[i].what)), 6);
      }
    }
    if (notes != 0) lines.emplace_back(dim(say("and-notes-v", {{"count", notes}})), 2);
    return lines;
  }

  const WhyReport& report_;
  const LinkMap& map_;
  const Process& process_;
  const Diagnosis& diagnosis_;
  const std::string& file_;
  const PythonImport* import_;
  Shortener shorten_;
  const Remedy* tried_ = nullptr;
  Line first_ = Line::Verdict;
  Page page_;
};

}  // namespace

Page why_brief(const WhyReport& report) { return WhyBrief(report).make(); }
Page why_proof(const WhyReport& report) { return WhyBrief(report).proof(WhyBrief::Line::Loaders); }

}  // namespace soresolve
