// Asks as `check` and `why` ask: the walk and its judges are theirs (world/, diagnose/verdict.cc). What stands in a map
// is copied out before the map goes, since a survey keeps facts of thousands of processes and no map.
#include "survey/judge.h"

#include <algorithm>
#include <utility>

#include "diagnose/diagnosis_input.h"
#include "diagnose/verdict.h"
#include "dlopen/find_dlopens.h"
#include "loader/load.h"
#include "loader/system.h"
#include "soresolve/answer.h"
#include "soresolve/remedies.h"
#include "survey/demands.h"

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

std::optional<SurveyLinkKind> link_kind_of(NeedKind kind) {
  switch (kind) {
    case NeedKind::Filter: return SurveyLinkKind::Filter;
    case NeedKind::Auxiliary: return SurveyLinkKind::Auxiliary;
    case NeedKind::Preload: return SurveyLinkKind::Preload;
    case NeedKind::Dlopen: return SurveyLinkKind::Process;
    case NeedKind::Needed: break;
  }
  return std::nullopt;
}

/// The files of a process, and which of them brings in which.
class FileCollector {
 public:
  FileCollector(Judged& judged, const IsInTree& is_in_tree) : judged_(judged), is_in_tree_(is_in_tree) {}

  void add_start(const LinkMap& map) {
    add_objects(map, 0);
    add_needs(map, 0);
  }

  /// What is opened later and found is in the process as well.
  void add_later(const LinkMap& map, const Dlopens& later) {
    for (const Dlopen& opened : later.list) {
      if (opened.source == DlopenSource::Literal) continue;
      LoadedLink link;
      link.opener = opened.object < index_of_.size() ? index_of_[opened.object] : find_path(opened.opener);
      link.kind = opened.source == DlopenSource::Note ? SurveyLinkKind::Note : SurveyLinkKind::Known;
      link.name = opened.shown().name;
      if (opened.is_good()) {
        const std::string& path = opened.choices.back().path;
        link.target = find_path(path);
        if (link.target == kNotLoaded) link.target = add(FileId{}, path);
      }
      judged_.links.push_back(std::move(link));
    }
    const std::optional<LinkMap> opened = with_later(map, later);
    if (!opened) return;
    for (LoadedIndex i = add_objects(*opened, map.objects.size()); i < judged_.loaded.size(); ++i) {
      judged_.loaded[i].is_opened_later = true;
    }
    add_needs(*opened, map.objects.size());
  }

 private:
  LoadedIndex add(const FileId& id, std::string path) {
    judged_.loaded.push_back({id, std::move(path)});
    return static_cast<LoadedIndex>(judged_.loaded.size() - 1);
  }

  [[nodiscard]] LoadedIndex find_path(const std::string& path) const {
    const auto at = std::find_if(judged_.loaded.begin(), judged_.loaded.end(),
                                 [&](const LoadedFile& file) { return file.path == path; });
    return at == judged_.loaded.end() ? kNotLoaded : static_cast<LoadedIndex>(at - judged_.loaded.begin());
  }

  /// Gives the index of the first one.
  LoadedIndex add_objects(const LinkMap& map, std::size_t first) {
    const LoadedIndex first_added = static_cast<LoadedIndex>(judged_.loaded.size());
    index_of_.resize(map.objects.size(), kNotLoaded);
    for (ObjectIndex i = static_cast<ObjectIndex>(first); i < map.objects.size(); ++i) {
      const LoadedObject& object = map.objects[i];
      if (object.role == ObjectRole::Vdso || object.role == ObjectRole::Placeholder) continue;
      const bool is_loader = object.role == ObjectRole::Loader;
      std::string path = is_loader ? map.system->loader_path : file_of(map, i);
      if (path.empty()) continue;
      index_of_[i] = add(is_loader ? FileId{} : object.status.id, std::move(path));
      LoadedFile& file = judged_.loaded.back();
      if (file.id == FileId{} || is_in_tree_(file.id)) continue;
      file.soname = object.elf.soname.value_or(std::string_view());
      for (const Need& need : object.needs) {
        if (need.kind == NeedKind::Needed) file.needs.emplace_back(need.written);
      }
    }
    return first_added;
  }

