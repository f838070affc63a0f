// The order of a survey: find files, judge programs, then what nobody needs by name, then what no root has loaded;
// then say what is wrong with those that fail, and try fixes (causes.cc). Each step works on several threads, a World
// each, and begins when the one before it is over: so what is reached does not depend on who was quicker.
#include "soresolve/survey.h"

#include <sys/resource.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/enum_names.h"
#include "base/parallel.h"
#include "base/path.h"
#include "survey/causes.h"
#include "survey/file_finder.h"
#include "survey/judge.h"
#include "survey/problem_groups.h"
#include "survey/process_roots.h"

namespace soresolve {

std::string_view name_of(SurveyedAs as) {
  using enum SurveyedAs;
  static constexpr auto kNames = enum_names<SurveyedAs>(
      {{Program, "program"}, {Root, "root"}, {Reached, "reached"}, {Library, "library"}, {Unjudged, "unjudged"}});
  return kNames[as];
}

std::string_view name_of(SurveyLinkKind kind) {
  using enum SurveyLinkKind;
  static constexpr auto kNames = enum_names<SurveyLinkKind>({{Filter, "filter"},
                                                             {Auxiliary, "auxiliary"},
                                                             {Preload, "preload"},
                                                             {Process, "process"},
                                                             {Note, "note"},
                                                             {Known, "known"}});
  return kNames[kind];
}

namespace {

struct HashOfId {
  std::size_t operator()(const FileId& id) const {
    return std::hash<std::uint64_t>()(id.inode * 0x9e3779b97f4a7c15u ^ id.device);
  }
};

/// Peak of the memory that this process has had.
std::size_t most_resident_bytes() {
  constexpr std::size_t kKiB = 1024;
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::size_t>(usage.ru_maxrss) * kKiB : 0;
}

class Surveyor {
 public:
  Surveyor(const WorldSettings& settings, const SurveyOptions& options) : options_(options) {
    WorldSettings shared = settings;
    if (!shared.store) shared.store = make_object_store();
    if (!shared.where.known) shared.where.known = make_known_tree();
    for (unsigned i = 0; i < std::max(1u, options.jobs); ++i) worlds_.emplace_back(shared);
  }

  Result<Survey> run(const std::vector<std::string>& places) {
    const Result<std::shared_ptr<const FileSystem>> files = worlds_.front().files();
    if (!files) return Unexpected{files.error()};
    files_ = *files;
    if (std::optional<Error> error = find(places.empty() ? std::vector<std::string>{"/"} : places)) {
      return Unexpected{std::move(*error)};
    }
    judge_all(programs(), SurveyedAs::Program);
    judge_all(unneeded(), SurveyedAs::Root);
    judge_all(rest(), SurveyedAs::Library);
    return finish();
  }

  /// The same of the objects of a process. Its program comes first, since it has to start.
  Result<Survey> run_process() {
    const Result<Resolution> running = worlds_.front().resolve_running();
    if (!running) return Unexpected{running.error()};
    const Result<std::shared_ptr<const FileSystem>> files = worlds_.front().files();
    if (!files) return Unexpected{files.error()};
    files_ = *files;
    take_process(files_of_process(running->map(), *files_));
    survey_.remarks = running->map().notes;
    judge_all(programs(), SurveyedAs::Program);
    judge_all(opened(), SurveyedAs::Root);
    note_not_loaded();
    return finish();
  }

 private:
  Result<Survey> finish() {
    settle_reached();
    find_causes(survey_, {worlds_, options_, files_, is_program_, is_of_tree_,
                          [this](SurveyIndex root) { return question_of(root); }, questions_.empty(),
                          [this] { return is_stopped(); }});
    count_roots(survey_);
    survey_.is_out_of_memory = is_out_of_memory_;
    survey_.is_interrupted = is_interrupted();
    return std::move(survey_);
  }

  [[nodiscard]] bool is_interrupted() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_stopped() {
    if (is_interrupted()) return true;
    if (options_.max_resident_bytes == 0) return false;
    if (!is_out_of_memory_ && most_resident_bytes() > options_.max_resident_bytes) is_out_of_memory_ = true;
    return is_out_of_memory_;
  }

