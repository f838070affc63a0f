// One question and its answer: the walk, what is judged of it, and the diagnosis, each made once and at its first use.
//
// The verdict is that of the loader (diagnose/verdict.cc) with what the question adds: how the import ends, and the
// requirements. Where a library is missing and no host can bring it, no symbol is bound for a verdict: it fails
// whatever they are. Not here: any word of the answer (report/), how a file becomes a process (world_process.cc).
#include "soresolve/answer.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/lazy.h"
#include "base/path.h"
#include "cuda/contracts.h"
#include "diagnose/detectors.h"
#include "diagnose/diagnose.h"
#include "diagnose/verdict.h"
#include "loader/load.h"
#include "loader/process.h"
#include "world/next_step.h"
#include "world/wheel_problems.h"

namespace soresolve {

struct Answer::State {
  Question question;
  std::shared_ptr<const Resolution> run = {};
  std::optional<Diagnosis> refused = {};
  std::optional<Error> refused_as = {};
  std::vector<RequirementVerdict> requirements = {};
  std::shared_ptr<const PackageOwners> owners = {};
  std::vector<Error> warnings = {};
  std::optional<Dlopens> given_later = {};
  std::string root = {};
  mutable Lazy<std::vector<Problem>> call_problems = {};
  mutable Lazy<std::vector<Problem>> warned_call_problems = {};
  mutable Lazy<Verdict> verdict = {};
  mutable Lazy<std::string> host_line = {};
  mutable Lazy<std::optional<Error>> unreadable = {};
  mutable Lazy<Diagnosis> diagnosis = {};
  mutable Lazy<Diagnosis> with_fixes = {};
  mutable Lazy<NextStep> next_step = {};

