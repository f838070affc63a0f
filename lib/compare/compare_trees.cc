// Every program and module of two roots: what differs is found first, then which processes it can reach, and only these
// are walked on both sides.
//
// A process can be reached by what differs if it needs, itself or through others, a name that leads elsewhere: of a
// file that came, went or offers less, of a link, of an entry of ld.so.cache, of a file in a directory of
// LD_LIBRARY_PATH. Where what counts for all differs (the loader's rules, preloads, a link to a directory), all are
// walked. A library that is another file but asks for the same and offers all that it did is reported as changed, and
// its needers are not walked for it. What is opened later is not looked at.
#include "compare/comparisons.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/parallel.h"
#include "base/path.h"
#include "compare/compare_file.h"
#include "compare/package_changes.h"
#include "compare/tree_pairs.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

constexpr std::size_t kMostFixes = 8;  // causes for which one is tried

/// What the processes of a side start with.
struct SideFacts {
  std::shared_ptr<const FileSystem> files;
  std::shared_ptr<const System> system;  ///< nullptr: there is no loader
  Environment environment;
};

Environment environment_of(const WorldSettings& settings) {
  return Environment(settings.start.inherits() ? settings.start.inherited : settings.start.env);
}

std::string value_in(const SideFacts& side, std::string_view name) {
  return std::string(side.environment.value(name).value_or(std::string_view()));
}

class TreeComparer {
 public:
  TreeComparer(const WorldSettings& a, const WorldSettings& b, const CompareOptions& options)
      : settings_a_(a), settings_b_(b), options_(options) {
    if (!settings_a_.store) settings_a_.store = make_object_store();
    if (!settings_b_.store) settings_b_.store = make_object_store();
  }

  Result<TreeComparison> run() {
    World world_a(settings_a_);
    World world_b(settings_b_);
    if (std::optional<Error> error = read_side(world_a, settings_a_, a_)) return Unexpected{std::move(*error)};
    if (std::optional<Error> error = read_side(world_b, settings_b_, b_)) return Unexpected{std::move(*error)};
    result_.has_loader_a = a_.system != nullptr;
    result_.has_loader_b = b_.system != nullptr;
    SameFiles same(*a_.files, *b_.files, ids_of(*a_.files, settings_a_.where.root, *b_.files, settings_b_.where.root));
    const PairedTrees trees = pair_trees(same, options_.jobs);
    result_.unread = trees.unread;
    note_files(trees);
    if (!differs_for_all(trees)) {
      mark_names(trees);
      spread(trees);
    }
    compare_all(trees, same);
    return std::move(result_);
  }

 private:
  static std::optional<Error> read_side(World& world, const WorldSettings& settings, SideFacts& side) {
    const Result<std::shared_ptr<const FileSystem>> files = world.files();
    if (!files) return files.error();
    side.files = *files;
    if (const Result<std::shared_ptr<const System>> system = world.system()) side.system = *system;
    side.environment = environment_of(settings);
    return std::nullopt;
  }

  void note_files(const PairedTrees& trees) {
    for (const PairedFile& file : trees.files) {
      if (file.state != PairState::OnlyInB) ++result_.files_a;
      if (file.state != PairState::OnlyInA) ++result_.files_b;
      if (file.state == PairState::OnlyInA) result_.went.push_back(file.path);
      if (file.state == PairState::OnlyInB) result_.came.push_back(file.path);
      if (file.state == PairState::Changed) result_.changed.push_back(file.path);
      for (const std::string& need : file.needs) needed_.insert(need);
    }
  }

  [[nodiscard]] bool differs_for_all(const PairedTrees& trees) {
    is_all_ = std::any_of(trees.changed.begin(), trees.changed.end(),
                          [](const ChangedName& name) { return name.is_directory; });
    for (const std::string_view name :
         {"LD_PRELOAD", "LD_AUDIT", "LD_BIND_NOW", "GLIBC_TUNABLES", "LD_ASSUME_KERNEL"}) {
      is_all_ |= value_in(a_, name) != value_in(b_, name);
    }
    if ((a_.system == nullptr) != (b_.system == nullptr)) is_all_ = true;
    if (a_.system == nullptr || b_.system == nullptr) return is_all_;
    const LoaderRules& rules_a = a_.system->rules;
    const LoaderRules& rules_b = b_.system->rules;
    is_all_ |= rules_a.version != rules_b.version || rules_a.system_dirs != rules_b.system_dirs ||
               rules_a.glibc_hwcaps != rules_b.glibc_hwcaps || a_.system->preload_file != b_.system->preload_file ||
               a_.system->has_cache != b_.system->has_cache;
    return is_all_;
  }

