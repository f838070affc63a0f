// The text of one search, stage by stage as in ld.so(8); misses in hwcaps subdirectories are folded into one line. It
// reads the recorded attempts and decides nothing; without a record there is nothing to show.
#include <algorithm>
#include <span>

#include "loader/process.h"
#include "loader/system.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

class SearchPage {
 public:
  SearchPage(const LinkMap& map, const NeedRef& request)
      : process_(*map.process), map_(map), needer_(map.objects[request.needer]), need_(needer_.needs[request.need]),
        request_(request) {
    if (need_.trace < map.traces.size()) {
      attempts_ = map.traces[need_.trace].attempts;
      left_out_ = map.traces[need_.trace].left_out;
    }
  }

  Page make() {
    if (!attempts_.empty() && attempts_.front().step == SearchStep::AlreadyLoaded) {
      print_already_loaded();
    } else if (!attempts_.empty() && attempts_.front().step == SearchStep::Path) {
      page_.line(say("name-has-slash"), 2);
      print_attempt(attempts_.front());
    } else if (need_.resolution == HowFound::EmptyToken) {
      page_.line(say("token-without-value"), 2);
    } else {
      page_.line(say("searches-in-order"), 2);
      for (const SearchStep step : {SearchStep::Rpath, SearchStep::LibraryPath, SearchStep::Runpath, SearchStep::Cache,
                                    SearchStep::DefaultDirs}) {
        print_stage(step);
      }
      print_left_out();
    }
    return std::move(page_);
  }

 private:
  void print_already_loaded() {
    const LoadedObject& target = map_.objects[need_.target];
    page_.line(say("taken-from-loaded", {{"how", term(name_of(need_.resolution))},
                                         {"path", target.path.empty() ? target.name() : target.path}}),
               2);
    if (target.role == ObjectRole::Library && target.loader != kNoObject) {
      page_.line(say("came-in-for", {{"object", map_.objects[target.loader].name()},
                                     {"step", step_words(map_, target.found.step, target.found.owner)}}),
                 2);
    }
  }

  void print_stage(SearchStep step) {
    const auto is_of_step = [&](const Attempt& a) { return a.step == step; };
    const auto first = std::find_if(attempts_.begin(), attempts_.end(), is_of_step);
    const auto last = std::find_if_not(first, attempts_.end(), is_of_step);
    if (first == attempts_.end() && is_over_) return;
    page_.line(
        Words::number(++number_) + ". " + term(name_of(step)) + dim(say("in-brackets", {{"text", meaning(step)}})), 3);
    owner_ = kNoObject;
    if (first == attempts_.end()) {
      page_.line(left_out_ != 0 ? say("not-listed") : why_no_attempt(map_, request_, step), 8);
      return;
    }
    const std::span<const Attempt> stage(first, last);
    for (std::size_t i = 0; i < stage.size();) {
      std::size_t end = i + 1;
      while (end < stage.size() && stage[end].directory == stage[i].directory && stage[end].owner == stage[i].owner &&
             stage[end].entry == stage[i].entry) {
        ++end;
      }
      print_directory(stage.subspan(i, end - i));
      i = end;
    }
  }

  /// What a stage is, for a reader who meets its name for the first time.
  [[nodiscard]] static Statement meaning(SearchStep step) {
    switch (step) {
      case SearchStep::Rpath: return say("stage-rpath");
      case SearchStep::LibraryPath: return say("stage-library-path");
      case SearchStep::Runpath: return say("stage-runpath");
      case SearchStep::Cache: return say("stage-cache");
      case SearchStep::DefaultDirs: return say("stage-default-dirs");
      default: return {};
    }
  }

  /// A directory as it is written and as it is expanded, then each attempt in it and its subdirectories.
  void print_directory(std::span<const Attempt> attempts) {
    const Attempt& first = attempts.front();
    if (const Statement words = words_without_path(map_, request_, first); !words.empty()) return page_.line(words, 8);
    if (first.step == SearchStep::Cache) return print_attempt(first);
    if (first.owner != owner_) {
      owner_ = first.owner;
      if (owner_ != kNoObject) page_.line(say("of-owner", {{"object", map_.objects[owner_].name()}}), 6);
    }
    Words heading;
    if (first.entry.empty() && first.step != SearchStep::DefaultDirs) {
      heading += say("empty-element-is", {{"path", process_.cwd}});
    } else if (first.entry + "/" != first.directory && first.entry != first.directory) {
      heading += Words::foreign(first.entry) + "  =  " + Words::foreign(first.directory);
    }
    if (!heading.empty()) page_.line(heading, 8);

    for (const Attempt& attempt : attempts) print_attempt(attempt);
  }

  void print_left_out() {
    if (left_out_ == 0) return;
    page_.line(say("places-left-out", {{"count", left_out_}}), 6);
  }

  void print_attempt(const Attempt& attempt) {
    const std::string path = attempt.candidate.empty() ? attempt.directory + attempt.subdirectory : attempt.candidate;
    Tone tone = Tone::Dim;
    if (is_found(attempt.outcome)) {
      is_over_ = true;
      tone = Tone::Good;
    } else if (ends_start(attempt.outcome)) {
      is_over_ = true;
      tone = Tone::Bad;
    }
    page_.line(Words::foreign(path) + Words::stop(52) + "  " + Words(outcome_words(attempt)).in(tone), 10);
  }

  const Process& process_;
  const LinkMap& map_;
  const LoadedObject& needer_;
  const Need& need_;
  NeedRef request_;
  std::span<const Attempt> attempts_;
  std::uint64_t left_out_ = 0;
  int number_ = 0;
  ObjectIndex owner_ = kNoObject;  ///< of the list whose heading was printed last
  bool is_over_ = false;
  Page page_;
};

}  // namespace

Page search_page(const LinkMap& map, const NeedRef& request) { return SearchPage(map, request).make(); }

}  // namespace soresolve
