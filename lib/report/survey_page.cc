// A survey for people: the verdict, then one cause after the other with the command to type and the files, then what
// depends on its process, what was left out, and the counts.
#include <algorithm>
#include <map>

#include "base/pieces.h"
#include "packages/what_brings.h"
#include "report/layer_words.h"
#include "report/page.h"
#include "report/pages.h"
#include "report/survey_reader.h"
#include "survey/layer_survey.h"

namespace soresolve {
namespace {

constexpr std::size_t kFilesShown = 5;
constexpr std::size_t kCausesShown = 20;
constexpr std::size_t kTextColumn = 3;

/// " (ruled by FILE, FILE)"; nothing where no file rules.
Words ruled_words(const SurveyReport& report) {
  if (report.ruled_by.empty()) return {};
  return dim(say("scan-ruled-by", {{"files", joined(report.ruled_by, ", ")}}));
}

/// ", 5 not judged"; nothing where all was.
Words unjudged_words(const SurveyCounts& counts) {
  return counts.unjudged == 0 ? Words() : Words(say("scan-count-unjudged", {{"count", counts.unjudged}}));
}

enum class WithWorks : std::uint8_t { Yes, No };

/// ": 603 work, 1 depends on what loads it": what is none is not named, and the numbers are those of all processes.
Words sums_words(const SurveySums& sums, WithWorks with_works = WithWorks::Yes) {
  Words words;
  bool is_first = true;
  const auto add = [&](std::string_view sentence, std::size_t count) {
    if (count == 0) return;
    words += say(is_first ? "scan-sums-first" : "scan-sums-next", {{"part", say(sentence, {{"count", count}})}});
    is_first = false;
  };
  if (with_works == WithWorks::Yes) add("scan-count-works", sums.works);
  add("scan-count-fails", sums.fails);
  add(sums.are_of_failing ? "scan-count-depends-strict" : "scan-count-depends", sums.depends);
  add(sums.are_of_failing ? "scan-count-optional-strict" : "scan-count-optional", sums.optional);
  add("scan-count-suppressed", sums.suppressed);
  return words;
}

class SurveyPage {
 public:
  SurveyPage(const SurveyReport& report, Detail detail) : report_(report), survey_(report.survey), detail_(detail) {}

  Page make() {
    add_verdict();
    add_groups();
    if (report_.layers != nullptr) page_.append(layer_survey_page(*report_.layers, detail_));
    add_depending();
    add_skipped();
    add_counts();
    return std::move(page_);
  }

 private:
  [[nodiscard]] bool is_full() const { return detail_ == Detail::Full; }

  void add_verdict() {
    const SurveyCounts& counts = survey_.counts;
    const SurveySums sums = sums_of(report_);
    if (survey_.is_out_of_memory) {
      const auto judged = std::count_if(survey_.files.begin(), survey_.files.end(),
                                        [](const SurveyedFile& file) { return file.as != SurveyedAs::Unjudged; });
      page_.line(
          bad(say("scan-out-of-memory", {{"judged", static_cast<std::size_t>(judged)}, {"dynamic", counts.dynamic}})));
    }
    const bool is_open = survey_.is_interrupted && sums.fails == 0 && sums.causes == 0;
    if (is_open) page_.line(bad(say("scan-interrupted")));
    if (sums.fails != 0) {
      page_.line(bad(say("scan-fails", {{"fails", sums.fails}, {"roots", counts.roots}, {"causes", sums.causes}})) +
                 bad(unjudged_words(counts)) + ruled_words(report_));
    } else if (sums.causes != 0) {
      page_.line(bad(say("scan-damaged", {{"count", sums.causes}})) + bad(unjudged_words(counts)) +
                 ruled_words(report_));
    } else if (counts.unjudged != 0) {
      Words line = say("scan-not-judged", {{"count", counts.unjudged}});
      if (counts.roots != 0) line += say("scan-count-rest", {{"roots", counts.roots}}) + sums_words(sums);
      page_.line(bad(std::move(line)) + ruled_words(report_));
    } else if (counts.roots == 0 && counts.static_programs != 0) {
      page_.line(good(say("scan-static", {{"count", counts.static_programs}})) + ruled_words(report_));
    } else if (counts.roots == 0) {
      page_.line(warn(say("scan-nothing")));
    } else if (counts.works == counts.roots) {
      page_.line(good(say("scan-works", {{"roots", counts.roots}, {"dynamic", counts.dynamic}})) +
                 ruled_words(report_));
    } else {
      page_.line(good(say("scan-some-work", {{"roots", counts.roots}, {"works", counts.works}})) +
                 good(sums_words(sums, WithWorks::No)) + ruled_words(report_));
    }
    if (survey_.is_interrupted && !is_open) page_.line(warn(say("scan-interrupted")));
  }

