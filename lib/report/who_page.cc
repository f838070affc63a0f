// Who needs it, for people: the answer in one line, then for each file of that name an inverted tree, needers below
// what they need, each once with what is below it. Source of the form: cargo tree --invert.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "report/layer_words.h"
#include "report/page.h"
#include "report/pages.h"
#include "report/who_report.h"
#include "survey/who.h"
#include "symbols/cxx_names.h"

namespace soresolve {
namespace {

constexpr std::size_t kNeedersShown = 20;    // of one file
constexpr std::size_t kBranchesShown = 200;  // of one tree
constexpr std::size_t kDeepest = 1000;

Statement link_words(SurveyLinkKind kind) {
  switch (kind) {
    case SurveyLinkKind::Filter: return say("who-by-filter");
    case SurveyLinkKind::Auxiliary: return say("who-by-auxiliary");
    case SurveyLinkKind::Preload: return say("who-by-preload");
    case SurveyLinkKind::Process: return say("who-by-process");
    case SurveyLinkKind::Note: return say("who-by-note");
    case SurveyLinkKind::Known: return say("who-by-known");
  }
  return {};
}

/// One inverted tree.
class InvertedTree {
 public:
  using Write = std::function<void(const Branch&)>;

  InvertedTree(const WhoReport& report, const WhoOptions& options, const WhoCopy& copy, LayerLegend& layers,
               const Write& write)
      : survey_(report.survey), answer_(report.answer), options_(options), copy_(copy), layers_(layers), write_(write) {
  }

  void make() {
    write_({head(), 0, Branch::Place::Last});
    if (answer_.about == WhoAnswer::About::Library) needers_ = needers_of_files(survey_);
    was_shown_.resize(needers_.size());
    if (copy_.file < was_shown_.size()) was_shown_[copy_.file] = true;
    if (options_.max_depth == 0) return;
    add_list(copy_.needers.size(), 1, [&](std::size_t i, Branch::Place place) {
      const WhoNeeder& needer = copy_.needers[i];
      add(needer.file, name_of(needer.file) + dim(label(needer)), 1, place);
    });
  }

 private:
  [[nodiscard]] Words name_of(SurveyIndex file) const {
    return Words::foreign(survey_.path_of(file)) + layers_.note(survey_.path_of(file));
  }

  /// A name of C++ as people write it comes first.
  static Words symbol_words(const std::string& symbol) {
    const std::string readable = demangled(symbol.substr(0, symbol.find('@')));
    if (readable.empty()) return strong(Words::foreign(symbol));
    return strong(Words::foreign(readable)) + dim(" (" + Words::foreign(symbol) + ")");
  }

  [[nodiscard]] Words head() const {
    Words words = copy_.symbol.empty() ? Words() : symbol_words(copy_.symbol);
    if (copy_.file == kNoFile) {
      words += copy_.symbol.empty() ? strong(Words::foreign(answer_.name)) : Words();
      words += bad(say("who-nowhere"));
    } else {
      words += copy_.symbol.empty() ? strong(Words::foreign(survey_.path_of(copy_.file)))
                                    : Words(say("who-defined-in", {{"file", survey_.path_of(copy_.file)}}));
      words += layers_.note(survey_.path_of(copy_.file));
    }
    return std::move(words) + dim(say("who-in-processes", {{"count", copy_.processes.size()}}));
  }

  [[nodiscard]] Statement label(const WhoNeeder& needer) const {
    if (answer_.about == WhoAnswer::About::Symbol) {
      if (needer.file == copy_.file) return say("in-brackets", {{"text", say("who-itself")}});
      return needer.processes == copy_.processes.size() ? Statement{}
                                                        : say("who-in-processes", {{"count", needer.processes}});
    }
    const std::size_t count = needer.symbols.size();
    if (needer.link && !needer.is_needed) {
      return count == 0 ? say("in-brackets", {{"text", link_words(*needer.link)}})
                        : say("who-link-binds", {{"link", link_words(*needer.link)}, {"count", count}});
    }
    if (!needer.is_needed) return say("who-binds-only", {{"count", count}});
    if (!answer_.has_bindings || copy_.file == kNoFile) return {};
    return count == 0 ? say("who-binds-nothing") : say("who-binds", {{"count", count}});
  }

  /// Below a file: as many as are shown, and how many more there are.
  template <class AddOne>
  void add_list(std::size_t count, std::size_t depth, AddOne add_one) {
    const std::size_t shown = options_.detail == Detail::Full ? count : std::min(count, kNeedersShown);
    std::size_t i = 0;
    for (; i < shown && !is_full(); ++i) {
      add_one(i, i + 1 == count ? Branch::Place::Last : Branch::Place::Inner);
    }
    if (i < count) write_({dim(say("scan-more-files", {{"count", count - i}})), depth, Branch::Place::Last});
  }

  [[nodiscard]] bool is_full() const { return options_.detail != Detail::Full && branches_ >= kBranchesShown; }

  void add(SurveyIndex file, Words words, std::size_t depth, Branch::Place place) {
    ++branches_;
    const bool has_more = file < needers_.size() && !needers_[file].empty();
    const bool is_repeat = has_more && was_shown_[file];
    if (is_repeat) words += dim(" (*)");
    write_({std::move(words), depth, place});
    if (!has_more || is_repeat) return;
    if (depth >= std::min<std::size_t>(options_.max_depth, kDeepest)) {
      write_({dim("…"), depth + 1, Branch::Place::Below});
      return;
    }
    was_shown_[file] = true;
    const std::vector<SurveyNeeder>& list = needers_[file];
    add_list(list.size(), depth + 1, [&](std::size_t i, Branch::Place at) {
      Words line = name_of(list[i].file);
      if (list[i].link && !list[i].is_needed) {
        line += dim(say("in-brackets", {{"text", link_words(*list[i].link)}}));
      }
      add(list[i].file, std::move(line), depth + 1, at);
    });
  }

