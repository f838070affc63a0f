// What works but depends on more than it seems: load order, another copy loaded before, shadowed files, an RPATH
// without effect, an old cache. Source: glibc 2.36 elf/dl-load.c:_dl_map_object, its first loop (names of loaded
// objects). Each is found by searching again as if nothing were loaded.
#include "diagnose/additions.h"

#include <algorithm>
#include <string>

#include "diagnose/cuda_rules.h"
#include "diagnose/diagnosis_input.h"
#include "diagnose/stale_cache.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

/// A path without its "glibc-hwcaps/NAME/" part.
std::string without_hwcaps(std::string_view path) {
  constexpr std::string_view kPart = "/glibc-hwcaps/";
  const std::size_t at = path.find(kPart);
  if (at == std::string_view::npos) return std::string(path);
  const std::size_t end = path.find('/', at + kPart.size());
  return std::string(path.substr(0, at)) + std::string(end == std::string_view::npos ? "" : path.substr(end));
}

class Surprises {
 public:
  Surprises(const LinkMap& map, Diagnosis& diagnosis)
      : system_(*map.system), process_(*map.process), map_(map), diagnosis_(diagnosis), searcher_(map),
        belongs_(map.target_closure()) {}

  void find_all() {
    find_load_order();
    find_loaded_before();
    find_shadowed();
    if (diagnosis_.asked.empty()) find_void_rpaths();
    find_stale_cache();
    find_bad_cache();
    find_bad_preload();
    if (map_.assumed) {
      Problem& assumed = add(ProblemCode::Note, {}, map_.assumed->what);
      for (const Statement& evidence : map_.assumed->evidence) assumed.evidence.push_back({.what = evidence});
    }
    if (system_.driver) {
      for (const Statement& note : driver_notes(*system_.driver)) add(ProblemCode::Note, {}, note);
    }
    for (const Statement& note : map_.notes) add(ProblemCode::Note, {}, note);
  }

 private:
  Problem& add(ProblemCode kind, std::string name, Statement what) {
    diagnosis_.problems.push_back(make_problem(map_, kind, std::move(name), std::move(what)));
    return diagnosis_.problems.back();
  }

  [[nodiscard]] bool is_of_interest(std::string_view name) const {
    return diagnosis_.asked.empty() || name == diagnosis_.asked;
  }

  [[nodiscard]] Evidence needer_of(ObjectIndex object) const {
    return {.what = words_of_others(map_.objects[object].name()), .path = file_of(map_, object)};
  }

