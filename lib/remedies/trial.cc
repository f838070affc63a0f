// Applies a change to an overlay (files, links, ldconfig's cache, environment, search tags) and walks again; what ends
// the start is an obstacle. Nothing on disk is changed. All trials together search at most kMaxAttempts places.
#include "remedies/trial.h"

#include <algorithm>
#include <span>

#include "loader/ldconfig.h"
#include "loader/load.h"
#include "loader/loader_rules.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/symbols.h"
#include "symbols/startup.h"

namespace soresolve {
namespace {

Statement refusal(std::string_view what, const std::string& path, Errno error) {
  return {what, {{"path", path}, {"reason", errno_text(error, ErrnoText::FromDlerror)}}};
}

/// Empty if all could be done.
Statement apply(const WorldChange& world_change, const LoaderRules& rules, OverlayFileSystem& files) {
  for (const auto& [from, to] : world_change.renames) {
    if (const Errno error = files.rename(from, to); error != Errno::None) return refusal("cannot-move", from, error);
  }
  for (const auto& [path, content] : world_change.files) {
    if (const Errno error = files.add_file(path, content); error != Errno::None)
      return refusal("cannot-write", path, error);
  }
  for (const auto& [path, target] : world_change.links) {
    if (const Errno error = files.add_symlink(path, target); error != Errno::None)
      return refusal("cannot-link", path, error);
  }
  if (!world_change.runs_ldconfig) return {};
  const LdConfigRun run = play_ldconfig(files, rules);
  return run.problems.empty() ? Statement{} : words_of_others(run.problems.front());
}

/// The same system with other files; the cache and the loader are those from before.
System with_files(const System& system, std::shared_ptr<const FileSystem> files) {
  System other;
  other.files = std::move(files);
  other.loader_path = system.loader_path;
  other.loader.target = system.loader.target;
  if (Result<OpenedObject> loader = open_object(*system.files, system.loader_path, system.loader_path)) {
    other.loader = std::move(loader->elf);
  }
  other.rules = system.rules;
  other.cache = system.cache;
  other.has_cache = system.has_cache;
  other.preload_file = system.preload_file;
  other.driver = system.driver;
  return other;
}

void read_written_cache(System& system) {
  const Result<std::unique_ptr<File>, Errno> file = system.files->open(system.rules.cache_path);
  if (!file) return;
  std::string bytes((*file)->status().size_bytes, '\0');
  static_cast<void>((*file)->read_at(0, std::as_writable_bytes(std::span(bytes))));
  Result<LdCache> cache = LdCache::parse(bytes, system.rules, system.rules.target, system.rules.cache_path);
  if (!cache) return;
  system.cache = std::move(*cache);
  system.has_cache = true;
}

std::string library_of(const LinkMap& map, const LoadFailure& failure) {
  const std::vector<Need>& needs = map.objects[failure.needer].needs;
  const bool is_request = failure.kind != LoadFailure::Kind::VersionFile && failure.need < needs.size();
  return is_request ? std::string(needs[failure.need].name) : failure.object;
}

}  // namespace

bool Trial::has_obstacle(std::string_view library) const {
  return std::any_of(obstacles.begin(), obstacles.end(), [&](const Obstacle& o) { return o.library == library; });
}

std::vector<Obstacle> obstacles_in(const LinkMap& map) {
  const bool is_program = ends_program(map);
  std::vector<Obstacle> obstacles;
  for (const LoadFailure& failure : map.failures) {
    if (!failure.is_fatal_at_start) continue;
    obstacles.push_back(
        {library_of(map, failure), is_program ? failure.start_message(map.process->argv0) : failure.dlerror_message()});
  }
  const Result<VersionCheck> check = check_versions(map);
  if (!check) {
    obstacles.push_back({{}, check.error().to_string()});
    return obstacles;
  }
  for (const VersionMessage& message : check->messages) {
    if (!message.is_error || map.dlopen_call_of(message.requirer) != map.subject() || message.is_known_to_walk(map))
      continue;
    const LoadedObject& provider = map.objects[message.provider];
    const std::string_view name = provider.requested_name.empty() ? provider.name() : provider.requested_name;
    obstacles.push_back({std::string(name), is_program ? message.line(map, map.process->argv0)
                                                       : std::string(provider.name()) + ": " + message.text});
  }
  return obstacles;
}

std::optional<Error> add_symbol_obstacle(Trial& trial) {
  const Result<StartFacts> facts = read_start_facts(trial.map);
  if (!facts) return facts.error();
  const Startup startup = trial.map.subject() == 0 ? start_up(trial.map, *facts, BindTime::Now)
                                                   : open_up(trial.map, *facts, trial.map.subject(),
                                                             trial.map.dlopen_calls.back().mode.bind_time);
  if (startup.end == StartEnd::Runs) return std::nullopt;
  std::string line = startup.lines.empty() ? startup.death : startup.lines.back();
  // A library that is judged on its own is reported in dlerror's words, as its files and versions are.
  const std::string prefix = trial.map.process->argv0 + ": symbol lookup error: ";
  if (!ends_program(trial.map) && line.starts_with(prefix)) line.erase(0, prefix.size());
  trial.obstacles.push_back({{}, std::move(line)});
  return std::nullopt;
}

Trials::Trials(const LinkMap& map) : map_(map), base_(map.system->files) {}

std::unique_ptr<Trial> Trials::make(const WorldChange& world_change) {
  auto trial = std::make_unique<Trial>();
  if (attempts_left_ == 0) {
    trial->refused = say("trials-spent", {{"count", kMaxAttempts}});
    return trial;
  }
  const System& system = *map_.system;
  const std::shared_ptr<OverlayFileSystem> files =
      world_change.instead ? std::make_shared<OverlayFileSystem>(world_change.instead) : base_.fresh();
  trial->refused = apply(world_change, system.rules, *files);
  if (!trial->refused.empty()) return trial;
  auto altered = std::make_shared<System>(with_files(system, files));
  if (world_change.runs_ldconfig || world_change.instead) read_written_cache(*altered);
  auto process = std::make_shared<Process>(*map_.process);
  for (const std::string& entry : world_change.environment) process->environment.add(entry);
  LoadOptions options;
  options.on_fatal = OnFatal::Continue;
  options.dlopen_calls = map_.requested;
  options.dlopen_calls.insert(options.dlopen_calls.end() - (options.dlopen_calls.empty() ? 0 : 1),
                              world_change.dlopen_calls.begin(), world_change.dlopen_calls.end());
  options.tag_edits = world_change.tags;
  options.need_edits = world_change.needs;
  options.max_attempts = attempts_left_;
  Result<LinkMap> map = load(std::move(altered), std::move(process), map_.file, options);
  attempts_left_ -= map                                           ? std::min(attempts_left_, map->attempts)
                    : map.error().code == ErrorCode::LimitReached ? attempts_left_
                                                                  : 0;
  if (!map) {
    trial->refused = words_of_others(map.error().to_string());
    return trial;
  }
  trial->map = std::move(*map);
  trial->obstacles = obstacles_in(trial->map);
  return trial;
}

}  // namespace soresolve
