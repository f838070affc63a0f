// Problems of libraries that are opened later and required or recommended: not found, found but not loadable, a stub.
// Entries of one opener from one source are one problem. Names that are only guessed from strings give none.
#include "diagnose/dlopen_missing.h"

#include <algorithm>
#include <span>

#include "cuda/stub_sign.h"

namespace soresolve {
namespace {

bool matters(const Dlopen& opened) {
  return opened.source != DlopenSource::Literal && opened.importance != Importance::Suggested;
}

Problem describe_one(const Dlopen& opened) {
  const DlopenChoice& choice = opened.shown();
  std::string text = choice.name + ", which " + opened.opener + " opens by itself (" +
                     std::string(name_of(opened.importance)) + "), is ";
  if (!opened.is_found) {
    text += "not found";
  } else if (!opened.failure.empty()) {
    text += "found, but dlopen fails: " + opened.failure;
  } else {
    text += "found, but the first call of what is missing will end the process; with RTLD_NOW dlopen fails: " +
            opened.failure_now;
  }
  if (!opened.description.empty()) text += "; it is for: " + opened.description;
  return make_problem(ProblemCode::DlopenMissing, choice.name, std::move(text));
}

/// Libraries of one opener that will not be there, known from one source.
Problem describe_lost(std::span<const Dlopen* const> lost) {
  const Dlopen& first = *lost.front();
  Problem problem = describe_one(first);
  if (lost.size() > 1) {
    constexpr std::size_t kShown = 4;
    problem.text =
        std::to_string(lost.size()) + " libraries that " + first.opener + " opens by itself will not be there: ";
    const auto is_found = [](const Dlopen* opened) { return opened->is_found; };
    if (std::any_of(lost.begin(), lost.end(), is_found)) {
      problem.text =
          std::to_string(lost.size()) + " libraries that " + first.opener + " opens by itself are missing or broken: ";
      for (const Dlopen* opened : lost) {
        if (opened->is_found && problem.proof.size() < kShown) problem.proof.push_back(describe_one(*opened).text);
      }
    }
    for (std::size_t i = 0; i < lost.size() && i < kShown; ++i) {
      problem.text += (i == 0 ? "" : ", ") + lost[i]->shown().name;
    }
    if (lost.size() > kShown) problem.text += " and " + std::to_string(lost.size() - kShown) + " more";
  }
  problem.object = first.object;
  problem.proof.push_back(std::string(name_of(first.evidence)) + ", by " + first.told_by);
  return problem;
}

}  // namespace

std::vector<Problem> find_lost_dlopens(const Scene& scene) {
  std::vector<Problem> problems;
  std::vector<const Dlopen*> lost;
  const auto tell = [&] {
    if (!lost.empty()) problems.push_back(describe_lost(lost));
    lost.clear();
  };
  for (const Dlopen& opened : scene.dlopens.list) {
    if (opened.is_faultless() || !matters(opened)) continue;
    const bool is_same =
        !lost.empty() && lost.front()->opener == opened.opener && lost.front()->told_by == opened.told_by;
    if (!is_same) tell();
    lost.push_back(&opened);
  }
  tell();
  for (const Dlopen& opened : scene.dlopens.list) {
    if (!opened.is_good() || opened.source == DlopenSource::Literal) continue;
    const std::string& path = opened.choices.back().path;
    const std::optional<std::string> sign =
        stub_sign(*scene.map.system->files, absolute_path(path, scene.map.process->cwd), nullptr);
    if (!sign || opened.is_loaded) continue;
    Problem problem = make_problem(
        ProblemCode::StubLibrary, opened.shown().name,
        path + ", which " + opened.opener + " opens by itself, is a stub to link against, not the library");
    problem.proof = {*sign};
    problems.push_back(std::move(problem));
  }
  for (const Error& error : scene.dlopens.damaged) {
    problems.push_back(make_problem(ProblemCode::Note, error.path, error.to_string()));
  }
  return problems;
}

}  // namespace soresolve
