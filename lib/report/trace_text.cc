// The text of one search, stage by stage as in ld.so(8); misses in hwcaps subdirectories are folded into one line. It
// reads the recorded attempts and decides nothing; without a record there is nothing to show.
#include "report/trace_text.h"

#include <algorithm>
#include <span>

#include "loader/process.h"
#include "loader/system.h"
#include "report/paint.h"

namespace soresolve {
namespace {

class TracePrinter {
 public:
  TracePrinter(const LinkMap& map, const NeedRef& request, const WhyOptions& options)
      : system_(*map.system), process_(*map.process), map_(map), needer_(map.objects[request.needer]),
        need_(needer_.needs[request.need]), options_(options), paint_(options.colour) {
    if (need_.trace < map.traces.size()) {
      attempts_ = map.traces[need_.trace].attempts;
      left_out_ = map.traces[need_.trace].left_out;
    }
  }

  std::string print() {
    if (!attempts_.empty() && attempts_.front().step == SearchStep::AlreadyLoaded) {
      print_already_loaded();
    } else if (!attempts_.empty() && attempts_.front().step == SearchStep::Path) {
      line("  " + said(say("name-has-slash")));
      print_attempt(attempts_.front());
    } else if (need_.resolution == HowFound::EmptyToken) {
      line("  " + said(say("token-without-value")));
    } else {
      line("  " + said(say("searches-in-order")));
      for (const SearchStep step : {SearchStep::Rpath, SearchStep::LibraryPath, SearchStep::Runpath, SearchStep::Cache,
                                    SearchStep::DefaultDirs}) {
        print_stage(step);
      }
      print_folded();
      print_left_out();
    }
    return std::move(text_);
  }

 private:
  void line(const std::string& content) { text_ += content + "\n"; }
  [[nodiscard]] std::string said(const Statement& statement) const {
    return soresolve::said(statement, options_.language);
  }

  void print_already_loaded() {
    const LoadedObject& target = map_.objects[need_.target];
    line("  " + said(say("taken-from-loaded", {{"how", term(name_of(need_.resolution))},
                                               {"path", target.path.empty() ? target.name() : target.path}})));
    if (target.role == ObjectRole::Library && target.loader != kNoObject) {
      line("  " + said(say("came-in-for", {{"object", map_.objects[target.loader].name()},
                                           {"step", step_words(map_, target.found.step, target.found.owner)}})));
    }
  }

  void print_stage(SearchStep step) {
    const auto is_of_step = [&](const Attempt& a) { return a.step == step; };
    const auto first = std::find_if(attempts_.begin(), attempts_.end(), is_of_step);
    const auto last = std::find_if_not(first, attempts_.end(), is_of_step);
    if (first == attempts_.end() && is_over_) return;
    line("   " + std::to_string(++number_) + ". " + said(term(name_of(step))) +
         paint_.dim(said(say("in-brackets", {{"text", meaning(step)}}))));
    owner_ = kNoObject;
    if (first == attempts_.end()) {
      line("        " + said(left_out_ != 0 ? say("not-listed") : why_empty(step)));
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
      line("        " + said(say("directory-barred", {{"object", needer_.name()}})));
      return;
    }
    if (first.owner != owner_) {
      owner_ = first.owner;
      if (owner_ != kNoObject) line("      " + said(say("of-owner", {{"object", map_.objects[owner_].name()}})));
    }
    std::string heading;
    const std::string shown = first.directory.empty() ? "" : printable(first.directory);
    if (first.entry.empty() && first.step != SearchStep::DefaultDirs) {
      heading += said(say("empty-element-is", {{"path", process_.cwd}}));
    } else if (printable(first.entry) + "/" != shown && printable(first.entry) != shown) {
      heading += printable(first.entry) + "  =  " + shown;
    }
    if (!heading.empty()) line("        " + heading);

    for (const Attempt& attempt : attempts) {
      const bool is_dull = !attempt.subdirectory.empty() &&
                           (attempt.outcome == Outcome::NoSuchFile || attempt.outcome == Outcome::NoSuchDirectory ||
                            attempt.outcome == Outcome::SkippedDirectory);
      if (is_dull && options_.detail == Detail::Folded) {
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
    line(paint_.dim("      " + said(say("subdirectories-first"))));
    line(paint_.dim("       " +
                    said(say("subdirectories-folded", {{"example", folded_example_}, {"count", folded_count_}}))));
  }

  void print_left_out() {
    if (left_out_ == 0) return;
    line("      " + said(say("places-left-out", {{"count", left_out_}})));
  }

  void print_cache(const Attempt& attempt) {
    const std::string& cache = system_.rules.cache_path;
    switch (attempt.outcome) {
      case Outcome::NoCache:
        line("        " +
             said(system_.cache_problem
                      ? say("cache-ignored", {{"cache", cache}, {"reason", system_.cache_problem->message}})
                      : say("cache-not-there", {{"cache", cache}})));
        return;
      case Outcome::NotInCache:
        line("        " + said(say("cache-without", {{"cache", cache}, {"library", need_.name}})));
        return;
      case Outcome::CacheEntryBarred:
        line("        " +
             said(say("cache-entry-not-taken", {{"path", attempt.candidate}, {"object", needer_.name()}})));
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
    std::string path =
        attempt.candidate.empty() ? printable(attempt.directory + attempt.subdirectory) : printable(attempt.candidate);
    std::string what = said(outcome_of(attempt));
    constexpr std::size_t kColumn = 52;
    if (path.size() < kColumn) path.resize(kColumn, ' ');
    if (is_found(attempt.outcome)) {
      is_over_ = true;
      what = paint_.good(what);
    } else if (ends_start(attempt.outcome)) {
      is_over_ = true;
      what = paint_.bad(what);
    } else {
      what = paint_.dim(what);
    }
    line("          " + path + "  " + what);
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  const LoadedObject& needer_;
  const Need& need_;
  const WhyOptions& options_;
  Paint paint_;
  std::span<const Attempt> attempts_;
  std::uint64_t left_out_ = 0;
  int number_ = 0;
  ObjectIndex owner_ = kNoObject;  ///< of the list whose heading was printed last
  std::size_t folded_count_ = 0;
  std::string folded_example_;
  bool is_over_ = false;
  std::string text_;
};

}  // namespace

std::string trace_text(const LinkMap& map, const NeedRef& request, const WhyOptions& options) {
  return TracePrinter(map, request, options).print();
}

}  // namespace soresolve
