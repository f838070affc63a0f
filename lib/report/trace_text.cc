// The text of one search, stage by stage as in ld.so(8); misses in hwcaps subdirectories are folded into one line. It
// reads the recorded attempts and decides nothing; without a record there is nothing to show.
#include "report/trace_text.h"

#include <algorithm>
#include <span>

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
      line("  the name has a slash: ld.so opens exactly that file");
      print_attempt(attempts_.front());
    } else if (need_.resolution == HowFound::EmptyToken) {
      line("  a token in the name has no value here: ld.so skips the entry silently");
    } else {
      line("  ld.so searches, in this order:");
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

  void print_already_loaded() {
    const LoadedObject& target = map_.objects[need_.target];
    line("  taken from what is loaded already, without a search (" + std::string(name_of(need_.resolution)) +
         "): " + printable(target.path.empty() ? target.name() : target.path));
    if (target.role == ObjectRole::Library && target.loader != kNoObject) {
      line("  it came in for " + display_name(map_, target.loader) + ", by " +
           describe_step(map_, target.found.step, target.found.owner));
    }
  }

  void print_stage(SearchStep step) {
    const auto is_of_step = [&](const Attempt& a) { return a.step == step; };
    const auto first = std::find_if(attempts_.begin(), attempts_.end(), is_of_step);
    const auto last = std::find_if_not(first, attempts_.end(), is_of_step);
    if (first == attempts_.end() && is_over_) return;
    const std::string title = "   " + std::to_string(++number_) + ". " + std::string(name_of(step)) +
                              paint_.dim(" (" + std::string(meaning(step)) + ")");
    line(title);
    owner_ = kNoObject;
    if (first == attempts_.end()) {
      line("        " + (left_out_ != 0 ? std::string("not listed") : why_empty(step)));
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
  [[nodiscard]] static std::string_view meaning(SearchStep step) {
    switch (step) {
      case SearchStep::Rpath: return "directories named in the files, handed down to what they load";
      case SearchStep::LibraryPath: return "the environment variable";
      case SearchStep::Runpath: return "directories named in the file that needs it";
      case SearchStep::Cache: return "the index that ldconfig makes";
      case SearchStep::DefaultDirs: return "built into ld.so";
      default: return "";
    }
  }

  /// Why a stage made no attempt.
  [[nodiscard]] std::string why_empty(SearchStep step) const {
    switch (step) {
      case SearchStep::Rpath:
        if (needer_.elf.runpath) {
          return "not used: " + printable(needer_.name()) +
                 " has a RUNPATH, which switches every RPATH off for what it needs";
        }
        return "none: neither " + printable(needer_.name()) + " nor what loaded it has one";
      case SearchStep::LibraryPath:
        if (const auto value = process_.environment.value("LD_LIBRARY_PATH"); value && !value->empty()) {
          return process_.secure ? "ignored: the program runs with raised rights (AT_SECURE)"
                                 : "no usable directory in it";
        }
        return "not set";
      case SearchStep::Runpath:
        if (needer_.elf.runpath) return "no usable directory in it";
        return "none: " + printable(needer_.name()) + " has none";
      case SearchStep::Cache: return "not asked";
      default: return "none";
    }
  }

  /// All subdirectories of one directory: a line for the directory itself, the misses in its
  /// capability subdirectories folded into one.
  void print_directory(std::span<const Attempt> attempts) {
    const Attempt& first = attempts.front();
    if (first.step == SearchStep::Cache) return print_cache(first);
    if (first.outcome == Outcome::DefaultDirsBarred) {
      line("        not searched: " + printable(needer_.name()) + " is linked with DF_1_NODEFLIB");
      return;
    }
    if (first.owner != owner_) {
      owner_ = first.owner;
      if (owner_ != kNoObject) line("      of " + display_name(map_, owner_) + ":");
    }
    std::string heading;
    const std::string shown = first.directory.empty() ? "" : printable(first.directory);
    if (first.entry.empty() && first.step != SearchStep::DefaultDirs) {
      heading += "(empty element: the current directory, " + printable(process_.cwd) + ")";
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
    line(
        paint_.dim("      (inside each directory ld.so first tries processor-specific "
                   "subdirectories such as"));
    line(paint_.dim("       " + printable(folded_example_) + "; " + std::to_string(folded_count_) +
                    " of them, all without the file, are not shown: -v lists them)"));
  }

  void print_left_out() {
    if (left_out_ == 0) return;
    line("      and " + std::to_string(left_out_) + " further places without it, which are counted and not listed");
  }

  void print_cache(const Attempt& attempt) {
    const std::string cache = printable(system_.rules.cache_path);
    switch (attempt.outcome) {
      case Outcome::NoCache:
        line("        " + cache +
             (system_.cache_problem ? " is ignored: " + printable(system_.cache_problem->message)
                                    : std::string(" does not exist")));
        return;
      case Outcome::NotInCache: line("        " + cache + " has no entry for " + printable(need_.name)); return;
      case Outcome::CacheEntryBarred:
        line("        " + printable(attempt.candidate) + " is not taken: " + printable(needer_.name()) +
             " is linked with DF_1_NODEFLIB");
        return;
      default: print_attempt(attempt);
    }
  }

  void print_attempt(const Attempt& attempt) {
    std::string path =
        attempt.candidate.empty() ? printable(attempt.directory + attempt.subdirectory) : printable(attempt.candidate);
    std::string what(name_of(attempt.outcome));
    switch (attempt.outcome) {
      case Outcome::OpenFailed:
        what += ": " + errno_text(attempt.error, ErrnoText::FromDlerror) + " (ld.so leaves this list)";
        break;
      case Outcome::WrongClass:
      case Outcome::WrongMachine: what += ", passed over"; break;
      case Outcome::Fatal:
      case Outcome::WouldCrash:
      case Outcome::WouldBlock: what += ": " + printable(attempt.text); break;
      default: break;
    }
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