  /// A cause that counts, and those that the same command fixes.
  struct Folded {
    const ProblemGroup* lead;
    std::vector<const ProblemGroup*> same_fix;
  };
  [[nodiscard]] std::vector<Folded> folded() const {
    std::vector<Folded> causes;
    std::map<std::string, std::size_t> by_command;
    for (const ProblemGroup& group : survey_.groups) {
      if (!is_counted(report_, group)) continue;
      const std::string command = group.fix ? joined_commands(group.fix->commands).text() : std::string();
      const auto [known, is_new] = by_command.try_emplace(command, causes.size());
      if (is_new || command.empty()) {
        causes.push_back({&group, {}});
      } else {
        causes[known->second].same_fix.push_back(&group);
      }
    }
    return causes;
  }

  void add_groups() {
    const std::vector<Folded> causes = folded();
    const std::size_t shown = is_full() ? causes.size() : std::min(causes.size(), kCausesShown);
    for (std::size_t i = 0; i < shown; ++i) {
      page_.blank();
      add_group(*causes[i].lead, i + 1, causes[i].same_fix);
    }
    std::size_t hidden = 0;
    for (std::size_t i = shown; i < causes.size(); ++i) hidden += 1 + causes[i].same_fix.size();
    if (hidden != 0) {
      page_.blank();
      page_.line(dim(say("scan-more-causes", {{"count", hidden}})));
    }
    std::vector<const ProblemGroup*> optional;
    std::vector<const ProblemGroup*> suppressed;
    for (const ProblemGroup& group : survey_.groups) {
      if (!is_counted(report_, group)) (group.suppression ? suppressed : optional).push_back(&group);
    }
    add_list(optional, say("scan-optional", {{"count", survey_.counts.optional}}));
    add_list(suppressed, say("scan-suppressed", {{"count", suppressed.size()}}));
    if (!survey_.remarks.empty()) page_.blank();
    for (const Statement& remark : survey_.remarks) page_.line(warn(remark));
  }

  /// Causes that do not count, a line each.
  void add_list(const std::vector<const ProblemGroup*>& groups, const Statement& head) {
    if (groups.empty()) return;
    page_.blank();
    page_.line(warn(head));
    const std::size_t shown = is_full() ? groups.size() : std::min(groups.size(), kFilesShown);
    for (std::size_t i = 0; i < shown; ++i) {
      const ProblemGroup& group = *groups[i];
      const std::string first = group.suppression && !group.members.empty() ? survey_.files[group.members.front()].path
                                                                            : group.needers.front();
      const std::size_t count = group.suppression ? group.members.size() : group.needers.size();
      Words line = Words(group.headline) + ": " + Words::foreign(first);
      if (count > 1) line += say("and-more", {{"count", count - 1}});
      if (group.suppression) {
        line += group.suppression->by == Suppression::By::Baseline
                    ? Words(say("scan-known"))
                    : Words(say("scan-ignored", {{"reason", group.suppression->reason}}));
      }
      page_.line(std::move(line), kTextColumn + 2);
    }
    if (shown < groups.size()) {
      page_.line(dim(say("scan-more-files", {{"count", groups.size() - shown}})), kTextColumn + 2);
    }
  }

  void add_group(const ProblemGroup& group, std::size_t number, const std::vector<const ProblemGroup*>& same_fix) {
    page_.line(Words::number(number) + Words::stop(kTextColumn) + strong(group.headline) +
               dim(" [" + Words::foreign(code_of(group.problem.code)) + "]"));
    add_fix(group);
    add_same_fix(same_fix);
    const std::vector<std::string> members = paths_of(group.members);
    const bool is_same = members == group.needers || members.empty();
    Words head = heading_of(group);
    if (!is_same) head += say("scan-and-processes", {{"count", members.size()}});
    page_.line(std::move(head), kTextColumn);
    add_files(group.needers);
    add_layers(group, kTextColumn);
    if (is_same) return;
    std::vector<std::string> others;
    std::set_difference(members.begin(), members.end(), group.needers.begin(), group.needers.end(),
                        std::back_inserter(others));
    if (others.empty()) return;
    page_.line(say("scan-processes"), kTextColumn);
    add_files(others);
  }

  /// Of an image; the first is that of --layers, since which the cause is there.
  void add_layers(const ProblemGroup& group, std::size_t indent) {
    if (report_.layers != nullptr) {
      if (const std::optional<std::size_t> number = report_.layers->since(group)) {
        const Statement layer = layer_title(*number, report_.layers->layers[*number - 1].layer);
        page_.line(say("scan-since-layer", {{"layer", layer}}), indent);
      }
    }
    for (const LayerOfFile& layer : group.layers) page_.line(dim(layer_words(layer)), indent);
  }

