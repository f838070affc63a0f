// Problems of libraries that are opened later and required or recommended: not found, found but not loadable, a stub.
// Entries of one opener from one source are one problem. Names that are only guessed from strings give none.
#include "diagnose/detectors.h"

#include <algorithm>
#include <span>

#include "cuda/stub_sign.h"
#include "dlopen/find_dlopens.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

bool matters(const Dlopen& opened) {
  return opened.source != DlopenSource::Literal && opened.importance != Importance::Suggested;
}

Problem describe_one(const LinkMap& map, const Dlopen& opened) {
  const DlopenChoice& choice = opened.shown();
  const Statement use = opened.description.empty() ? Statement{} : say("is-for", {{"use", opened.description}});
  Statement what = say("opened-not-found", {{"library", choice.name},
                                            {"opener", opened.opener},
                                            {"importance", term(name_of(opened.importance))},
                                            {"use", use}});
  if (opened.source == DlopenSource::Package) {
    what = say("fails-in-package", {{"library", choice.name}, {"reason", opened.failure}});
  } else if (opened.is_found) {
    const bool fails = !opened.failure.empty();
    what.sentence = fails ? "opened-fails" : "opened-fails-at-call";
    what.arguments.emplace_back("reason", fails ? opened.failure : opened.failure_now);
  }
  Problem problem = make_problem(map, ProblemCode::DlopenMissing, choice.name, std::move(what));
  if (opened.is_good()) problem.phase = Phase::Call;  // only with RTLD_NOW would dlopen fail
  return problem;
}

/// Libraries of one opener that will not be there, known from one source.
Problem describe_missing(const LinkMap& map, std::span<const Dlopen* const> missing) {
  const Dlopen& first = *missing.front();
  Problem problem = describe_one(map, first);
  if (missing.size() > 1) {
    constexpr std::size_t kShown = 4;
    const auto is_found = [](const Dlopen* opened) { return opened->is_found; };
    for (const Dlopen* opened : missing) {
      if (!opened->is_found || problem.evidence.size() >= kShown) continue;
      problem.evidence.push_back({.what = describe_one(map, *opened).what, .path = opened->shown().path});
    }
    NameList libraries;
    for (std::size_t i = 0; i < missing.size() && i < kShown; ++i) libraries.shown.push_back(missing[i]->shown().name);
    libraries.more = missing.size() - libraries.shown.size();
    const bool is_of_package = first.source == DlopenSource::Package;
    problem.what =
        is_of_package
            ? say("several-in-package", {{"count", missing.size()}, {"libraries", libraries}})
            : say(std::any_of(missing.begin(), missing.end(), is_found) ? "several-broken" : "several-not-there",
                  {{"count", missing.size()}, {"opener", first.opener}, {"libraries", std::move(libraries)}});
  }
  problem.object = first.object;
  if (!first.wheel.empty()) problem.wheels = {first.wheel};
  problem.evidence.push_back(
      {.what = say("known-by", {{"evidence", term(name_of(first.evidence))}, {"source", first.reported_by}}),
       .path = first.opener,
       .offset = first.reported_at});
  return problem;
}

}  // namespace

bool is_missing_later(const Dlopen& opened) {
  return opened.source == DlopenSource::Known && !opened.is_found && opened.importance != Importance::Suggested;
}

std::set<std::string> names_missing_later(const Dlopens& dlopens) {
  std::set<std::string> names;
  for (const Dlopen& opened : dlopens.list) {
    if (is_missing_later(opened)) names.insert(opened.shown().name);
  }
  return names;
}

std::set<std::string> names_missing_later(const LinkMap& map) {
  return names_missing_later(find_dlopens(map, DlopenLevel::Known));
}

std::vector<Problem> find_missing_dlopens(const DiagnosisInput& input) {
  std::vector<Problem> problems;
  std::vector<const Dlopen*> missing;
  const auto tell = [&] {
    if (!missing.empty()) problems.push_back(describe_missing(input.map, missing));
    missing.clear();
  };
  for (const Dlopen& opened : input.dlopens.list) {
    if (opened.is_faultless() || !matters(opened)) continue;
    const bool is_same = !missing.empty() && missing.front()->opener == opened.opener &&
                         missing.front()->reported_by == opened.reported_by;
    if (!is_same) tell();
    missing.push_back(&opened);
  }
  tell();
  for (const Dlopen& opened : input.dlopens.list) {
    if (!opened.is_good() || opened.source == DlopenSource::Literal) continue;
    const std::string& path = opened.choices.back().path;
    const std::optional<Statement> sign =
        stub_sign(*input.map.system->files, absolute_path(path, input.map.process->cwd), nullptr);
    if (!sign || opened.is_loaded) continue;
    Problem problem = make_problem(input.map, ProblemCode::StubLibrary, opened.shown().name,
                                   say("opened-stub", {{"path", path}, {"opener", opened.opener}}));
    problem.evidence = {{.what = *sign, .path = path}};
    problems.push_back(std::move(problem));
  }
  for (const Error& error : input.dlopens.damaged) {
    problems.push_back(make_problem(input.map, ProblemCode::Note, error.path, words_of_others(error.to_string())));
  }
  return problems;
}

}  // namespace soresolve
