// Asks as `check` and `why` ask: the walk and its judges are theirs (world/, diagnose/verdict.cc). What stands in a map
// is copied out before the map goes, since a survey keeps facts of thousands of processes and no map.
#include "survey/judge.h"

#include <algorithm>
#include <utility>

#include "diagnose/scene.h"
#include "diagnose/verdict.h"
#include "loader/system.h"

namespace soresolve {
namespace {

/// The text behind an argument of a statement; empty: it has none of that name.
std::string argument_of(const Statement& statement, std::string_view name) {
  for (const Argument& argument : statement.arguments) {
    const auto* const text = std::get_if<std::string>(&argument.value);
    if (argument.name == name && text != nullptr) return *text;
  }
  return {};
}

std::vector<LoadedFile> files_of(const LinkMap& map) {
  std::vector<LoadedFile> loaded;
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const LoadedObject& object = map.objects[i];
    switch (object.role) {
      case ObjectRole::Vdso:
      case ObjectRole::Placeholder: continue;
      case ObjectRole::Loader: loaded.push_back({FileId{}, map.system->loader_path}); continue;
      default: break;
    }
    std::string path = file_of(map, i);
    if (!path.empty()) loaded.push_back({object.status.id, std::move(path)});
  }
  return loaded;
}

std::string real_path_of(const LinkMap& map, std::string path) {
  const Result<std::string, Errno> real = map.system->files->real_path(path);
  return real ? *real : std::move(path);
}

/// Who asks for what the problem is about.
std::vector<std::string> needers_of(const LinkMap& map, const Problem& problem, const std::string& root) {
  std::vector<std::string> needers;
  const auto add = [&](std::string path) {
    path = path.empty() ? root : real_path_of(map, std::move(path));
    if (std::find(needers.begin(), needers.end(), path) == needers.end()) needers.push_back(std::move(path));
  };
  for (const NeedRef& request : problem.requests) {
    // The nameless caller asks for the root itself.
    if (request.needer < map.objects.size() && request.needer != 0) add(file_of(map, request.needer));
    if (request.needer == 0) add(map.main_path);
  }
  for (const std::string_view name : {"needer", "referrer"}) {
    std::string path = argument_of(problem.what, name);
    if (path.starts_with('/')) add(std::move(path));
  }
  if (needers.empty()) needers.push_back(root);
  return needers;
}

ResolveOptions with_searches() { return {.attempts = Attempts::Record}; }

Dlopens later_in(const Resolution& run, const SurveyOptions& options) {
  return run.checked_dlopens(options.dlopens).dlopens;
}

Diagnosis diagnosis_of(const Resolution& run, const SurveyOptions& options) {
  return diagnose(run.map(), run.file(), {}, later_in(run, options),
                  [&]() -> const Result<Check>& { return run.check(); });
}

}  // namespace

Judged judge(World& world, const std::string& path, const SurveyOptions& options) {
  Judged judged;
  const Result<Resolution> run = world.resolve(path);
  if (!run) {
    judged.error = run.error();
    return judged;
  }
  const Result<Check>& check = run->check();
  if (!check) {
    judged.error = check.error();
    return judged;
  }
  const LinkMap& map = run->map();
  const Dlopens later = later_in(*run, options);
  const std::vector<Problem> cuda = options.judges_cuda ? find_cuda_problems(map, later) : std::vector<Problem>();
  judged.verdict = verdict_of(map, *check, later, cuda);
  judged.process = map.assumed;
  if (judged.verdict == Verdict::Depends) judged.depends_on = what_it_depends_on(map, *check);
  judged.loaded = files_of(map);
  // What is opened later and found is in the process as well.
  for (const Dlopen& opened : later.list) {
    if (opened.is_good() && !opened.is_loaded && opened.source != DlopenSource::Literal) {
      judged.loaded.push_back({{}, opened.choices.back().path});
    }
  }
  return judged;
}

std::vector<RootProblem> problems_of(World& world, const std::string& path, const SurveyOptions& options) {
  std::vector<RootProblem> problems;
  const Result<Resolution> run = world.resolve(path, with_searches());
  if (!run) return problems;
  Diagnosis diagnosis = diagnosis_of(*run, options);
  const auto take = [&](Problem problem) {
    std::vector<std::string> needers = needers_of(run->map(), problem, path);
    std::string provider = argument_of(problem.what, "provider");
    if (!provider.empty()) provider = real_path_of(run->map(), std::move(provider));
    problem.requests.clear();
    problem.object = kNoObject;
    problems.push_back({std::move(problem), std::move(needers), std::move(provider)});
  };
  const Problem* const failing = options.judges_cuda ? first_failing_call(diagnosis.problems) : nullptr;
  for (const Problem& problem : diagnosis.problems) {
    if (severity_of(problem.code) == Severity::Fatal) take(problem);
  }
  if (problems.empty() && failing != nullptr) take(*failing);
  if (const Dlopen* const lost = problems.empty() ? first_lost_dlopen(diagnosis.dlopens) : nullptr) {
    const auto is_of_it = [&](const Problem& problem) {
      return problem.code == ProblemCode::DlopenMissing &&
             (problem.name == lost->shown().name || (lost->object != kNoObject && problem.object == lost->object));
    };
    const auto found = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(), is_of_it);
    if (found != diagnosis.problems.end()) {
      take(*found);
      problems.back().needers = {lost->opener};
    }
  }
  if (problems.empty()) {
    // Something ends it of which no detector speaks: the verdict itself is what is known.
    Problem problem = make_problem(run->map(), ProblemCode::Note, {}, diagnosis.verdict);
    problem.loader_says = diagnosis.loader_prints;
    take(std::move(problem));
  }
  return problems;
}

std::optional<Remedy> fix_for(World& world, const std::string& path, const SurveyOptions& options) {
  const Result<Resolution> run = world.resolve(path, with_searches());
  if (!run) return std::nullopt;
  Diagnosis diagnosis = diagnosis_of(*run, options);
  RemedyOptions remedies;
  remedies.owners = world.owners();
  find_remedies(run->map(), diagnosis, remedies);
  const Remedy* const best = best_remedy(diagnosis);
  return best == nullptr ? std::nullopt : std::optional<Remedy>(*best);
}

}  // namespace soresolve