  std::optional<Error> find(const std::vector<std::string>& places) {
    FindOptions find_options;
    find_options.jobs = options_.jobs;
    find_options.is_stopped = [this] { return is_stopped(); };
    find_options.found = [this](std::size_t count) { tell(count, 0, true); };
    FoundFiles found = find_files(*files_, places, find_options);
    const auto is_missing = [&](const std::string& place) {
      return std::any_of(found.skipped.begin(), found.skipped.end(), [&](const SurveySkip& skip) {
        return skip.path == place && skip.why == SurveySkip::Why::Unreadable;
      });
    };
    if (found.dynamic.empty() && std::all_of(places.begin(), places.end(), is_missing)) {
      const SurveySkip& first = found.skipped.front();
      return Error{ErrorCode::Unreadable, first.path, {}, first.reason};
    }
    survey_.skipped = std::move(found.skipped);
    add_gaps();
    survey_.counts.entries = found.entries;
    survey_.counts.files = found.files;
    survey_.counts.not_dynamic = found.not_dynamic;
    survey_.counts.static_programs = found.static_programs;
    survey_.files.reserve(found.dynamic.size());
    for (FoundFile& file : found.dynamic) add_file(std::move(file));
    is_reached_.resize(survey_.files.size());
    return std::nullopt;
  }

  /// What the root should have and has not.
  void add_gaps() {
    const std::shared_ptr<const Place> place = worlds_.front().place();
    if (!place) return;
    for (const PlaceGap& gap : place->gaps) {
      survey_.skipped.push_back(
          {gap.path, SurveySkip::Why::Unreadable, gap.reason, may_be_loaded(file_name_of(gap.path))});
    }
  }

  void add_file(FoundFile file) {
    const SurveyIndex index = static_cast<SurveyIndex>(survey_.files.size());
    by_id_[file.id].push_back(index);
    by_path_.emplace(file.path, index);
    for (const std::string& need : file.needs) needed_.insert(std::string(file_name_of(need)));
    is_program_.push_back(file.is_program);
    SurveyedFile entry;
    entry.path = std::move(file.path);
    entry.soname = std::move(file.soname);
    entry.needs = std::move(file.needs);
    entry.target = file.target;
    survey_.files.push_back(std::move(entry));
  }

  void take_process(ProcessFiles process) {
    std::sort(process.files.begin(), process.files.end(),
              [](const ProcessFile& a, const ProcessFile& b) { return a.file.path < b.file.path; });
    for (ProcessFile& one : process.files) {
      const SurveyIndex index = static_cast<SurveyIndex>(survey_.files.size());
      if (one.root) questions_.emplace(index, std::move(*one.root));
      add_file(std::move(one.file));
    }
    is_reached_.resize(survey_.files.size());
    survey_.skipped = std::move(process.skipped);
    survey_.counts.files = survey_.files.size();
  }

  [[nodiscard]] RootQuestion question_of(SurveyIndex root) const {
    const auto known = questions_.find(root);
    const std::string& path = survey_.files[root].path;
    return known == questions_.end() ? RootQuestion{path, path, {}} : known->second;
  }

  /// What the dlopen calls of a process have opened.
  [[nodiscard]] std::vector<SurveyIndex> opened() const {
    std::vector<SurveyIndex> list;
    for (SurveyIndex i = 0; i < survey_.files.size(); ++i) {
      if (!is_program_[i] && questions_.contains(i)) list.push_back(i);
    }
    return list;
  }

  /// The process has it, and would not have it again: another file is found for its name, or its needer fails. Both are
  /// known, so that nothing is left open.
  void note_not_loaded() {
    for (SurveyIndex i = 0; i < survey_.files.size() && !is_stopped(); ++i) {
      if (!is_open(i)) continue;
      survey_.skipped.push_back({survey_.files[i].path, SurveySkip::Why::Unjudged,
                                 "is loaded, and no start of the process with the same dlopen calls would load it now",
                                 false});
      is_missing_.insert(i);
    }
  }

  [[nodiscard]] std::vector<SurveyIndex> programs() const {
    std::vector<SurveyIndex> list;
    for (SurveyIndex i = 0; i < survey_.files.size(); ++i) {
      // libc.so.6 has an interpreter, too: it is a library that can be started.
      if (is_program_[i] && (survey_.files[i].soname.empty() || questions_.contains(i))) list.push_back(i);
    }
    return list;
  }

  [[nodiscard]] bool is_needed(const SurveyedFile& file) const {
    return needed_.contains(std::string(file_name_of(file.path))) ||
           (!file.soname.empty() && needed_.contains(file.soname));
  }

  [[nodiscard]] std::vector<SurveyIndex> unneeded() const {
    std::vector<SurveyIndex> list;
    for (SurveyIndex i = 0; i < survey_.files.size(); ++i) {
      if (is_open(i) && !is_needed(survey_.files[i])) list.push_back(i);
    }
    return list;
  }

  [[nodiscard]] std::vector<SurveyIndex> rest() const {
    std::vector<SurveyIndex> list;
    for (SurveyIndex i = 0; i < survey_.files.size(); ++i) {
      if (is_open(i)) list.push_back(i);
    }
    return list;
  }

  [[nodiscard]] bool is_open(SurveyIndex i) const {
    return survey_.files[i].as == SurveyedAs::Unjudged && !is_reached_[i] && !is_missing_.contains(i);
  }