  void add_needs(const LinkMap& map, std::size_t first) {
    for (std::size_t i = first; i < map.objects.size(); ++i) {
      const LoadedIndex needer = index_of_[i];
      const std::uint32_t first_target = static_cast<std::uint32_t>(judged_.targets.size());
      for (const Need& need : map.objects[i].needs) {
        const LoadedIndex target = need.target < index_of_.size() ? index_of_[need.target] : kNotLoaded;
        if (const std::optional<SurveyLinkKind> kind = link_kind_of(need.kind)) {
          judged_.links.push_back(
              {kind == SurveyLinkKind::Process ? kNotLoaded : needer, *kind, std::string(need.written), target});
        } else if (needer != kNotLoaded) {
          judged_.targets.push_back(target);
        }
      }
      if (needer == kNotLoaded) continue;
      judged_.loaded[needer].first_target = first_target;
      judged_.loaded[needer].target_count = static_cast<std::uint32_t>(judged_.targets.size()) - first_target;
    }
  }

  Judged& judged_;
  const IsInTree& is_in_tree_;
  std::vector<LoadedIndex> index_of_;  ///< by object of the map
};

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

/// Of the first request that the problem is about.
std::optional<GroupSearch> search_of(const LinkMap& map, const Problem& problem, const std::string& needer) {
  if (problem.code != ProblemCode::MissingLibrary || problem.requests.empty()) return std::nullopt;
  const NeedRef& request = problem.requests.front();
  const Need& need = map.objects[request.needer].needs[request.need];
  if (need.trace >= map.traces.size()) return std::nullopt;
  GroupSearch search = {needer, std::string(need.name), {}};
  for (const Attempt& attempt : map.traces[need.trace].attempts) {
    std::string path = attempt.candidate.empty() ? attempt.directory + attempt.subdirectory : attempt.candidate;
    if (path.empty()) path = attempt.entry;
    search.places.push_back(
        {attempt.step, attempt.owner == kNoObject ? std::string() : real_path_of(map, file_of(map, attempt.owner)),
         attempt.entry, std::move(path), attempt.outcome});
  }
  return search;
}

Question question_of(const RootQuestion& root, const SurveyOptions& options) {
  return {.file = root.file,
          .dlopen_calls = root.dlopen_calls,
          .later = options.dlopens,
          .cuda = options.judges_cuda ? JudgeCuda::Yes : JudgeCuda::No};
}

Question question_with_searches(const RootQuestion& root, const SurveyOptions& options) {
  Question question = question_of(root, options);
  question.attempts = Attempts::Record;
  return question;
}

/// Is there something that the policy demands and is not so?
bool breaks_demands(World& world, const Resolution& run, const RootQuestion& root, const SurveyOptions& options,
                    const IsInTree& is_in_tree) {
  if (!options.demands) return false;
  if (!find_unmet(run, *options.demands, is_in_tree).empty()) return true;
  if (options.demands->denied.empty()) return false;
  const Result<Answer> searched = ask(world, question_with_searches(root, options));
  return searched && searched->run() != nullptr && !find_denied(searched->diagnosis(), *options.demands).empty();
}

}  // namespace

Judged judge(World& world, const RootQuestion& root, const SurveyOptions& options, const IsInTree& is_in_tree) {
  Judged judged;
  Question question = question_of(root, options);
  question.references = OwnReferences::Settled;
  const Result<Answer> answer = ask(world, std::move(question));
  if (!answer) {
    judged.error = answer.error();
    return judged;
  }
  const Resolution* const run = answer->run();
  if (run == nullptr) {
    judged.verdict = answer->verdict();
    if (const std::optional<Error>& refused = answer->refused_as(); refused && refused->code == ErrorCode::NoLoader) {
      const std::vector<Problem>& problems = answer->diagnosis().problems;
      const bool is_foreign = !problems.empty() && problems.front().code == ProblemCode::ForeignMachine;
      if (is_foreign) judged.error = *refused;  // a tree may hold files for other processors, and nothing starts them
    }
    return judged;
  }
  const LinkMap& map = run->map();
  FileCollector files(judged, is_in_tree);
  files.add_start(map);
  judged.process = map.assumed;
  if (options.looks_for == SurveyLooksFor::Edges) {
    files.add_later(map, run->dlopens(options.dlopens));
    return judged;
  }
  const Result<Check>& check = run->check();
  if (!check) {
    judged.error = check.error();
    return judged;
  }
  judged.verdict = answer->verdict();
  if (judged.verdict != Verdict::Fails && breaks_demands(world, *run, root, options, is_in_tree)) {
    judged.verdict = Verdict::Fails;
  }
  if (judged.verdict == Verdict::Depends) judged.depends_on = what_it_depends_on(map, *check);
  files.add_later(map, answer->later());
  return judged;
}

