// Which files have to come along so that a target works in another root, and what has to be changed there for them to
// be found.
//
// Nothing is guessed from a list of dependencies. The target root's own loader is asked again and again, and what it
// misses is brought from the source root until it misses nothing:
//
//   1  lay the asked files over the target (target_tree.cc) and walk their process there (question.cc)
//   2  a request that is found nowhere: the source's file for it comes along, at its own path; ask again
//   3  a file of the target that is found and does not fit (versions, symbols): if the source's can stand at its own
//      place without hiding it, it comes along, too; ask again
//   4  what is opened later (notes, known packages, glibc's own gconv and nss: glibc_dlopen_calls.cc) likewise
//   5  all is judged by the judge of `check`, first as it is, then with each change of the search that could be wanted
//      (LD_LIBRARY_PATH, lines for ld.so.conf, search tags): what is reported is with the first that works
//
// The loop ends: each round brings at least one file of the source that the target had not (kMostRounds is there for
// roots that change meanwhile).
//
// Limits: data files (modules of Python, locales, certificates) are not libraries and are not on the list.
#include "soresolve/bundle.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/enum_names.h"
#include "base/path.h"
#include "bundle/glibc_dlopen_calls.h"
#include "bundle/question.h"
#include "bundle/target_tree.h"
#include "host/host.h"
#include "packages/host_driver.h"
#include "world/refusal.h"

namespace soresolve {
namespace {

constexpr unsigned kMostRounds = 4000;
constexpr std::size_t kMostTriedDirectories = 16;
constexpr unsigned kMostScripts = 5;  ///< one for another, as the kernel follows them

bool is_of_hwcaps(std::string_view path) { return path.find("/glibc-hwcaps/") != std::string_view::npos; }

class Bundler {
 public:
  Bundler(World& world, std::shared_ptr<const FileSystem> source, const BundleOptions& options)
      : world_(world), options_(options), source_(source),
        target_(options.target ? options.target : std::make_shared<MemoryFileSystem>()), tree_(source, target_) {}

  Result<Bundle> make(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      if (auto error = ask(file, BundledFor::Asked, 0)) return Unexpected{std::move(*error)};
    }
    for (BundleQuestion& question : questions_) {
      if (auto error = settle(question)) return Unexpected{std::move(*error)};
    }
    judge_all();
    tell();
    return std::move(bundle_);
  }

 private:
  std::optional<Error> ask(const std::string& file, BundledFor reason, unsigned depth);
  std::optional<Error> settle(BundleQuestion& question);
  bool bring(BundleQuestion& question, const LinkMap& map, const LoadFailure& failure);
  bool bring_file(const BundleQuestion& question, const std::string& name, const std::string& path, BundledAs as);
  bool bring_driver(const BundleQuestion& question, const LinkMap& map);
  bool bring_better(const BundleQuestion& question, const LinkMap& map, const Check& check);
  bool bring_instead(const BundleQuestion& question, const LinkMap& map, ObjectIndex object);
  void judge_all();
  void keep_wanted_directories();
  void judge(BundleQuestion& question, const BundleSetting& setting);
  [[nodiscard]] bool works_with(const BundleSetting& setting);
  std::optional<BundleSetting> configured();
  BundleSetting tagged();
  void tell();
  void tell_left_out(const BundleQuestion& question, std::set<std::string>& reported);
  void tell_conflicts(const BundleQuestion& question);

  [[nodiscard]] BundleSetting setting_with_path() const {
    BundleSetting setting{tree_.files(), options_.environment, {}};
    add_library_path(setting.environment, directories_);
    return setting;
  }