  /// Files of one directory are one piece of work, in their order: modules of one program lie together, and who it is
  /// is found once.
  void judge_all(const std::vector<SurveyIndex>& list, SurveyedAs as) {
    std::vector<std::pair<std::size_t, std::size_t>> pieces;
    constexpr std::size_t kMostOfOne = 64;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool is_same = !pieces.empty() && i - pieces.back().first < kMostOfOne &&
                           directory_of(survey_.files[list[i]].path) == directory_of(survey_.files[list[i - 1]].path);
      if (is_same) {
        ++pieces.back().second;
      } else {
        pieces.emplace_back(i, i + 1);
      }
    }
    std::vector<std::optional<Judged>> judged(list.size());
    for_each_index(pieces.size(), options_.jobs, [&](unsigned thread, std::size_t piece) {
      for (std::size_t i = pieces[piece].first; i < pieces[piece].second && !is_stopped(); ++i) {
        judged[i] = judge(worlds_[thread], question_of(list[i]), options_, is_of_tree_);
        tell(survey_.files.size(), judged_so_far_.fetch_add(1) + 1, false);
      }
    });
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (judged[i]) take(list[i], as, std::move(*judged[i]));
    }
  }

  void take(SurveyIndex index, SurveyedAs as, Judged judged) {
    SurveyedFile& file = survey_.files[index];
    if (judged.error) {
      is_missing_.insert(index);
      const bool has_no_loader = judged.error->code == ErrorCode::NoLoader;
      survey_.skipped.push_back({file.path, has_no_loader ? SurveySkip::Why::NoLoader : SurveySkip::Why::Unjudged,
                                 judged.error->message, true});
      return;
    }
    file.as = as;
    file.verdict = judged.verdict;
    file.process = std::move(judged.process);
    file.depends_on = std::move(judged.depends_on);
    // What a file that is opened later needs is in the process; it is judged elsewhere as well.
    std::vector<SurveyIndex> reached;
    std::vector<SurveyIndex> index_of;
    for (const LoadedFile& loaded : judged.loaded) {
      const std::optional<SurveyIndex> known = find_file(loaded);
      index_of.push_back(known ? *known : outside(loaded));
      if (!known && !loaded.is_opened_later) file.loads_others.push_back(survey_.path_of(index_of.back()));
      if (!known || *known == index) continue;
      file.loads.push_back(*known);
      if (!loaded.is_opened_later) reached.push_back(*known);
    }
    sort_and_unique(file.loads);
    sort_and_unique(reached);
    for (const SurveyIndex loaded : reached) {
      is_reached_[loaded] = true;
      std::optional<SurveyIndex>& root = survey_.files[loaded].root;
      // A root that works is the better witness.
      const bool is_better =
          !root || (survey_.files[*root].verdict == Verdict::Fails && file.verdict != Verdict::Fails);
      if (is_better) root = index;
    }
    note_targets(index, judged, index_of);
    note_links(index, judged, index_of);
  }