  /// Causes that the same fix ends, a line each.
  void add_same_fix(const std::vector<const ProblemGroup*>& groups) {
    const std::size_t shown = is_full() ? groups.size() : std::min(groups.size(), kFilesShown);
    for (std::size_t i = 0; i < shown; ++i) {
      page_.line(say("scan-same-fix", {{"cause", groups[i]->headline}}), kTextColumn);
      add_layers(*groups[i], kTextColumn + 2);
    }
    if (shown < groups.size()) {
      page_.line(dim(say("scan-more-files", {{"count", groups.size() - shown}})), kTextColumn);
    }
  }

  /// What is missing is needed by files; all else is seen in them.
  static Statement heading_of(const ProblemGroup& group) {
    const std::size_t count = group.needers.size();
    const bool is_needed = is_needed_by_others(group);
    if (!group.owner) {
      return is_needed ? say("scan-needers", {{"count", count}}) : say("scan-concerns", {{"count", count}});
    }
    const std::string package = full_name_of(*group.owner);
    return is_needed ? say("scan-needers-of", {{"count", count}, {"package", package}})
                     : say("scan-concerns-of", {{"count", count}, {"package", package}});
  }

  void add_fix(const ProblemGroup& group) {
    const bool is_any_library = group.problem.code == ProblemCode::MissingLibrary &&
                                group.problem.name.find('/') == std::string::npos && !what_brings(group.problem.name);
    if (!group.fix && is_any_library)
      page_.line(Words(say("next-step")) + say("next-search-lists", {{"typed", shell_word(group.problem.name)}}),
                 kTextColumn);
    if (!group.fix) return;
    const bool is_in_root = report_.root != "/" && !report_.root.empty();
    const CommandText command = joined_commands(group.fix->commands);
    Words line = Words(say("try")) + Words::command(is_in_root ? command.without_sudo() : command);
    if (is_in_root) line += dim(say("inside-root", {{"root", report_.root}}));
    page_.line(std::move(line), kTextColumn);
    const GroupFix& fix = *group.fix;
    const bool has_several = group.members.size() > 1;
    const std::size_t count = group.members.size();
    if (fix.verdict == RemedyVerdict::Works && has_several) {
      const Statement all = say("scan-fix-all", {{"tried", fix.tried}, {"count", count}});
      const Statement some = say("scan-fix-some", {{"tried", fix.tried}, {"count", count}, {"works", fix.works}});
      page_.line(dim(fix.works == fix.tried ? all : some), kTextColumn + 5);
    } else if (fix.verdict == RemedyVerdict::Partly) {
      page_.line(dim(say("scan-fix-partly")), kTextColumn + 5);
    } else if (fix.verdict == RemedyVerdict::Untried) {
      page_.line(dim(say("scan-fix-untried")), kTextColumn + 5);
    }
  }

  [[nodiscard]] std::vector<std::string> paths_of(const std::vector<SurveyIndex>& indices) const {
    std::vector<std::string> paths;
    for (const SurveyIndex index : indices) paths.push_back(survey_.files[index].path);
    return paths;
  }

  void add_files(const std::vector<std::string>& paths) {
    const std::size_t shown = is_full() ? paths.size() : std::min(paths.size(), kFilesShown);
    for (std::size_t i = 0; i < shown; ++i) page_.line(Words::foreign(paths[i]), kTextColumn + 2);
    if (shown < paths.size()) {
      page_.line(dim(say("scan-more-files", {{"count", paths.size() - shown}})), kTextColumn + 2);
    }
  }

  void add_depending() {
    std::vector<const SurveyedFile*> list;
    for (const SurveyedFile& file : survey_.files) {
      if (file.is_root() && file.verdict == Verdict::Depends) list.push_back(&file);
    }
    if (list.empty()) return;
    page_.blank();
    page_.line(warn(say("scan-depends", {{"count", list.size()}})));
    const std::size_t shown = is_full() ? list.size() : std::min(list.size(), kFilesShown);
    for (std::size_t i = 0; i < shown; ++i) {
      page_.line(Words::foreign(list[i]->path) + ": " + list[i]->depends_on, kTextColumn + 2);
    }
    if (shown < list.size()) {
      page_.line(dim(say("scan-more-files", {{"count", list.size() - shown}})), kTextColumn + 2);
    }
  }

