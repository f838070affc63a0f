// The text of one search, stage by stage as in ld.so(8); misses in hwcaps subdirectories are folded into one line. It
// reads the recorded attempts and decides nothing; without a record there is nothing to show.
#include <algorithm>
#include <span>

#include "loader/process.h"
#include "loader/system.h"
#include "report/names.h"
#include "report/pages.h"

namespace soresolve {
namespace {

class SearchPage {
 public:
  SearchPage(const LinkMap& map, const NeedRef& request, Detail detail)
      : system_(*map.system), process_(*map.process), map_(map), needer_(map.objects[request.needer]),
        need_(needer_.needs[request.need]), detail_(detail) {
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
      print_folded();
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
      page_.line(left_out_ != 0 ? say("not-listed") : why_empty(step), 8);
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

  /// Why a stage made no attempt.
  [[nodiscard]] Statement why_empty(SearchStep step) const {
    switch (step) {
      case SearchStep::Rpath:
        return say(needer_.elf.runpath ? "rpath-not-used" : "rpath-none", {{"object", needer_.name()}});
      case SearchStep::LibraryPath:
        if (const auto value = process_.environment.value("LD_LIBRARY_PATH"); value && !value->empty()) {
          return say(process_.secure ? "library-path-ignored" : "no-usable-directory");
        }
        return say("not-set");
      case SearchStep::Runpath:
        if (needer_.elf.runpath) return say("no-usable-directory");
        return say("runpath-none", {{"object", needer_.name()}});
      case SearchStep::Cache: return say("not-asked");
      default: return say("none");
    }
  }

  /// All subdirectories of one directory: a line for the directory itself, the misses in its
  /// capability subdirectories folded into one.
  void print_directory(std::span<const Attempt> attempts) {
    const Attempt& first = attempts.front();
    if (first.step == SearchStep::Cache) return print_cache(first);
    if (first.outcome == Outcome::DefaultDirsBarred) {
      page_.line(say("directory-barred", {{"object", needer_.name()}}), 8);
      return;
    }
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

    for (const Attempt& attempt : attempts) {
      const bool is_dull = !attempt.subdirectory.empty() &&
                           (attempt.outcome == Outcome::NoSuchFile || attempt.outcome == Outcome::NoSuchDirectory ||
                            attempt.outcome == Outcome::SkippedDirectory);
      if (is_dull && detail_ == Detail::Folded) {
        ++folded_count_;
        if (folded_example_.empty()) folded_example_ = attempt.subdirectory;
      } else {
        print_attempt(attempt);
      }
    }
  }

  /// The misses in capability subdirectories, of all directories together.
  void print_folded() {
    if (folded_count_ == 0) return;
    page_.line(dim(say("subdirectories-first")), 6);
    page_.line(dim(say("subdirectories-folded", {{"example", folded_example_}, {"count", folded_count_}})), 7);
  }

  void print_left_out() {
    if (left_out_ == 0) return;
    page_.line(say("places-left-out", {{"count", left_out_}}), 6);
  }

  void print_cache(const Attempt& attempt) {
    const std::string& cache = system_.rules.cache_path;
    switch (attempt.outcome) {
      case Outcome::NoCache:
        page_.line(system_.cache_problem
                       ? say("cache-ignored", {{"cache", cache}, {"reason", system_.cache_problem->message}})
                       : say("cache-not-there", {{"cache", cache}}),
                   8);
        return;
      case Outcome::NotInCache:
        page_.line(say("cache-without", {{"cache", cache}, {"library", need_.name}}), 8);
        return;
      case Outcome::CacheEntryBarred:
        page_.line(say("cache-entry-not-taken", {{"path", attempt.candidate}, {"object", needer_.name()}}), 8);
        return;
      default: print_attempt(attempt);
    }
  }

  [[nodiscard]] static Statement outcome_of(const Attempt& attempt) {
    const Statement outcome = term(name_of(attempt.outcome));
    switch (attempt.outcome) {
      case Outcome::OpenFailed:
        return say("outcome-leaves-list",
                   {{"outcome", outcome}, {"reason", errno_text(attempt.error, ErrnoText::FromDlerror)}});
      case Outcome::WrongClass:
      case Outcome::WrongMachine: return say("outcome-passed-over", {{"outcome", outcome}});
      case Outcome::Fatal:
      case Outcome::WouldCrash:
      case Outcome::WouldBlock: return say("outcome-reason", {{"outcome", outcome}, {"reason", attempt.text}});
      default: return outcome;
    }
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
    page_.line(Words::foreign(path) + Words::stop(52) + "  " + Words(outcome_of(attempt)).in(tone), 10);
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  const LoadedObject& needer_;
  const Need& need_;
  Detail detail_;
  std::span<const Attempt> attempts_;
  std::uint64_t left_out_ = 0;
  int number_ = 0;
  ObjectIndex owner_ = kNoObject;  ///< of the list whose heading was printed last
  std::size_t folded_count_ = 0;
  std::string folded_example_;
  bool is_over_ = false;
  Page page_;
};

}  // namespace

Page search_page(const LinkMap& map, const NeedRef& request, Detail detail) {
  return SearchPage(map, request, detail).make();
}

}  // namespace soresolve