  static void sort_and_unique(std::vector<SurveyIndex>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  /// Calls `visit` with the file of the tree, or the one outside.
  template <class Visit>
  void with_file(SurveyIndex index, Visit visit) {
    if (index < survey_.files.size()) {
      visit(survey_.files[index]);
    } else {
      visit(survey_.outside[index - survey_.files.size()]);
    }
  }

  /// Where the needs of all files of a process lead: kept where that differs from what is known.
  void note_targets(SurveyIndex root, const Judged& judged, const std::vector<SurveyIndex>& index_of) {
    const auto file_at = [&](LoadedIndex at) { return at == kNotLoaded ? kNoFile : index_of[at]; };
    for (std::size_t i = 0; i < judged.loaded.size(); ++i) {
      const LoadedFile& loaded = judged.loaded[i];
      with_file(index_of[i], [&](auto& file) {
        // A process that ends before it comes to the file's needs says nothing of them.
        if (loaded.target_count == 0 || loaded.target_count != file.needs.size()) return;
        const LoadedIndex* const targets = judged.targets.data() + loaded.first_target;
        if (file.targets.empty()) {
          for (std::uint32_t need = 0; need < loaded.target_count; ++need) {
            file.targets.push_back(file_at(targets[need]));
          }
          return;
        }
        for (std::uint32_t need = 0; need < loaded.target_count; ++need) {
          const SurveyIndex target = file_at(targets[need]);
          if (target != file.targets[need]) file.exceptions.push_back({root, need, target});
        }
      });
    }
  }

  void note_links(SurveyIndex root, Judged& judged, const std::vector<SurveyIndex>& index_of) {
    for (LoadedLink& link : judged.links) {
      SurveyLink reported{link.kind, std::move(link.name), link.target == kNotLoaded ? kNoFile : index_of[link.target]};
      const SurveyIndex opener = link.opener == kNotLoaded ? root : index_of[link.opener];
      if (reported.target == root && reported.kind == SurveyLinkKind::Process) continue;
      with_file(opener, [&](auto& file) {
        if (std::find(file.links.begin(), file.links.end(), reported) == file.links.end()) {
          file.links.push_back(std::move(reported));
        }
      });
    }
  }

  SurveyIndex outside(const LoadedFile& loaded) {
    const SurveyIndex next = static_cast<SurveyIndex>(survey_.files.size() + survey_.outside.size());
    if (loaded.id != FileId{}) {
      const auto [same, is_new_id] = outside_by_id_.try_emplace(loaded.id, next);
      if (!is_new_id) return same->second;
    }
    const Result<std::string, Errno> real = files_->real_path(loaded.path);
    const auto [at, is_new] = outside_by_path_.try_emplace(real ? *real : loaded.path, next);
    if (loaded.id != FileId{}) outside_by_id_[loaded.id] = at->second;
    if (is_new) survey_.outside.push_back({at->first, {}, {}, {}, {}, {}});
    OutsideFile& file = survey_.outside[at->second - survey_.files.size()];
    if (file.soname.empty()) file.soname = loaded.soname;
    if (file.needs.empty()) file.needs = loaded.needs;
    return at->second;
  }

  /// Hard links are one file with several paths: then the path decides.
  [[nodiscard]] std::optional<SurveyIndex> find_file(const LoadedFile& loaded) const {
    if (loaded.id != FileId{}) {
      const auto same = by_id_.find(loaded.id);
      if (same == by_id_.end()) return std::nullopt;
      if (same->second.size() == 1) return same->second.front();
    }
    const Result<std::string, Errno> real = files_->real_path(loaded.path);
    const auto found = by_path_.find(real ? *real : loaded.path);
    return found == by_path_.end() ? std::nullopt : std::optional<SurveyIndex>(found->second);
  }

  void settle_reached() {
    for (SurveyedFile& file : survey_.files) {
      if (file.is_root()) {
        file.root.reset();
      } else if (file.root) {
        file.as = SurveyedAs::Reached;
        file.verdict = survey_.files[*file.root].verdict;
      }
    }
    pass_over_foreign();
    // With what could not be asked.
    std::stable_sort(survey_.skipped.begin(), survey_.skipped.end(),
                     [](const SurveySkip& a, const SurveySkip& b) { return a.path < b.path; });
  }

  /// What is for another machine than everything that was judged, and has no loader here, is loaded by nothing here.
  void pass_over_foreign() {
    std::vector<ElfTarget> here;
    for (const SurveyedFile& file : survey_.files) {
      const bool is_new = std::find(here.begin(), here.end(), file.target) == here.end();
      if (file.as != SurveyedAs::Unjudged && is_new) here.push_back(file.target);
    }
    if (here.empty()) return;
    for (SurveySkip& skip : survey_.skipped) {
      if (skip.why != SurveySkip::Why::NoLoader) continue;
      const auto file = by_path_.find(skip.path);
      skip.is_open = file == by_path_.end() ||
                     std::find(here.begin(), here.end(), survey_.files[file->second].target) != here.end();
    }
  }

  void tell(std::size_t found, std::size_t judged, bool is_finding) {
    if (!options_.progress) return;
    const std::lock_guard lock(progress_mutex_);
    options_.progress({found, judged, is_finding});
  }

  const SurveyOptions& options_;
  std::vector<World> worlds_;  ///< one for each thread
  std::shared_ptr<const FileSystem> files_;
  Survey survey_;
  std::vector<bool> is_program_;
  std::vector<bool> is_reached_;
  std::set<SurveyIndex> is_missing_;
  std::unordered_map<SurveyIndex, RootQuestion> questions_;  ///< of a process; of a tree a file is its own
  std::unordered_map<FileId, std::vector<SurveyIndex>, HashOfId> by_id_;
  const IsInTree is_of_tree_ = [this](const FileId& id) { return by_id_.contains(id); };
  std::unordered_map<std::string, SurveyIndex> by_path_;
  std::unordered_map<FileId, SurveyIndex, HashOfId> outside_by_id_;
  std::unordered_map<std::string, SurveyIndex> outside_by_path_;
  std::unordered_set<std::string> needed_;  ///< the last parts of all names that files need
  std::atomic<std::size_t> judged_so_far_ = 0;
  std::atomic<bool> is_out_of_memory_ = false;
  std::mutex progress_mutex_;
};

}  // namespace

Result<Survey> survey(const WorldSettings& settings, const std::vector<std::string>& places,
                      const SurveyOptions& options) {
  return Surveyor(settings, options).run(places);
}

Result<Survey> survey_process(const WorldSettings& settings, const SurveyOptions& options) {
  return Surveyor(settings, options).run_process();
}

}  // namespace soresolve