  World& world_;
  const BundleOptions& options_;
  std::shared_ptr<const FileSystem> source_;
  std::shared_ptr<const FileSystem> target_;
  TargetTree tree_;
  std::vector<BundleQuestion> questions_;
  std::set<std::string> brought_;         ///< since the last walk, by path in the source
  std::vector<std::string> directories_;  ///< of the list, to which the target's search does not lead
  std::set<std::string> driver_;          ///< names that the host's driver brings
  Bundle bundle_;
};

/// Reads what `file` is in the source; a script brings its interpreter.
std::optional<Error> Bundler::ask(const std::string& file, BundledFor reason, unsigned depth) {
  const std::string path = world_.absolute(file);
  if (const auto interpreter = script_interpreter(*source_, path); interpreter && depth < kMostScripts) {
    tree_.place(path, {reason}, IfOther::Replace);
    if (auto error = ask(*interpreter, BundledFor::Interpreter, depth + 1)) return error;
    const Result<StartedProgram> started = started_program(*source_, Environment(options_.environment), path);
    const std::string last = started ? started->path : *interpreter;
    return last == *interpreter ? std::nullopt : ask(last, BundledFor::Interpreter, depth + 1);
  }
  const bool is_known = std::any_of(questions_.begin(), questions_.end(),
                                    [&](const BundleQuestion& question) { return question.program.file == file; });
  if (is_known) return std::nullopt;
  BundleQuestion question;
  question.program.file = file;
  question.reason = reason;
  Result<Resolution> run = world_.resolve(file, {.jobs = options_.jobs});
  if (!run && run.error().code == ErrorCode::NotDynamic) {
    if (!is_static_program(*source_, path)) {
      return Error{ErrorCode::NotElf, file, {}, "is no program and no library: it has no segments to load"};
    }
    tree_.place(path, {reason}, IfOther::Replace);
    question.program.is_static = true;
    questions_.push_back(std::move(question));
    return std::nullopt;
  }
  if (!run) return run.error();
  if (auto error = question.take(std::move(run).value(), options_, *target_)) return error;
  if (question.program.is_static) tree_.place(path, {reason}, IfOther::Replace);
  bundle_.converts_text |= question.converts_text;
  questions_.push_back(std::move(question));
  return std::nullopt;
}

/// Brings all that the target's loader misses for it.
std::optional<Error> Bundler::settle(BundleQuestion& question) {
  if (!question.is_to_be_tried()) return std::nullopt;
  const LinkMap& source = question.source->map();
  const IfOther if_other = question.reason == BundledFor::Asked ? IfOther::Replace : IfOther::Keep;
  const bool opens = !source.requested.empty();
  if (!source.main_path.empty()) {
    tree_.place(source.main_path, {opens ? BundledFor::Interpreter : question.reason},
                opens ? IfOther::Keep : if_other);
  }
  for (const OpenRequest& request : source.requested) {
    if (request.file.find('/') == std::string::npos) continue;
    const bool is_last = &request == &source.requested.back();
    tree_.place(absolute_path(request.file, source.process->cwd), {is_last ? question.reason : BundledFor::Needed},
                is_last ? if_other : IfOther::Keep);
  }
  tree_.place(source.system->loader_path, {BundledFor::Loader, {}, source.main_path});
  for (unsigned round = 0; round < kMostRounds; ++round) {
    if (tree_.entries().size() > kMaxBundleEntries) {
      return Error{ErrorCode::LimitReached,
                   question.program.file,
                   {},
                   "more than " + std::to_string(kMaxBundleEntries) + " files and links would have to come along"};
    }
    BundleSetting setting = setting_with_path();
    setting.may_be_secure = false;
    const Result<LinkMap> map = question.walk(setting, BundleQuestion::Later::Opened);
    if (!map) return std::nullopt;  // judging says the same
    bool is_moved = false;
    brought_.clear();
    for (const LoadFailure& failure : map->failures) is_moved |= bring(question, *map, failure);
    if (!is_moved) is_moved = bring_driver(question, *map);
    if (is_moved) continue;
    const Result<Check> check = check_start(*map, {.jobs = options_.jobs, .own = OwnReferences::Counted});
    if (!check || !bring_better(question, *map, *check)) break;
  }
  return std::nullopt;
}

/// What a request of the target's loader leads to in the source.
bool Bundler::bring(BundleQuestion& question, const LinkMap& map, const LoadFailure& failure) {
  const Need* const need = map.find_need({failure.needer, failure.need});
  if (need == nullptr || need->kind == NeedKind::Preload) return false;
  const std::string name(need->name);
  const LoadedObject& needer = map.objects[failure.needer];
  if (is_of_driver(name) || is_of_driver(needer.requested_name)) return false;
  const std::string needer_path(needer.role == ObjectRole::Main ? map.main_path : std::string(needer.path));
  const std::string path = question.answer(needer_path, name);
  // What a needer before it has brought is not there for this walk yet.
  if (path.empty() || brought_.contains(path)) return false;
  const bool is_later = failure.dlopen_call > question.source->map().requested.size();
  return bring_file(question, name, path, {is_later ? BundledFor::OpenedLater : BundledFor::Needed, name, needer_path});
}

bool Bundler::bring_file(const BundleQuestion& question, const std::string& name, const std::string& path,
                         BundledAs as) {
  const bool is_path = name.find('/') != std::string::npos;
  const bool has_own_place = is_path || options_.prefix.empty() || path == question.source->system().loader_path;
  const Placed placed =
      has_own_place ? tree_.place(path, as) : tree_.place_as(path, path_in(options_.prefix, name), as);
  const bool is_there = placed.outcome == Placed::Outcome::Listed || placed.outcome == Placed::Outcome::Same;
  if (placed.outcome != Placed::Outcome::Added && !is_there) {
    if (placed.outcome != Placed::Outcome::Missing) bundle_.conflicts.push_back({name, path, placed.path});
    return false;
  }
  if (placed.outcome == Placed::Outcome::Added) brought_.insert(path);
  if (placed.outcome == Placed::Outcome::Added && has_own_place) return true;
  // It is there, and the search does not lead to it.
  if (is_path) return placed.outcome == Placed::Outcome::Added;
  const std::string directory = has_own_place ? std::string(directory_of(path)) : options_.prefix;
  const bool is_known = std::find(directories_.begin(), directories_.end(), directory) != directories_.end();
  if (!is_known) directories_.push_back(directory);
  return !is_known || placed.outcome == Placed::Outcome::Added;
}

/// The host's driver is there when the process runs, so it is there for the judge, where a container gets it.
bool Bundler::bring_driver(const BundleQuestion& question, const LinkMap& map) {
  bool is_moved = false;
  for (const LoadFailure& failure : map.failures) {
    const Need* const need = map.find_need({failure.needer, failure.need});
    if (need == nullptr) continue;
    const std::string name(need->name);
    const LoadedObject& needer = map.objects[failure.needer];
    if (!is_of_driver(name) && !is_of_driver(needer.requested_name)) continue;
    const std::string path = question.answer(std::string(needer.path), name);
    driver_.insert(name);
    if (path.empty() || name.find('/') != std::string::npos) continue;
    for (const std::string& directory : map.system->rules.system_dirs) {
      if (!tree_.files()->status(directory)) continue;
      const std::string place = path_in(directory, name);
      is_moved |= !tree_.files()->status(place).has_value();
      tree_.lay_under(path, place);
      break;
    }
  }
  return is_moved;
}

/// A file of the target's own that lacks a version or symbol: the source's, where that can stand at its own place.
bool Bundler::bring_better(const BundleQuestion& question, const LinkMap& map, const Check& check) {
  bool is_moved = false;
  for (const VersionGap& gap : check.versions) is_moved |= bring_instead(question, map, gap.message.provider);
  for (const UnresolvedSymbol& symbol : check.symbols) is_moved |= bring_instead(question, map, symbol.from);
  if (is_moved || (check.versions.empty() && check.symbols.empty())) return is_moved;
  if (verdict_of(map, check, {}) != Verdict::Fails) return false;
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) is_moved |= bring_instead(question, map, i);
  return is_moved;
}

