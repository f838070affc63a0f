// One search, stage by stage as in ld.so(8), in two details: in full, each attempt by its path, with written entries
// and subdirectories; and brief, a line a stage, directories without the file together, the paths normalised. It reads
// the recorded attempts and decides nothing; without a record there is nothing to show.
#include <algorithm>
#include <filesystem>
#include <span>

#include "loader/process.h"
#include "loader/system.h"
#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

struct Stage {
  SearchStep step;
  Words title;  ///< "1. RPATH"
  std::span<const Attempt> attempts;
};

/// What was recorded of one search.
struct Search {
  Search(const LinkMap& its_map, const NeedRef& its_request)
      : map(its_map), request(its_request), need(map.objects[request.needer].needs[request.need]) {
    if (need.trace >= map.traces.size()) return;
    attempts = map.traces[need.trace].attempts;
    left_out = map.traces[need.trace].left_out;
  }

  [[nodiscard]] bool begins_with(SearchStep step) const { return !attempts.empty() && attempts.front().step == step; }
  [[nodiscard]] Statement taken_from() const {
    const LoadedObject& target = map.objects[need.target];
    return say("taken-from-loaded",
               {{"how", term(name_of(need.resolution))}, {"path", target.path.empty() ? target.name() : target.path}});
  }
  /// Why the stage made no attempt.
  [[nodiscard]] Statement silence(SearchStep step) const {
    return left_out != 0 ? say("not-listed") : why_no_attempt(map, request, step);
  }
  /// In the loader's order, up to the one that ends the search.
  [[nodiscard]] std::vector<Stage> stages() const {
    std::vector<Stage> stages;
    bool is_over = false;
    for (const SearchStep step : {SearchStep::Rpath, SearchStep::LibraryPath, SearchStep::Runpath, SearchStep::Cache,
                                  SearchStep::DefaultDirs}) {
      const auto is_of_step = [&](const Attempt& a) { return a.step == step; };
      const auto first = std::find_if(attempts.begin(), attempts.end(), is_of_step);
      const auto last = std::find_if_not(first, attempts.end(), is_of_step);
      if (first == attempts.end() && is_over) continue;
      stages.push_back({step, Words::number(stages.size() + 1) + ". " + term(name_of(step)), {first, last}});
      is_over = is_over || std::any_of(first, last, [](const Attempt& attempt) {
                  return is_found(attempt.outcome) || ends_start(attempt.outcome);
                });
    }
    return stages;
  }

  const LinkMap& map;
  NeedRef request;
  const Need& need;
  std::span<const Attempt> attempts;
  std::uint64_t left_out = 0;
};

constexpr std::size_t kDirectoriesShown = 4;

/// A miss in a processor-specific subdirectory, which the miss in its directory stands for.
bool is_dull(const Attempt& attempt) {
  return !attempt.subdirectory.empty() &&
         (attempt.outcome == Outcome::NoSuchFile || attempt.outcome == Outcome::NoSuchDirectory ||
          attempt.outcome == Outcome::SkippedDirectory);
}

/// `a/../b` is `b` for a reader; the loader opens it as it is written.
std::string directory_for_people(std::string_view directory) {
  std::string plain = std::filesystem::path(directory).lexically_normal().string();
  while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
  return plain;
}

/// What is taken, what ends the start, and what the cache says.
Words words_of_one(const Search& search, const Attempt& attempt) {
  if (const Statement words = words_without_path(search.map, search.request, attempt); !words.empty()) return words;
  const Words outcome = outcome_words(attempt);
  return Words::foreign(attempt.candidate) + ": " + (is_found(attempt.outcome) ? good(outcome) : bad(outcome));
}

/// That the loader knows of a directory from before is of no interest here.
Outcome plain(Outcome outcome) { return outcome == Outcome::SkippedDirectory ? Outcome::NoSuchDirectory : outcome; }
bool is_like(const Attempt& a, const Attempt& b) {
  return plain(a.outcome) == plain(b.outcome) && a.error == b.error && a.text == b.text;
}

/// Neighbours with one outcome are told together.
Words what_came_of(const Search& search, std::span<const Attempt> stage) {
  Words words;
  for (std::size_t i = 0; i < stage.size();) {
    if (is_dull(stage[i])) {
      ++i;
      continue;
    }
    if (!words.empty()) words += "; ";
    const bool is_alone = is_found(stage[i].outcome) || ends_start(stage[i].outcome) ||
                          stage[i].step == SearchStep::Cache || stage[i].outcome == Outcome::DefaultDirsBarred;
    if (is_alone) {
      words += words_of_one(search, stage[i++]);
      continue;
    }
    NameList directories;
    std::size_t end = i;
    for (; end < stage.size() && (is_dull(stage[end]) || is_like(stage[i], stage[end])); ++end) {
      if (is_dull(stage[end])) continue;
      if (directories.shown.size() < kDirectoriesShown) {
        directories.shown.push_back(directory_for_people(stage[end].directory));
      } else {
        ++directories.more;
      }
    }
    const Statement reason = stage[i].outcome == Outcome::SkippedDirectory ? term(name_of(Outcome::NoSuchDirectory))
                                                                           : outcome_words(stage[i]);
    words += say("name-reason", {{"name", directories}, {"reason", reason}});
    i = end;
  }
  return words;
}