std::optional<LinkMap> with_later(const LinkMap& map, const Dlopens& later) {
  if (map.first_fatal() != nullptr) return std::nullopt;
  std::vector<OpenRequest> dlopen_calls = map.requested;
  for (const Dlopen& opened : later.list) {
    if (opened.source == DlopenSource::Literal || !opened.is_good() || opened.is_loaded) continue;
    OpenRequest request;
    request.file = opened.choices.back().path;
    request.mode.scope = OpenScope::Global;
    request.skips_loaded = true;
    dlopen_calls.push_back(std::move(request));
  }
  if (dlopen_calls.size() == map.requested.size()) return std::nullopt;
  Result<LinkMap> opened =
      load(map.system, map.process, map.file, {.on_fatal = OnFatal::Continue, .dlopen_calls = std::move(dlopen_calls)});
  if (!opened || opened->objects.size() < map.objects.size()) return std::nullopt;
  return std::move(opened).value();
}

namespace {

/// What the diagnosis has on a library that is opened later and is missing; nullptr: nothing.
const Problem* problem_with(const Diagnosis& diagnosis, const Dlopen& missing) {
  const auto is_of_it = [&](const Problem& problem) {
    return problem.code == ProblemCode::DlopenMissing &&
           (problem.name == missing.shown().name || (missing.object != kNoObject && problem.object == missing.object));
  };
  const auto found = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(), is_of_it);
  return found == diagnosis.problems.end() ? nullptr : &*found;
}

/// Of what the policy demands, the evidence says which files are to blame.
std::vector<std::string> files_blamed(const LinkMap& map, const Problem& problem) {
  std::vector<std::string> blamed;
  for (const Evidence& evidence : problem.evidence) {
    std::string file = evidence.path.empty() ? std::string() : real_path_of(map, evidence.path);
    if (!file.empty() && std::find(blamed.begin(), blamed.end(), file) == blamed.end()) {
      blamed.push_back(std::move(file));
    }
  }
  return blamed;
}

}  // namespace

std::vector<RootProblem> problems_of(World& world, const RootQuestion& root, const SurveyOptions& options,
                                     const IsInTree& is_in_tree) {
  std::vector<RootProblem> problems;
  Question question = question_with_searches(root, options);
  question.refusal = RefusalFixes::None;
  const Result<Answer> answer = ask(world, std::move(question));
  if (!answer) return problems;
  const Diagnosis& diagnosis = answer->diagnosis();
  const Resolution* const run = answer->run();
  if (run == nullptr) {
    for (const Problem& problem : diagnosis.problems) problems.push_back({problem, {root.path}, {}});
    return problems;
  }
  const auto take = [&](Problem problem) {
    std::vector<std::string> needers = needers_of(run->map(), problem, root.path);
    std::string provider = argument_of(problem.what, "provider");
    if (!provider.empty()) provider = real_path_of(run->map(), std::move(provider));
    // What opens a module goes on, and has dlerror's text.
    if (!ends_program(run->map()) && !problem.dlerror_says.empty()) problem.loader_says = problem.dlerror_says;
    std::optional<GroupSearch> search = search_of(run->map(), problem, needers.front());
    problem.requests.clear();
    problem.object = kNoObject;
    problems.push_back({std::move(problem), std::move(needers), std::move(provider), std::move(search)});
  };
  const Problem* const failing = options.judges_cuda ? first_failing_call(diagnosis.problems) : nullptr;
  for (const Problem& problem : diagnosis.problems) {
    if (severity_of(problem.code) == Severity::Fatal) take(problem);
  }
  if (problems.empty() && failing != nullptr) take(*failing);
  if (const Dlopen* const missing = problems.empty() ? first_missing_dlopen(diagnosis.dlopens) : nullptr) {
    if (const Problem* const problem = problem_with(diagnosis, *missing)) {
      take(*problem);
      problems.back().needers = {missing->opener};
    }
  }
  if (options.demands) {
    std::vector<Problem> broken = find_unmet(*run, *options.demands, is_in_tree);
    for (Problem& denied : find_denied(diagnosis, *options.demands)) broken.push_back(std::move(denied));
    for (Problem& problem : broken) {
      std::vector<std::string> blamed = files_blamed(run->map(), problem);
      take(std::move(problem));
      if (!blamed.empty()) problems.back().needers = std::move(blamed);
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

std::optional<Remedy> fix_for(World& world, const RootQuestion& root, const SurveyOptions& options,
                              std::string_view library) {
  const Result<Answer> answer = ask(world, question_with_searches(root, options));
  const Remedy* const best = answer ? best_remedy(answer->diagnosis_with_fixes(), library) : nullptr;
  return best == nullptr ? std::nullopt : std::optional<Remedy>(*best);
}

}  // namespace soresolve