bool Bundler::bring_instead(const BundleQuestion& question, const LinkMap& map, ObjectIndex object) {
  if (object >= map.objects.size() || map.objects[object].role != ObjectRole::Library) return false;
  const LoadedObject& own = map.objects[object];
  const std::string name(own.requested_name);
  if (tree_.is_listed(own.path) || is_of_driver(name) || name.find('/') != std::string::npos) return false;
  const std::string path = question.answer({}, name);
  const bool is_in_place = options_.prefix.empty() && path == own.path;
  if (path.empty() || is_in_place) return false;
  return bring_file(question, name, path, {BundledFor::Needed, name, {}});
}

/// The answer of `check` for it in the target.
void Bundler::judge(BundleQuestion& question, const BundleSetting& setting) {
  if (!question.is_to_be_tried()) return;
  BundledProgram& program = question.program;
  Result<LinkMap> map = question.walk(setting, BundleQuestion::Later::Left);
  program.answer.reset();
  program.error.reset();
  program.verdict = Verdict::Fails;
  if (!map) {
    program.error = std::move(map).error();
    return;
  }
  Resolution run = question.resolution_of(std::move(map).value(), options_.jobs);
  Dlopens later = run.check() ? question.later_in(setting, run.map()) : Dlopens();
  const JudgeCuda cuda = options_.judges_cuda ? JudgeCuda::Yes : JudgeCuda::No;
  Result<Answer> answer = Answer::of_walk(std::move(run), {.cuda = cuda}, {}, std::move(later));
  if (!answer || answer->unreadable()) {
    program.error = answer ? *answer->unreadable() : answer.error();
    return;
  }
  program.answer = *std::move(answer);
  program.verdict = program.answer->verdict();
}