  /// Requests that a loaded object satisfied although their own search comes to nothing.
  void find_load_order() {
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      for (std::uint32_t k = 0; belongs_[i] && k < map_.objects[i].needs.size(); ++k) {
        const Need& need = map_.objects[i].needs[k];
        if (!is_of_interest(need.name) || !searcher_.is_fragile(i, need)) continue;
        const LoadedObject& target = map_.objects[need.target];
        const auto same = std::find_if(diagnosis_.problems.begin(), diagnosis_.problems.end(), [&](const Problem& f) {
          return f.code == ProblemCode::LoadOrder && f.name == need.name;
        });
        if (same != diagnosis_.problems.end()) {
          same->requests.push_back({i, k});
          same->evidence.push_back(needer_of(i));
          continue;
        }
        const Statement loader =
            target.loader == kNoObject ? say("the-program") : words_of_others(map_.objects[target.loader].name());
        Problem& problem = add(ProblemCode::LoadOrder, std::string(need.name),
                               say("load-order", {{"library", need.name}, {"path", target.path}, {"loader", loader}}));
        problem.object = need.target;
        problem.requests.push_back({i, k});
        problem.evidence.push_back(needer_of(i));
      }
    }
  }

  /// Requests that got a loaded object where their own search leads to another file.
  void find_loaded_before() {
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      for (std::uint32_t k = 0; belongs_[i] && k < map_.objects[i].needs.size(); ++k) {
        const Need& need = map_.objects[i].needs[k];
        if (!is_of_interest(need.name)) continue;
        const std::string other = searcher_.other_choice(i, need);
        if (other.empty()) continue;
        const Evidence alone = {.what = say("alone-would-get", {{"object", map_.objects[i].name()}, {"path", other}}),
                                .path = other};
        const auto same =
            std::find_if(diagnosis_.problems.begin(), diagnosis_.problems.end(), [&](const Problem& problem) {
              return problem.code == ProblemCode::LoadedBefore && problem.object == need.target;
            });
        if (same != diagnosis_.problems.end()) {
          same->requests.push_back({i, k});
          same->evidence.push_back(alone);
          continue;
        }
        Problem& problem = add(
            ProblemCode::LoadedBefore, std::string(need.name),
            say("loaded-before",
                {{"library", need.name}, {"path", map_.objects[need.target].path}, {"how", brought_in(need.target)}}));
        problem.object = need.target;
        problem.requests.push_back({i, k});
        problem.evidence.push_back(alone);
      }
    }
  }

  /// "it was opened before", "PROGRAM brought it in at the start".
  [[nodiscard]] Statement brought_in(ObjectIndex object) const {
    const std::size_t dlopen_call = map_.dlopen_call_of(object);
    const ObjectIndex by = map_.objects[object].loader;
    if (by == kNoObject) return say("opened-before");
    const std::string_view sentence = dlopen_call == map_.subject() ? "brought-in"
                                      : dlopen_call == 0            ? "brought-in-at-start"
                                                                    : "brought-in-before";
    return say(sentence, {{"object", map_.objects[by].name()}});
  }

  /// Files of the same name further down the search.
  void find_shadowed() {
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      const LoadedObject& object = map_.objects[i];
      if (!belongs_[i] || object.role != ObjectRole::Library || object.found.step == SearchStep::Path ||
          object.loader == kNoObject || !is_of_interest(object.requested_name)) {
        continue;
      }
      const LoneSearch lone = searcher_.search(object.loader, object.requested_name, PastFirst::Continue);
      std::vector<FileId> seen = {object.status.id};
      std::vector<Evidence> others;
      for (const Attempt& attempt : lone.trace.attempts) {
        if (attempt.outcome != Outcome::Loaded || attempt.candidate == object.path) continue;
        // A processor-specific variant before the plain file beside it is no surprise.
        if (without_hwcaps(attempt.candidate) == without_hwcaps(object.path)) continue;
        const Result<FileStatus, Errno> status = system_.files->status(absolute_path(attempt.candidate, process_.cwd));
        if (!status || std::find(seen.begin(), seen.end(), status->id) != seen.end()) continue;
        seen.push_back(status->id);
        others.push_back(
            {.what = say("path-by-step", {{"path", attempt.candidate}, {"step", term(name_of(attempt.step))}}),
             .path = attempt.candidate});
      }
      if (others.empty()) continue;
      Problem& problem = add(
          ProblemCode::Shadowed, std::string(object.requested_name),
          say("shadowed",
              {{"library", object.requested_name}, {"path", object.path}, {"step", term(name_of(object.found.step))}}));
      problem.object = i;
      problem.evidence = std::move(others);
    }
  }

  void find_void_rpaths() {
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      const LoadedObject& object = map_.objects[i];
      if (!belongs_[i] || !object.elf.rpath || !object.elf.runpath) continue;
      Problem& problem =
          add(ProblemCode::RpathVoid, std::string(object.name()), say("rpath-void", {{"object", object.name()}}));
      problem.object = i;
      problem.evidence = {{.what = say("rpath-is", {{"list", *object.elf.rpath}}), .path = file_of(map_, i)},
                          {.what = say("runpath-is", {{"list", *object.elf.runpath}}), .path = file_of(map_, i)}};
    }
  }

  /// Directories of the cache that changed after it was written. It may be why
  /// something is missing, or why a file is found that should be gone.
  void find_stale_cache() {
    const std::vector<ChangedDirectory> newer = changed_since_cache(system_);
    if (newer.empty()) return;
    Problem& problem = add(ProblemCode::StaleCache, system_.rules.cache_path,
                           say("stale-cache", {{"cache", system_.rules.cache_path}}));
    for (const ChangedDirectory& directory : newer) {
      problem.evidence.push_back({.what = directory.is_gone ? say("directory-gone", {{"path", directory.path}})
                                                            : words_of_others(directory.path),
                                  .path = directory.path});
    }
  }

  void find_bad_cache() {
    if (!system_.cache_problem) return;
    add(ProblemCode::Note, system_.rules.cache_path, words_of_others(system_.cache_problem->to_string()));
  }

  void find_bad_preload() {
    if (!system_.preload_problem) return;
    add(ProblemCode::Note, system_.preload_problem->path, words_of_others(system_.preload_problem->to_string()));
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  Diagnosis& diagnosis_;
  LoneSearcher searcher_;
  std::vector<bool> belongs_;  ///< by object: does what is asked about need it?
};

}  // namespace

void add_surprises(const LinkMap& map, Diagnosis& diagnosis) { Surprises(map, diagnosis).find_all(); }

}  // namespace soresolve