  void mark_names(const PairedTrees& trees) {
    for (const PairedFile& file : trees.files) {
      if (file.state == PairState::Same || file.is_interface_kept) continue;
      for (const std::string& name : file.names) mark(name);
    }
    for (const ChangedName& name : trees.changed) mark(std::string(file_name_of(name.path)));
    if (a_.system != nullptr && b_.system != nullptr) mark_cache();
    const std::string path_a = value_in(a_, "LD_LIBRARY_PATH");
    const std::string path_b = value_in(b_, "LD_LIBRARY_PATH");
    if (path_a != path_b) {
      mark_directories(path_a);
      mark_directories(path_b);
    }
  }

  void mark(std::string name) {
    if (marked_.insert(name).second) open_.push_back(std::move(name));
  }

  void mark_cache() {
    const auto entries = [](const LdCache& cache) {
      std::multimap<std::string_view, std::string> all;
      for (std::size_t i = 0; i < cache.size(); ++i) {
        if (const std::optional<CacheEntry> entry = cache.entry(i)) {
          all.emplace(entry->key, std::string(entry->value) + "\n" + std::string(entry->hwcaps_name) + "\n" +
                                      std::to_string(entry->flags));
        }
      }
      return all;
    };
    const auto in_a = entries(a_.system->cache);
    const auto in_b = entries(b_.system->cache);
    const auto mark_lone = [&](const auto& mine, const auto& others) {
      for (const auto& [key, value] : mine) {
        const auto [first, end] = others.equal_range(key);
        const std::string& wanted = value;
        if (std::none_of(first, end, [&](const auto& one) { return one.second == wanted; })) mark(std::string(key));
      }
    };
    mark_lone(in_a, in_b);
    mark_lone(in_b, in_a);
  }

  /// All that lies there on either side, and in the subdirectories of the processor's levels.
  void mark_directories(std::string_view list) {
    while (!list.empty()) {
      const std::size_t end = list.find_first_of(":;");
      mark_directory(std::string(list.substr(0, end)), 3);
      list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
    }
  }
  void mark_directory(const std::string& directory, int depth) {
    if (!directory.starts_with('/')) return;
    for (const SideFacts* const side : {&a_, &b_}) {
      const Result<std::vector<DirectoryEntry>, Errno> entries = side->files->list_entries(directory);
      if (!entries) continue;
      for (const DirectoryEntry& entry : *entries) {
        if (entry.kind == EntryKind::Directory && depth > 0) mark_directory(path_in(directory, entry.name), depth - 1);
        if (entry.kind != EntryKind::Directory) mark(entry.name);
      }
    }
  }

  /// From names to the files that need them, and on to the names of these.
  void spread(const PairedTrees& trees) {
    std::unordered_map<std::string_view, std::vector<std::size_t>> needers;
    is_reached_.resize(trees.files.size());
    for (std::size_t i = 0; i < trees.files.size(); ++i) {
      const PairedFile& file = trees.files[i];
      for (const std::string& need : file.needs) needers[need].push_back(i);
      if (file.state == PairState::Changed) is_reached_[i] = true;
    }
    while (!open_.empty()) {
      const std::string name = std::move(open_.back());
      open_.pop_back();
      const auto list = needers.find(name);
      if (list == needers.end()) continue;
      for (const std::size_t i : list->second) {
        if (is_reached_[i] && was_spread_.contains(i)) continue;
        is_reached_[i] = true;
        was_spread_.insert(i);
        for (const std::string& own : trees.files[i].names) mark(own);
      }
    }
  }

  [[nodiscard]] bool is_root(const PairedFile& file) const {
    return file.is_program || std::none_of(file.names.begin(), file.names.end(),
                                           [&](const std::string& name) { return needed_.contains(name); });
  }