  static std::string_view sentence_of(SurveySkip::Why why) {
    switch (why) {
      case SurveySkip::Why::Unreadable: return "scan-skipped-unreadable";
      case SurveySkip::Why::Damaged: return "scan-skipped-damaged";
      case SurveySkip::Why::NoLoader: return "scan-skipped-no-loader";
      case SurveySkip::Why::Unjudged: return "scan-skipped-unjudged";
      case SurveySkip::Why::PseudoFiles: return "scan-skipped-pseudo";
      case SurveySkip::Why::Visited: return "scan-skipped-visited";
      case SurveySkip::Why::Limit: return "scan-skipped-limit";
    }
    return "";
  }

  void add_skipped() {
    // What leaves the answer open stands first.
    std::map<std::pair<bool, SurveySkip::Why>, std::vector<const SurveySkip*>> by_why;
    for (const SurveySkip& skip : survey_.skipped) by_why[{!skip.is_open, skip.why}].push_back(&skip);
    if (!by_why.empty()) page_.blank();
    for (const auto& [kind, list] : by_why) {
      Words line = say(sentence_of(kind.second), {{"count", list.size()}, {"first", list.front()->path}});
      const std::string& reason = list.front()->reason;
      if (!kind.first && !reason.empty()) line += ": " + Words::foreign(reason);
      page_.line(kind.first ? dim(std::move(line)) : warn(std::move(line)));
      if (!is_full()) continue;
      for (const SurveySkip* const skip : list) {
        Words words = Words::foreign(skip->path);
        if (!skip->reason.empty()) words += ": " + Words::foreign(skip->reason);
        page_.line(dim(std::move(words)), kTextColumn + 2);
      }
    }
  }

  void add_counts() {
    const SurveyCounts& counts = survey_.counts;
    page_.blank();
    page_.line(say("scan-count-files", {{"dynamic", counts.dynamic},
                                        {"files", counts.files},
                                        {"programs", counts.programs},
                                        {"others", counts.not_dynamic}}));
    page_.line(Words(say("scan-count-roots", {{"roots", counts.roots}})) + sums_words(sums_of(report_)) +
               unjudged_words(counts));
  }

  const SurveyReport& report_;
  const Survey& survey_;
  const Detail detail_;
  Page page_;
};

}  // namespace

SurveySums sums_of(const SurveyReport& report) {
  const Survey& survey = report.survey;
  const SurveyCounts& counts = survey.counts;
  const bool is_strict = report.strict == Strict::Yes;
  SurveySums sums;
  sums.works = counts.works;
  sums.depends = counts.depends;
  sums.optional = counts.optional;
  sums.suppressed = counts.suppressed;
  sums.fails = counts.fails + (is_strict ? counts.depends + counts.optional : 0);
  sums.are_of_failing = is_strict;
  sums.causes =
      static_cast<std::size_t>(std::count_if(survey.groups.begin(), survey.groups.end(),
                                             [&](const ProblemGroup& group) { return is_counted(report, group); }));
  if (is_strict && counts.depends != 0) ++sums.causes;
  return sums;
}

SurveyAnswer answer_of(const SurveyReport& report) {
  const Survey& survey = report.survey;
  const bool is_empty =
      survey.counts.dynamic == 0 && survey.counts.static_programs == 0 && report.empty == EmptyTree::Refused;
  if (survey.counts.unjudged != 0 || survey.is_out_of_memory) return SurveyAnswer::NotKnown;
  const SurveySums sums = sums_of(report);
  if (sums.fails != 0 || sums.causes != 0) return SurveyAnswer::Fails;
  return is_empty ? SurveyAnswer::NotKnown : SurveyAnswer::Good;
}

bool is_counted(const SurveyReport& report, const ProblemGroup& group) {
  return counts(group) || (group.is_optional && !group.suppression && report.strict == Strict::Yes);
}

bool is_needed_by_others(const ProblemGroup& group) {
  switch (group.problem.code) {
    case ProblemCode::MissingLibrary:
    case ProblemCode::WrongClass:
    case ProblemCode::VersionMissing:
    case ProblemCode::SymbolMissing:
    case ProblemCode::DlopenMissing: return true;
    default: return false;
  }
}

Page suppressed_page(const SurveyReport& report) {
  Page page;
  const auto count =
      static_cast<std::size_t>(std::count_if(report.survey.groups.begin(), report.survey.groups.end(),
                                             [](const ProblemGroup& group) { return group.suppression.has_value(); }));
  if (count != 0) page.line(warn(say("scan-suppressed-only", {{"count", count}})) + ruled_words(report));
  return page;
}

Page survey_page(const SurveyReport& report, Detail detail) { return SurveyPage(report, detail).make(); }

}  // namespace soresolve