bool Bundler::works_with(const BundleSetting& setting) {
  for (BundleQuestion& question : questions_) judge(question, setting);
  return std::all_of(questions_.begin(), questions_.end(), [](const BundleQuestion& question) {
    return !question.is_to_be_tried() ||
           (question.program.verdict != Verdict::Fails && question.missing_later().empty());
  });
}

/// With the directories in ld.so.conf and the cache that ldconfig would write; nullopt: a name that cannot stand there.
std::optional<BundleSetting> Bundler::configured() {
  const auto it = std::find_if(questions_.begin(), questions_.end(),
                               [](const BundleQuestion& question) { return question.is_to_be_tried(); });
  if (it == questions_.end()) return std::nullopt;
  std::optional<Configured> made =
      configure(tree_.files(), it->source->system().loader_path, std::span<const std::string>(directories_));
  if (!made) return std::nullopt;
  BundleSearch search{BundleSearch::Kind::Configuration, std::move(made->commands)};
  bundle_.search.push_back(std::move(search));
  return BundleSetting{std::move(made->files), options_.environment, {}};
}

/// With DT_RPATH in the files that were asked about: unlike DT_RUNPATH it counts for what they need in turn.
BundleSetting Bundler::tagged() {
  BundleSetting setting{tree_.files(), options_.environment, {}};
  BundleSearch search{BundleSearch::Kind::SearchTag, {}};
  for (const BundleQuestion& question : questions_) {
    if (!question.is_to_be_tried()) continue;
    std::optional<TaggedFile> tagged = question.tagged(tree_, directories_);
    if (!tagged) continue;
    setting.tags.push_back(std::move(tagged->edit));
    const bool is_reported = std::find(search.lines.begin(), search.lines.end(), tagged->command) != search.lines.end();
    if (!is_reported) search.lines.push_back(std::move(tagged->command));
  }
  if (!search.lines.empty()) bundle_.search.push_back(std::move(search));
  return setting;
}

/// One that was missed for a library which another one leads to in the end is not told.
void Bundler::keep_wanted_directories() {
  if (directories_.size() > kMostTriedDirectories || !works_with(setting_with_path())) return;
  for (std::size_t i = directories_.size(); i-- > 0 && directories_.size() > 1;) {
    const std::string directory = directories_[i];
    directories_.erase(directories_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!works_with(setting_with_path()))
      directories_.insert(directories_.begin() + static_cast<std::ptrdiff_t>(i), directory);
  }
}

/// As it is, and where that is not enough with each change of the search; what is reported is with the first that
/// works.
void Bundler::judge_all() {
  const BundleSetting plain{tree_.files(), options_.environment, {}};
  if (works_with(plain) || directories_.empty()) return;
  keep_wanted_directories();
  std::vector<BundleSetting> settings;
  settings.push_back(setting_with_path());
  bundle_.search.push_back({BundleSearch::Kind::LibraryPath,
                            {"LD_LIBRARY_PATH=" + shell_word(library_path_of(settings.back().environment))}});
  if (auto setting = configured()) settings.push_back(std::move(*setting));
  if (BundleSetting setting = tagged(); !setting.tags.empty()) settings.push_back(std::move(setting));
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    bundle_.search[i].works = works_with(settings[i]);
    if (bundle_.search[i].works && !first) first = i;
  }
  (void)works_with(settings[first.value_or(0)]);
  std::stable_partition(bundle_.search.begin(), bundle_.search.end(),
                        [](const BundleSearch& search) { return search.works; });
}