  void compare_all(const PairedTrees& trees, SameFiles& same) {
    std::vector<const PairedFile*> list;
    for (std::size_t i = 0; i < trees.files.size(); ++i) {
      const PairedFile& file = trees.files[i];
      const bool is_in_both = file.state == PairState::Same || file.state == PairState::Changed;
      if (!is_in_both || !is_root(file)) continue;
      ++result_.roots;
      if (is_all_ || is_reached_[i]) list.push_back(&file);
    }
    result_.compared = list.size();
    std::vector<std::optional<FileComparison>> compared(list.size());
    const unsigned jobs = std::max(1u, std::min<unsigned>(options_.jobs, static_cast<unsigned>(list.size())));
    std::vector<World> worlds_a;
    std::vector<World> worlds_b;
    for (unsigned i = 0; i < jobs; ++i) {
      worlds_a.emplace_back(settings_a_);
      worlds_b.emplace_back(settings_b_);
    }
    for_each_index(list.size(), jobs, [&](unsigned thread, std::size_t i) {
      const ComparedWorld a{settings_a_, worlds_a[thread], {}};
      const ComparedWorld b{settings_b_, worlds_b[thread], {}};
      Result<FileComparison> one = compare_file(a, b, same, list[i]->path, CompareDepth::Search);
      if (one) compared[i] = std::move(*one);
    });
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (!compared[i] || !was_searched(*compared[i])) result_.starts_in_neither.push_back(list[i]->path);
      if (compared[i]) take(std::move(*compared[i]));
    }
    std::stable_sort(result_.causes.begin(), result_.causes.end(), [](const TreeCause& a, const TreeCause& b) {
      return std::pair(a.now_fails, a.files.size()) > std::pair(b.now_fails, b.files.size());
    });
    put_rules_first(list);
    fold_by_package(result_, a_.files, b_.files);
    try_fixes({settings_a_, worlds_a.front(), options_.shown_a}, {settings_b_, worlds_b.front(), options_.shown_b},
              same);
  }

  /// Another release of the libc is another file for all that start: it comes before what else differs.
  void put_rules_first(const std::vector<const PairedFile*>& list) {
    if (a_.system == nullptr || b_.system == nullptr || !has_other_release(a_.system->rules, b_.system->rules)) return;
    auto cause = std::find_if(result_.causes.begin(), result_.causes.end(),
                              [](const TreeCause& one) { return one.step.key == kRulesKey; });
    if (cause == result_.causes.end()) {
      const std::string& loader = a_.system->loader_path;
      TreeCause rules;
      rules.step = rules_step(a_.system->rules, b_.system->rules);
      rules.first = {{}, loader, RequestChange::OtherContent, loader, b_.system->loader_path};
      cause = result_.causes.insert(result_.causes.end(), std::move(rules));
    }
    cause->files.clear();
    const std::set<std::string> left_out(result_.starts_in_neither.begin(), result_.starts_in_neither.end());
    for (const PairedFile* const file : list) {
      if (!left_out.contains(file->path)) cause->files.push_back(file->path);
    }
    cause->requests = std::max(cause->requests, cause->files.size());
    std::rotate(result_.causes.begin(), cause, cause + 1);
  }

  /// For the causes that break most, each by one of the files that it breaks.
  void try_fixes(const ComparedWorld& a, const ComparedWorld& b, SameFiles& same) {
    const std::set<std::string> failing(result_.now_fails.begin(), result_.now_fails.end());
    for (std::size_t i = 0; i < std::min(result_.causes.size(), kMostFixes); ++i) {
      TreeCause& cause = result_.causes[i];
      const auto file = std::find_if(cause.files.begin(), cause.files.end(),
                                     [&](const std::string& one) { return failing.contains(one); });
      if (file == cause.files.end()) return;  // those that break something go first
      Result<FileComparison> one = compare_file(a, b, same, *file, CompareDepth::Fix);
      if (!one || !one->fix) continue;
      cause.fix = std::move(one->fix);
      cause.fixed_file = *file;
    }
  }

  /// False for a program that both refuse before a loader runs.
  [[nodiscard]] static bool was_searched(const FileComparison& comparison) {
    return !comparison.objects.empty() || !comparison.causes.empty();
  }

  void take(FileComparison comparison) {
    const bool worked = comparison.verdict_a && *comparison.verdict_a != Verdict::Fails;
    const bool works = comparison.verdict_b && *comparison.verdict_b != Verdict::Fails;
    if (worked && !works) result_.now_fails.push_back(comparison.file);
    if (!worked && works) result_.now_works.push_back(comparison.file);
    // The cause that ends the process is the first one; others break it only where they take something away.
    bool is_first = true;
    for (DifferenceCause& cause : comparison.causes) {
      const auto is_gone = [](const RequestDifference& one) { return one.change == RequestChange::Went; };
      const bool breaks =
          worked && !works && (is_first || std::any_of(cause.decided.begin(), cause.decided.end(), is_gone));
      is_first = false;
      // That a file is another one is reported once, as changed; what it brings with it is a cause.
      const auto is_content = [](const RequestDifference& one) { return one.change == RequestChange::OtherContent; };
      const bool is_reported = cause.step.by == DecidedBy::Content && cause.derived.empty() &&
                               std::all_of(cause.decided.begin(), cause.decided.end(), is_content);
      if (is_reported && worked == works) continue;
      const auto [known, is_new] = by_key_.try_emplace(cause.step.key, result_.causes.size());
      if (is_new) result_.causes.push_back({std::move(cause.step), cause.decided.front(), {}, 0, 0});
      TreeCause& into = result_.causes[known->second];
      into.files.push_back(comparison.file);
      if (breaks) ++into.now_fails;
      into.requests += cause.decided.size() + cause.derived.size();
    }
  }

  WorldSettings settings_a_;
  WorldSettings settings_b_;
  const CompareOptions& options_;
  SideFacts a_;
  SideFacts b_;
  bool is_all_ = false;
  std::unordered_set<std::string> needed_;
  std::unordered_set<std::string> marked_;
  std::vector<std::string> open_;
  std::vector<bool> is_reached_;
  std::set<std::size_t> was_spread_;
  std::map<std::string, std::size_t> by_key_;
  TreeComparison result_;
};

}  // namespace

Result<TreeComparison> compare_trees(const WorldSettings& a, const WorldSettings& b, const CompareOptions& options) {
  return TreeComparer(a, b, options).run();
}

}  // namespace soresolve
