// Requirements are judged as `check --contract` judges them, floors as `bindings --floor`.
#include "survey/demands.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "cuda/contracts.h"
#include "diagnose/diagnosis_input.h"
#include "diagnose/requirement.h"
#include "soresolve/cuda.h"
#include "soresolve/symbols.h"
#include "survey/policy.h"
#include "symbols/floor.h"

namespace soresolve {
namespace {

/// A demand that could not be judged is not met.
Problem unjudged(const LinkMap& map, const std::string& demand, const Error& error) {
  return make_problem(map, ProblemCode::RequirementUnmet, demand,
                      say("is-not-met", {{"requirement", demand}, {"seen", words_of_others(error.to_string())}}));
}

std::optional<Problem> exceed(const LinkMap& map, const FloorVerdict& verdict, const IsInTree& is_in_tree) {
  std::vector<Evidence> evidence;
  for (const FloorExcess& excess : verdict.excesses) {
    const std::string path = file_of(map, excess.needer);
    if (excess.is_weak || !is_in_tree(map.objects[excess.needer].status.id)) continue;
    evidence.push_back({.what = say("floor-node-of", {{"path", path}, {"node", excess.node}}), .path = path});
  }
  for (const FloorForeign& foreign : verdict.foreign) {
    const std::string path = file_of(map, foreign.needer);
    if (!is_in_tree(map.objects[foreign.needer].status.id)) continue;
    evidence.push_back({.what = say("floor-foreign-of", {{"path", path}, {"library", foreign.library}}), .path = path});
  }
  if (evidence.empty()) return std::nullopt;
  Problem problem = make_problem(map, ProblemCode::RequirementUnmet, "floor=" + verdict.bound.text,
                                 say("floor-exceeded", {{"bound", verdict.bound.text}}));
  problem.evidence = std::move(evidence);
  return problem;
}

}  // namespace

std::vector<Problem> find_unmet(const Resolution& run, const SurveyDemands& demands, const IsInTree& is_in_tree) {
  std::vector<Problem> unmet;
  const LinkMap& map = run.map();
  for (const Requirement& requirement : demands.requirements) {
    const auto verdicts = judge_requirements(map, run.dlopens(DlopenLevel::Known), built_in_contracts(), {requirement});
    if (!verdicts) {
      unmet.push_back(unjudged(map, requirement.text, verdicts.error()));
      continue;
    }
    const RequirementVerdict& verdict = verdicts->front();
    if (!verdict.is_met && !verdict.is_absent) unmet.push_back(problem_of(map, verdict));
  }
  if (demands.floors.empty()) return unmet;
  const Result<Bindings>& bindings = run.bindings();
  for (const FloorBound& bound : demands.floors) {
    const Result<FloorVerdict> verdict =
        bindings ? judge_floor(map, *bindings, bound) : Result<FloorVerdict>(Unexpected{bindings.error()});
    if (!verdict) {
      unmet.push_back(unjudged(map, "floor=" + bound.text, verdict.error()));
    } else if (std::optional<Problem> found = exceed(map, *verdict, is_in_tree)) {
      unmet.push_back(std::move(*found));
    }
  }
  return unmet;
}

std::vector<Problem> find_denied(const Diagnosis& diagnosis, const SurveyDemands& demands) {
  std::vector<Problem> denied;
  for (const Problem& problem : diagnosis.problems) {
    if (severity_of(problem.code) == Severity::Fatal) continue;  // counts anyway
    const std::string code(code_of(problem.code));
    const bool is_denied = std::any_of(demands.denied.begin(), demands.denied.end(), [&](const std::string& pattern) {
      return ::fnmatch(pattern.c_str(), code.c_str(), 0) == 0;
    });
    if (is_denied) denied.push_back(problem);
  }
  return denied;
}

}  // namespace soresolve