void Bundler::tell_left_out(const BundleQuestion& question, std::set<std::string>& reported) {
  for (const LoadedObject& object : question.program.answer->run()->map().objects) {
    const bool is_loader = object.role == ObjectRole::Loader;
    if (object.role != ObjectRole::Library && !is_loader) continue;
    const std::string name(is_loader ? file_name_of(question.source->system().loader_path) : object.requested_name);
    const std::string own(is_loader ? std::string_view(question.source->system().loader_path) : object.path);
    const std::string path = is_loader ? own : question.answer({}, name);
    if (is_of_driver(name) || tree_.is_listed(own) || path.empty() || !reported.insert(own).second) continue;
    const auto why = tree_.is_same(path, own) ? BundleLeftOut::Why::Same : BundleLeftOut::Why::Serves;
    bundle_.left_out.push_back({why, name, path, own});
  }
}

/// Files of the target that lack what is wanted of them.
void Bundler::tell_conflicts(const BundleQuestion& question) {
  if (!question.program.answer) return;
  const LinkMap& map = question.program.answer->run()->map();
  const Check& check = *question.program.answer->run()->check();
  std::set<ObjectIndex> providers;
  for (const VersionGap& gap : check.versions) providers.insert(gap.message.provider);
  for (const UnresolvedSymbol& symbol : check.symbols) providers.insert(symbol.from);
  for (const ObjectIndex index : providers) {
    if (index >= map.objects.size()) continue;
    const LoadedObject& object = map.objects[index];
    const bool is_loader = object.role == ObjectRole::Loader;
    if ((object.role != ObjectRole::Library && !is_loader) || tree_.is_listed(object.path)) continue;
    const std::string name(object.requested_name);
    bundle_.conflicts.push_back({name, question.answer({}, name), std::string(object.path)});
  }
}

void Bundler::tell() {
  std::set<std::string> reported;
  bool is_good = true;
  for (BundleQuestion& question : questions_) {
    if (question.program.answer && question.is_to_be_tried()) {
      tell_left_out(question, reported);
      if (question.program.verdict == Verdict::Fails) tell_conflicts(question);
    }
    question.program.missing = question.missing_later();
    is_good &= question.program.verdict != Verdict::Fails && question.program.missing.empty();
    bundle_.programs.push_back(std::move(question.program));
  }
  if (is_good) bundle_.conflicts.clear();
  std::erase_if(bundle_.left_out, [&](const BundleLeftOut& left) {
    return std::any_of(bundle_.conflicts.begin(), bundle_.conflicts.end(),
                       [&](const BundleConflict& conflict) { return conflict.target == left.target; });
  });
  for (const std::string& name : driver_) {
    bundle_.left_out.push_back({BundleLeftOut::Why::OfDriver, name, {}, {}});
  }
  for (const auto& [path, entry] : tree_.entries()) {
    bundle_.size_bytes += entry.kind == BundledKind::File ? entry.size_bytes : 0;
    bundle_.file_count += entry.kind == BundledKind::File;
    bundle_.link_count += entry.kind == BundledKind::Link;
    bundle_.has_hwcaps |= is_of_hwcaps(entry.source);
    bundle_.entries.push_back(entry);
  }
}

}  // namespace

std::string_view name_of(BundleLeftOut::Why why) {
  using enum BundleLeftOut::Why;
  static constexpr auto kNames =
      enum_names<BundleLeftOut::Why>({{Same, "same"}, {Serves, "serves"}, {OfDriver, "driver"}});
  return kNames[why];
}

std::string_view name_of(BundleSearch::Kind kind) {
  using enum BundleSearch::Kind;
  static constexpr auto kNames = enum_names<BundleSearch::Kind>(
      {{LibraryPath, "library-path"}, {Configuration, "configuration"}, {SearchTag, "search-tag"}});
  return kNames[kind];
}

bool Bundle::works() const {
  return std::none_of(programs.begin(), programs.end(),
                      [](const BundledProgram& program) { return program.verdict == Verdict::Fails; });
}

Result<Bundle> bundle(World& world, const std::vector<std::string>& files, const BundleOptions& options) {
  Result<std::shared_ptr<const FileSystem>> source = world.files();
  if (!source) return Unexpected{std::move(source).error()};
  return Bundler(world, std::move(source).value(), options).make(files);
}

}  // namespace soresolve