class SearchPage {
 public:
  explicit SearchPage(const Search& search) : search_(search), map_(search.map) {}

  Page make() {
    if (search_.begins_with(SearchStep::AlreadyLoaded)) {
      print_already_loaded();
    } else if (search_.begins_with(SearchStep::Path)) {
      page_.line(say("name-has-slash"), 2);
      print_attempt(search_.attempts.front());
    } else if (search_.need.resolution == HowFound::EmptyToken) {
      page_.line(say("token-without-value"), 2);
    } else {
      page_.line(say("searches-in-order"), 2);
      for (const Stage& stage : search_.stages()) print_stage(stage);
      if (search_.left_out != 0) page_.line(say("places-left-out", {{"count", search_.left_out}}), 6);
    }
    return std::move(page_);
  }

 private:
  void print_already_loaded() {
    const LoadedObject& target = map_.objects[search_.need.target];
    page_.line(search_.taken_from(), 2);
    if (target.role == ObjectRole::Library && target.loader != kNoObject) {
      page_.line(say("came-in-for", {{"object", map_.objects[target.loader].name()},
                                     {"step", step_words(map_, target.found.step, target.found.owner)}}),
                 2);
    }
  }

  void print_stage(const Stage& stage) {
    page_.line(stage.title + dim(say("in-brackets", {{"text", meaning(stage.step)}})), 3);
    owner_ = kNoObject;
    if (stage.attempts.empty()) page_.line(search_.silence(stage.step), 8);
    for (std::size_t i = 0; i < stage.attempts.size();) {
      const Attempt& first = stage.attempts[i];
      std::size_t end = i + 1;
      while (end < stage.attempts.size() && stage.attempts[end].directory == first.directory &&
             stage.attempts[end].owner == first.owner && stage.attempts[end].entry == first.entry) {
        ++end;
      }
      print_directory(stage.attempts.subspan(i, end - i));
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
    if (const Statement words = words_without_path(map_, search_.request, first); !words.empty())
      return page_.line(words, 8);
    if (first.step == SearchStep::Cache) return print_attempt(first);
    if (first.owner != owner_) {
      owner_ = first.owner;
      if (owner_ != kNoObject) page_.line(say("of-owner", {{"object", map_.objects[owner_].name()}}), 6);
    }
    Words heading;
    if (first.entry.empty() && first.step != SearchStep::DefaultDirs) {
      heading += say("empty-element-is", {{"path", map_.process->cwd}});
    } else if (first.entry + "/" != first.directory && first.entry != first.directory) {
      heading += Words::foreign(first.entry) + "  =  " + Words::foreign(first.directory);
    }
    if (!heading.empty()) page_.line(heading, 8);

    for (const Attempt& attempt : attempts) print_attempt(attempt);
  }

  void print_attempt(const Attempt& attempt) {
    const std::string path = attempt.candidate.empty() ? attempt.directory + attempt.subdirectory : attempt.candidate;
    const Tone tone = is_found(attempt.outcome) ? Tone::Good : ends_start(attempt.outcome) ? Tone::Bad : Tone::Dim;
    page_.line(Words::foreign(path) + Words::stop(52) + "  " + Words(outcome_words(attempt)).in(tone), 10);
  }

  const Search& search_;
  const LinkMap& map_;
  ObjectIndex owner_ = kNoObject;  ///< of the list whose heading was printed last
  Page page_;
};

}  // namespace

Page search_page(const LinkMap& map, const NeedRef& request) { return SearchPage(Search(map, request)).make(); }

std::vector<StageLine> brief_search(const LinkMap& map, const NeedRef& request) {
  const Search search(map, request);
  if (search.begins_with(SearchStep::AlreadyLoaded)) return {{{}, search.taken_from()}};
  if (search.begins_with(SearchStep::Path)) {
    const Words outcome = outcome_words(search.attempts.front());
    return {{{}, say("name-has-slash")}, {{}, Words::foreign(search.need.name) + ": " + outcome}};
  }
  if (search.need.resolution == HowFound::EmptyToken) return {{{}, say("token-without-value")}};
  std::vector<StageLine> lines;
  for (Stage& stage : search.stages()) {
    Words outcome = stage.attempts.empty() ? search.silence(stage.step) : what_came_of(search, stage.attempts);
    const bool is_usual = stage.attempts.empty() || stage.step == SearchStep::DefaultDirs ||
                          (stage.step == SearchStep::Cache && stage.attempts.front().candidate.empty());
    lines.push_back({std::move(stage.title), std::move(outcome), is_usual});
  }
  if (search.left_out != 0) lines.push_back({{}, say("places-left-out", {{"count", search.left_out}})});
  return lines;
}

}  // namespace soresolve