  const Survey& survey_;
  const WhoAnswer& answer_;
  const WhoOptions& options_;
  const WhoCopy& copy_;
  LayerLegend& layers_;
  const Write& write_;
  std::vector<std::vector<SurveyNeeder>> needers_;
  std::vector<bool> was_shown_;  ///< with what is below it
  std::size_t branches_ = 0;
};

Statement verdict_of(const WhoAnswer& answer) {
  const std::size_t needers = answer.needer_count();
  const std::size_t binders = answer.binder_count();
  const std::size_t processes = answer.process_count();
  if (answer.about == WhoAnswer::About::Symbol) {
    if (needers == 0) return say("who-symbol-nobody", {{"name", answer.name}});
    return say(
        "who-symbol",
        {{"name", answer.name}, {"count", needers}, {"definitions", answer.copies.size()}, {"processes", processes}});
  }
  if (needers == 0 && binders == 0) {
    return say("who-nobody", {{"name", answer.name}});
  }
  const bool is_missing =
      std::all_of(answer.copies.begin(), answer.copies.end(), [](const WhoCopy& copy) { return copy.file == kNoFile; });
  if (is_missing) return say("who-missing", {{"name", answer.name}, {"count", needers}, {"processes", processes}});
  if (!answer.has_bindings) {
    return say("who-needs", {{"name", answer.name}, {"count", needers}, {"processes", processes}});
  }
  return say("who-needs-and-binds",
             {{"name", answer.name}, {"count", needers}, {"binders", binders}, {"processes", processes}});
}

/// Why a process does not find it.
void add_command(Page& page, const WhoReport& report) {
  for (const WhoCopy& copy : report.answer.copies) {
    if (copy.file != kNoFile || copy.processes.empty() || report.answer.about != WhoAnswer::About::Library) continue;
    CommandText command = "soresolve why ";
    if (report.root != "/") command += "--root " + shell_path(report.root) + " ";
    command += shell_path(report.survey.path_of(copy.processes.front())) + " " + shell_path(report.answer.name);
    page.line(Words(say("try")) + Words::command(command));
  }
}

void add_symbols(Page& page, const WhoReport& report, const WhoCopy& copy) {
  for (const WhoNeeder& needer : copy.needers) {
    if (needer.symbols.empty()) continue;
    page.blank();
    page.line(say("who-binds-these", {{"file", report.survey.path_of(needer.file)}}));
    for (const std::string& symbol : needer.symbols) page.line(Words::foreign(symbol), 3);
  }
}

/// Of an image its branches are made now, since the layers that they name stand below all trees.
Tree tree_of(const WhoReport& report, const WhoOptions& options, const WhoCopy& copy, LayerLegend& layers) {
  const bool is_image = report.place && report.place->layers;
  if (!is_image) {
    return {[&report, options, layers, &copy](const InvertedTree::Write& write) mutable {
      InvertedTree(report, options, copy, layers, write).make();
    }};
  }
  std::vector<Branch> branches;
  const InvertedTree::Write keep = [&](const Branch& branch) { branches.push_back(branch); };
  InvertedTree(report, options, copy, layers, keep).make();
  return {[branches = std::move(branches)](const InvertedTree::Write& write) {
    for (const Branch& branch : branches) write(branch);
  }};
}

}  // namespace

Page who_page(const WhoReport& report, const WhoOptions& options) {
  const WhoAnswer& answer = report.answer;
  Page page;
  if (answer.is_interrupted) page.line(bad(say("scan-interrupted")));
  if (const std::size_t unread = unread_count(report.survey, answer); unread != 0) {
    page.line(bad(say("who-not-read", {{"count", unread}})));
  }
  if (!answer.is_interrupted || answer.needer_count() + answer.binder_count() != 0) {
    page.line(strong(verdict_of(answer)));
  }
  add_command(page, report);
  const std::vector<SurveyIndex> several = answer.processes_with_several();
  if (!several.empty() && answer.about == WhoAnswer::About::Library) {
    page.line(warn(
        say("who-several-in-process", {{"count", several.size()}, {"first", report.survey.path_of(several.front())}})));
  }
  // The one that most processes take comes first.
  std::vector<const WhoCopy*> copies;
  for (const WhoCopy& copy : answer.copies) copies.push_back(&copy);
  std::stable_sort(copies.begin(), copies.end(),
                   [](const WhoCopy* a, const WhoCopy* b) { return a->processes.size() > b->processes.size(); });
  LayerLegend layers(report.place ? report.place->layers.get() : nullptr,
                     report.place ? report.place->files.get() : nullptr);
  for (const WhoCopy* const copy : copies) {
    page.blank();
    page.add(tree_of(report, options, *copy, layers));
  }
  layers.add_to(page);
  if (options.detail == Detail::Full && answer.about == WhoAnswer::About::Library) {
    for (const WhoCopy* const copy : copies) add_symbols(page, report, *copy);
  }
  return page;
}

}  // namespace soresolve
