// One search in a few lines: a line a stage, directories without the file together, the paths normalised. What it
// leaves out (written entries, processor-specific subdirectories, every single attempt) is on search_page.cc's page.
#include <algorithm>
#include <filesystem>
#include <span>

#include "report/names.h"
#include "report/page.h"
#include "report/pages.h"

namespace soresolve {
namespace {

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

class BriefSearch {
 public:
  BriefSearch(const LinkMap& map, const NeedRef& request)
      : map_(map), request_(request), need_(map.objects[request.needer].needs[request.need]) {
    if (need_.trace >= map.traces.size()) return;
    attempts_ = map.traces[need_.trace].attempts;
    left_out_ = map.traces[need_.trace].left_out;
  }

  std::vector<StageLine> make() {
    if (!attempts_.empty() && attempts_.front().step == SearchStep::AlreadyLoaded) {
      const LoadedObject& target = map_.objects[need_.target];
      return {{{},
               say("taken-from-loaded", {{"how", term(name_of(need_.resolution))},
                                         {"path", target.path.empty() ? target.name() : target.path}})}};
    }
    if (!attempts_.empty() && attempts_.front().step == SearchStep::Path) {
      return {{{}, say("name-has-slash")}, {{}, Words::foreign(need_.name) + ": " + outcome_words(attempts_.front())}};
    }
    if (need_.resolution == HowFound::EmptyToken) return {{{}, say("token-without-value")}};
    for (const SearchStep step : {SearchStep::Rpath, SearchStep::LibraryPath, SearchStep::Runpath, SearchStep::Cache,
                                  SearchStep::DefaultDirs}) {
      add_stage(step);
    }
    if (left_out_ != 0) lines_.push_back({{}, say("places-left-out", {{"count", left_out_}})});
    return std::move(lines_);
  }

 private:
  void add_stage(SearchStep step) {
    const auto is_of_step = [&](const Attempt& a) { return a.step == step; };
    const auto first = std::find_if(attempts_.begin(), attempts_.end(), is_of_step);
    const auto last = std::find_if_not(first, attempts_.end(), is_of_step);
    if (first == attempts_.end() && is_over_) return;
    Words stage = Words::number(++number_) + ". " + term(name_of(step));
    if (first == attempts_.end()) {
      lines_.push_back({stage, left_out_ != 0 ? say("not-listed") : why_no_attempt(map_, request_, step)});
      return;
    }
    lines_.push_back({stage, what_came_of({first, last})});
  }

  /// Neighbours with one outcome are told together.
  [[nodiscard]] Words what_came_of(std::span<const Attempt> stage) {
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
        words += one(stage[i++]);
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

  /// That the loader knows of a directory from before is of no interest here.
  static Outcome told(Outcome outcome) {
    return outcome == Outcome::SkippedDirectory ? Outcome::NoSuchDirectory : outcome;
  }
  static bool is_like(const Attempt& a, const Attempt& b) {
    return told(a.outcome) == told(b.outcome) && a.error == b.error && a.text == b.text;
  }

  /// What is taken, what ends the start, and what the cache says.
  [[nodiscard]] Words one(const Attempt& attempt) {
    if (const Statement words = words_without_path(map_, request_, attempt); !words.empty()) return words;
    const bool is_taken = is_found(attempt.outcome);
    is_over_ = is_over_ || is_taken || ends_start(attempt.outcome);
    const Words outcome = outcome_words(attempt);
    return Words::foreign(attempt.candidate) + ": " + (is_taken ? good(outcome) : bad(outcome));
  }

  const LinkMap& map_;
  NeedRef request_;
  const Need& need_;
  std::span<const Attempt> attempts_;
  std::uint64_t left_out_ = 0;
  int number_ = 0;
  bool is_over_ = false;
  std::vector<StageLine> lines_;
};

}  // namespace

std::vector<StageLine> brief_search(const LinkMap& map, const NeedRef& request) {
  return BriefSearch(map, request).make();
}

}  // namespace soresolve
