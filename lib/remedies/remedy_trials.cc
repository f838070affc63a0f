// Judges one tried fix: does the file load, what is left, what else comes from another place now, and how far it was
// checked. Symbols of the whole process are bound only up to 64 MiB of files; beyond that those of the libraries that
// change.
#include "remedies/remedy_trials.h"
#include "base/path.h"
#include "loader/load.h"
#include "loader/system.h"

#include <algorithm>

namespace soresolve {
namespace {

/// Of a process whose files are no larger in all, every symbol is bound.
constexpr std::uint64_t kMaxBoundBytes = 64 << 20;

}  // namespace

/// The library of the question's own map that goes by the name.
const LoadedObject* RemedyTrials::find_library(std::string_view name) {
  if (libraries_.empty()) {
    for (const LoadedObject& object : map_.objects) {
      if (object.role != ObjectRole::Library) continue;
      object.for_each_name([&](std::string_view known) { libraries_.try_emplace(known, &object); });
    }
  }
  const auto found = libraries_.find(name);
  return found == libraries_.end() ? nullptr : found->second;
}

Remedy RemedyTrials::tried(Remedy remedy, const WorldChange& world_change, std::string_view about) {
  const std::unique_ptr<Trial> trial = trials_.make(world_change);
  if (!trial->refused.empty()) return untried(std::move(remedy), trial->refused);
  remedy.also = switched(*trial);
  check_symbols(*trial, remedy);
  check_siblings(*trial, remedy);
  if (remedy.verdict == RemedyVerdict::Fails || !remedy.reason.empty()) return remedy;
  bool breaks_more = false;
  std::set<std::string_view> in_the_way;
  for (const Obstacle& obstacle : trial->obstacles) {
    breaks_more |= !broken_.contains(obstacle.library);
    in_the_way.insert(obstacle.library);
  }
  for (const std::string& name : broken_) {
    if (!in_the_way.contains(name)) remedy.fixes.push_back(name);
  }
  if (trial->obstacles.empty()) {
    remedy.verdict = RemedyVerdict::Works;
    // The rest of the import comes after it.
    const auto end = import_end_ ? import_end_({trial->map.system, trial->map.process, world_change.tags,
                                                world_change.needs, world_change.dlopen_calls})
                                 : std::optional<std::string>();
    if (end) {
      remedy.verdict = RemedyVerdict::Partly;
      remedy.loader_says = *end;
    }
  } else {
    const bool is_fixed = about.empty() ? !remedy.fixes.empty() : !trial->has_obstacle(about);
    remedy.verdict = is_fixed && !breaks_more ? RemedyVerdict::Partly : RemedyVerdict::Fails;
    const auto own = std::find_if(trial->obstacles.begin(), trial->obstacles.end(), [&](const Obstacle& o) {
      return remedy.verdict == RemedyVerdict::Fails && !about.empty() && o.library == about;
    });
    remedy.loader_says = own == trial->obstacles.end() ? trial->obstacles.front().line : own->line;
    if (own != trial->obstacles.end() && own != trial->obstacles.begin()) {
      remedy.reason = say("once-others-are-fixed");
    }
  }
  return remedy;
}

/// Libraries that come from elsewhere than before. What is found now was not there, and is no
/// surprise.
std::vector<Statement> RemedyTrials::switched(const Trial& trial) {
  std::vector<Statement> lines;
  for (const LoadedObject& object : trial.map.objects) {
    if (object.role != ObjectRole::Library || broken_.contains(std::string(object.requested_name))) continue;
    const LoadedObject* old = find_library(object.requested_name);
    if (old == nullptr || old->path == object.path) continue;
    lines.push_back(say("switches", {{"library", object.requested_name}, {"old", old->path}, {"now", object.path}}));
  }
  return lines;
}

/// All symbols where that is cheap; else those that are asked of what takes a new place.
void RemedyTrials::check_symbols(Trial& trial, Remedy& remedy) {
  std::uint64_t bytes = 0;
  for (const LoadedObject& object : trial.map.objects) bytes += object.status.size_bytes;
  const bool is_whole_process = ends_program(trial.map) || trial.map.subject() != 0;
  if (!trial.obstacles.empty()) {
    remedy.checked = say("checked-versions");
    return;
  }
  if (is_whole_process && bytes <= kMaxBoundBytes) {
    const std::optional<Error> error = add_symbol_obstacle(trial);
    remedy.checked = error ? say("checked-not-symbols", {{"reason", error->to_string()}}) : say("checked-every-symbol");
    return;
  }
  remedy.checked = say("checked-new-symbols");
  // What nothing in particular should define, something that comes now may define.
  bool is_doubtful = std::any_of(problems_.begin(), problems_.end(), [](const Problem& problem) {
    const bool has_no_owner = problem.object == kNoObject || problem.referrer != kNoObject;
    return (problem.code == ProblemCode::SymbolMissing && has_no_owner) || problem.code == ProblemCode::StaticTlsFull;
  });
  for (const LoadedObject& object : trial.map.objects) {
    if (object.role != ObjectRole::Library) continue;
    const std::string name(object.requested_name);
    const LoadedObject* old = find_library(name);
    const bool is_changed = broken_.contains(name) || (old != nullptr && old->path != object.path);
    if (!is_changed) continue;
    // What a new link leads to is the same file as before.
    const Result<std::string, Errno> real = trial.map.system->files->real_path(object.path);
    const Candidate* const file = real ? judged(name, *real) : nullptr;
    is_doubtful |= file == nullptr || !file->serves;
  }
  if (!is_doubtful) return;
  if (const std::optional<Error> error = add_symbol_obstacle(trial)) {
    remedy.checked = say("checked-not-symbols", {{"reason", error->to_string()}});
  }
}

/// It loads; but will it do for the files of the same package that are opened afterwards?
void RemedyTrials::check_siblings(Trial& trial, Remedy& remedy) {
  if (!trial.obstacles.empty()) return;
  // What serves the request now, whatever name it came in by: a preload has its own.
  std::map<std::string, ObjectIndex> servers;
  for (const LoadedObject& object : trial.map.objects) {
    for (const Need& need : object.needs) {
      if (need.target != kNoObject && broken_.contains(need.name))
        servers.try_emplace(std::string(need.name), need.target);
    }
  }
  for (const auto& [name, server] : servers) {
    const LoadedObject& object = trial.map.objects[server];
    if (object.role != ObjectRole::Library) continue;
    const Result<std::string, Errno> real = trial.map.system->files->real_path(object.path);
    const Candidate* const file = real ? judged(name, *real) : nullptr;
    if (file != nullptr && remedy.foreign.empty()) remedy.foreign = file->foreign;
    if (file == nullptr || file->serves) continue;
    if (file->is_unproven) {
      remedy.reason = file->reason;
    } else if (!file->refused_by.empty()) {
      remedy.verdict = RemedyVerdict::Fails;
      remedy.reason = say("once-sibling-opens", {{"file", file_name_of(file->refused_by)}});
      if (!file->dlerror_tail.empty()) remedy.loader_says = std::string(object.path) + ": " + file->dlerror_tail;
    }
    if (!remedy.reason.empty()) return;
  }
}

/// What `path` is worth under the name; nullptr: it is not an ELF file.
const Candidate* RemedyTrials::judged(const std::string& name, const std::string& path) {
  const auto [at, is_new] = judged_.try_emplace({name, path});
  if (!is_new) return at->second ? &*at->second : nullptr;
  for (const Problem& problem : problems_) {
    for (const Candidate& candidate : problem.candidates) {
      if (problem.name != name) continue;
      const Result<std::string, Errno> real = map_.system->files->real_path(candidate.path);
      if (real && *real == path) return &at->second.emplace(candidate);
    }
  }
  std::set<ObjectIndex> needers;
  for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
    for (const Need& need : map_.objects[i].needs) {
      if (need.name == name) needers.insert(i);
    }
  }
  at->second = suitability_.judge({path, {}}, name, {needers.begin(), needers.end()});
  return at->second ? &*at->second : nullptr;
}

Remedy untried(Remedy remedy, Statement reason) {
  remedy.verdict = RemedyVerdict::Untried;
  remedy.reason = std::move(reason);
  return remedy;
}

}  // namespace soresolve