  [[nodiscard]] const Dlopens& later() const {
    static const Dlopens none;
    if (given_later) return *given_later;
    return run ? run->checked_dlopens(question.later).dlopens : none;
  }
  /// Why what is opened later could not be checked.
  [[nodiscard]] std::optional<Error> unchecked() const {
    return given_later ? std::nullopt : run->checked_dlopens(question.later).unchecked;
  }
  std::optional<Error> judge();
  [[nodiscard]] const std::vector<Problem>& calls() const;
  [[nodiscard]] const std::vector<Problem>& warned_calls() const;
  [[nodiscard]] Verdict make_verdict() const;
  [[nodiscard]] Diagnosis make_diagnosis() const;
  [[nodiscard]] std::string make_host_line(const Diagnosis& found) const;
  [[nodiscard]] Diagnosis tried(Diagnosis found, RemedyOptions how) const;
};

/// What a process opens later counts, whether or not it is checked: cuDNN's parts are nowhere else.
std::optional<Error> Answer::State::judge() {
  if (question.requirements.empty() || !run) return std::nullopt;
  const GpuContracts& contracts = question.contracts ? *question.contracts : built_in_contracts();
  Result<std::vector<RequirementVerdict>> judged =
      judge_requirements(run->map(), run->dlopens(DlopenLevel::Known), contracts, question.requirements);
  if (!judged) return std::move(judged).error();
  requirements = *std::move(judged);
  return std::nullopt;
}

const std::vector<Problem>& Answer::State::calls() const {
  return call_problems.get([&]() -> std::vector<Problem> {
    if (!run || question.cuda == JudgeCuda::No || !run->check()) return {};
    return find_call_problems(run->map(), *run->check(), later());
  });
}

/// With what no verdict depends on: it may cost as much as all before.
const std::vector<Problem>& Answer::State::warned_calls() const {
  return warned_call_problems.get([&]() -> std::vector<Problem> {
    std::vector<Problem> problems = calls();
    if (run && run->import() != nullptr) {
      std::vector<Problem> of_wheels = find_wheel_problems(*run->import());
      std::move(of_wheels.begin(), of_wheels.end(), std::back_inserter(problems));
    }
    const bool is_listed = question.references == OwnReferences::Settled;
    if (!run || is_listed || !run->check() || !run->check()->is_ok()) return problems;
    std::vector<Problem> taken = find_symbols_taken_over(run->map());
    std::move(taken.begin(), taken.end(), std::back_inserter(problems));
    return problems;
  });
}

Verdict Answer::State::make_verdict() const {
  if (!run) return refused->answer;
  const LinkMap& map = run->map();
  if (run->import() != nullptr && !run->import()->exception.empty()) return Verdict::Fails;
  const auto is_unmet = [](const RequirementVerdict& required) { return !required.is_met; };
  if (std::any_of(requirements.begin(), requirements.end(), is_unmet)) return Verdict::Fails;
  if (map.first_fatal() != nullptr && !map.process->may_get_driver) return Verdict::Fails;
  const Result<Check>& check = run->check();
  if (!check) return Verdict::Works;
  const Verdict loaded = verdict_of(map, *check, later());
  return loaded == Verdict::Works && first_failing_call(calls()) != nullptr ? Verdict::Fails : loaded;
}

Diagnosis Answer::State::make_diagnosis() const {
  if (!run) return *refused;
  Dlopens opened = later();
  if (const std::optional<Error> error = unchecked()) opened.damaged.push_back(*error);
  return diagnose(*run, question.about, std::move(opened));
}

std::string Answer::State::make_host_line(const Diagnosis& found) const {
  if (run && run->import() != nullptr && !run->import()->exception.empty()) return run->import()->exception;
  if (!run || !found.loader_prints.empty()) return found.loader_prints;
  if (found.answer == Verdict::Works) return {};
  const Result<Check>& check = run->check();
  if (check && check->answer().fatal_line) return check->answer().lines[*check->answer().fatal_line];
  if (found.problems.empty()) return {};
  const Problem& first = found.problems.front();
  return ends_program(run->map()) ? first.loader_says : first.dlerror_says;
}

Diagnosis Answer::State::tried(Diagnosis found, RemedyOptions how) const {
  if (!run) return found;
  how.import = run->import();
  how.import_end = run->import_end();
  if (how.import != nullptr) how.import_wheel = how.import->wheel;
  if (how.owners == nullptr) how.owners = owners;
  find_remedies(*run, found, how);
  return found;
}

namespace {

/// The one library that the process requires, or opens later, and that a name without its version or its "lib" stands
/// for. `asked` itself where there is none, or more than one.
std::string library_meant(const LinkMap& map, const Dlopens& later, const std::string& asked) {
  std::set<std::string> meant;
  const auto take = [&](std::string_view name) {
    const std::string_view last = file_name_of(name);
    for (const std::string& start : {asked, "lib" + asked}) {
      const bool is_start = last.starts_with(start) && last.size() > start.size();
      if (is_start && last.substr(start.size()).starts_with(start.ends_with(".so") ? "." : ".so")) meant.emplace(name);
    }
  };
  for (const LoadedObject& object : map.objects) {
    for (const Need& need : object.needs) take(need.name);
  }
  for (const Dlopen& opened : later.list) {
    for (const DlopenChoice& choice : opened.choices) take(choice.name);
  }
  return meant.size() == 1 ? *meant.begin() : asked;
}

}  // namespace

Answer::Answer(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Result<Answer> Answer::of_walk(Resolution run, Question question, std::shared_ptr<const PackageOwners> owners,
                               std::optional<Dlopens> later) {
  const auto state = std::make_shared<State>();
  state->question = std::move(question);
  state->run = std::make_shared<const Resolution>(std::move(run));
  state->owners = std::move(owners);
  state->given_later = std::move(later);
  if (std::optional<Error> error = state->judge()) return Unexpected{std::move(*error)};
  return Answer(state);
}

Result<Answer> ask(World& world, Question question) {
  Result<Resolution> run = world.resolve(question.file, {.process = question.process,
                                                         .dlopen_calls = question.dlopen_calls,
                                                         .attempts = question.attempts,
                                                         .jobs = question.jobs,
                                                         .look_for = question.look_for,
                                                         .references = question.references});
  std::vector<Error> warnings = world.take_warnings();
  const auto state = std::make_shared<Answer::State>();
  state->question = std::move(question);
  state->warnings = std::move(warnings);
  state->root = world.root_name();
  if (run) {
    state->run = std::make_shared<const Resolution>(*std::move(run));
    state->owners = world.owners();
    if (std::optional<Error> error = state->judge()) return Unexpected{std::move(*error)};
    return Answer(state);
  }
  const bool is_listed = state->question.references == OwnReferences::Settled;
  state->refused = world.refusal(is_listed ? RefusalFixes::None : state->question.refusal);
  if (!state->refused) return Unexpected{std::move(run).error()};
  state->refused_as = std::move(run).error();
  return Answer(state);
}

const Question& Answer::question() const { return state_->question; }
const std::string& Answer::file() const { return state_->run ? state_->run->file() : state_->question.file; }
const std::string& Answer::root() const { return state_->root; }
const Resolution* Answer::run() const { return state_->run.get(); }
const Dlopens& Answer::later() const { return state_->later(); }
const std::vector<RequirementVerdict>& Answer::requirements() const { return state_->requirements; }
const std::vector<Error>& Answer::warnings() const { return state_->warnings; }

Verdict Answer::verdict() const {
  return state_->verdict.get([&] { return state_->make_verdict(); });
}

const std::string& Answer::host_line() const {
  return state_->host_line.get([&] { return state_->make_host_line(diagnosis()); });
}

const std::optional<Error>& Answer::unreadable() const {
  return state_->unreadable.get([&]() -> std::optional<Error> {
    // What the kernel may start all the same is not judged.
    if (!state_->run) return state_->refused->answer == Verdict::Depends ? state_->refused_as : std::nullopt;
    if (const Result<Check>& check = state_->run->check(); !check) return check.error();
    return state_->unchecked();
  });
}

const std::optional<Error>& Answer::refused_as() const { return state_->refused_as; }
const std::vector<Problem>& Answer::call_problems() const { return state_->warned_calls(); }

const Diagnosis& Answer::diagnosis() const {
  return state_->diagnosis.get([&] { return state_->make_diagnosis(); });
}

const Diagnosis& Answer::diagnosis_with_fixes(const RemedyOptions& how) const {
  return state_->with_fixes.get([&] { return state_->tried(diagnosis(), how); });
}

const Remedy* Answer::first_fix() const { return best_remedy(diagnosis_with_fixes()); }

const NextStep& Answer::next_step() const {
  return state_->next_step.get([&] { return next_step_of(*this); });
}

bool Answer::asks_for(std::string_view library) const {
  return state_->run && !requests_for(state_->run->map(), library).empty();
}

Answer Answer::about(std::string library) const {
  const auto state = std::make_shared<State>();
  state->question = state_->question;
  const bool is_known = !state_->run || asks_for(library);
  state->question.about = is_known ? std::move(library) : library_meant(state_->run->map(), later(), library);
  state->run = state_->run;
  state->refused = state_->refused;
  state->refused_as = state_->refused_as;
  state->requirements = state_->requirements;
  state->owners = state_->owners;
  state->warnings = state_->warnings;
  state->given_later = state_->given_later;
  state->root = state_->root;
  return Answer(state);
}

}  // namespace soresolve
