// Keys and headlines of groups. The values are taken from the statement of the first member's problem: rules make
// statements with named arguments (soresolve/statement.h), so nothing is read out of sentences.
#include "survey/problem_groups.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace soresolve {
namespace {

const Argument* find_argument(const Statement& statement, std::string_view name) {
  const auto found = std::find_if(statement.arguments.begin(), statement.arguments.end(),
                                  [&](const Argument& argument) { return argument.name == name; });
  return found == statement.arguments.end() ? nullptr : &*found;
}

std::string text_of(const Statement& statement, std::string_view name) {
  const Argument* const argument = find_argument(statement, name);
  const auto* const text = argument == nullptr ? nullptr : std::get_if<std::string>(&argument->value);
  return text == nullptr ? std::string() : *text;
}

/// The first statement behind an argument; empty: there is none.
Statement part_of(const Statement& statement, std::string_view name) {
  const Argument* const argument = find_argument(statement, name);
  const auto* const parts = argument == nullptr ? nullptr : std::get_if<std::vector<Statement>>(&argument->value);
  return parts == nullptr || parts->empty() ? Statement() : parts->front();
}

/// "undefined symbol: NAME, version V" as the loader ends its line; empty: the problem is not of a symbol.
std::string symbol_of(const Problem& problem) {
  constexpr std::string_view kBefore = "undefined symbol: ";
  const std::size_t at = problem.dlerror_says.rfind(kBefore);
  return at == std::string::npos ? std::string() : problem.dlerror_says.substr(at + kBefore.size());
}

/// Of a file that was built for another libc than the one that is here.
bool is_of_musl(const Problem& problem) {
  return problem.what.sentence == "built-for-musl" || problem.what.sentence == "program-for-musl";
}

bool is_of_missing_loader(const Problem& problem) {
  return problem.what.sentence == "program-for-musl" || problem.what.sentence == "program-for-glibc";
}

bool is_of_script(const Problem& problem) {
  const std::string_view said = problem.what.sentence;
  return said == "script-interpreter" || said == "script-windows-line" || said == "script-command";
}

std::string key_of(const RootProblem& found) {
  const Problem& problem = found.problem;
  std::string key(code_of(problem.code));
  const auto add = [&](std::string_view part) { key.append("|").append(part); };
  switch (problem.code) {
    case ProblemCode::NoInterpreter:
    case ProblemCode::MissingLibrary: add(problem.name); break;
    case ProblemCode::VersionMissing:
      add(found.provider);
      add(text_of(problem.what, "version"));
      break;
    case ProblemCode::SymbolMissing:
      add(found.provider);
      add(symbol_of(problem));
      break;
    case ProblemCode::ForeignLibc:
      add(is_of_musl(problem) ? "musl" : "glibc");
      if (is_of_missing_loader(problem)) add(problem.name);
      break;
    default:
      add(problem.name);
      // Two things that can be wrong with one file are two causes.
      add(problem.what.sentence);
  }
  return key;
}

/// The cause alone; the whole sentence of the first member where there is none to be had.
Statement headline_of(const RootProblem& found) {
  const Problem& problem = found.problem;
  switch (problem.code) {
    case ProblemCode::NoInterpreter:
      return say(is_of_script(problem) ? "group-script-interpreter" : "group-no-interpreter",
                 {{"interpreter", problem.name}});
    case ProblemCode::ForeignLibc:
      if (is_of_missing_loader(problem))
        return say(is_of_musl(problem) ? "group-program-for-musl" : "group-program-for-glibc",
                   {{"interpreter", problem.name}});
      return say(is_of_musl(problem) ? "group-built-for-musl" : "group-built-for-glibc",
                 {{"here", text_of(problem.what, "here")}});
    case ProblemCode::MissingLibrary: return say("group-missing-library", {{"library", problem.name}});
    case ProblemCode::VersionMissing:
      if (problem.what.sentence == "version-missing") {
        return say("group-version-missing",
                   {{"provider", found.provider}, {"version", text_of(problem.what, "version")}});
      }
      break;
    case ProblemCode::SymbolMissing: {
      const Statement symbols = part_of(problem.what, "symbols");
      if (symbols.empty()) break;
      if (found.provider.empty()) return say("group-symbol-nowhere", {{"symbols", symbols}});
      return say("group-symbol-missing", {{"provider", found.provider}, {"symbols", symbols}});
    }
    default: break;
  }
  return problem.what;
}

}  // namespace

std::vector<ProblemGroup> group_problems(std::vector<ProblemsOfRoot> roots) {
  std::map<std::string, ProblemGroup> by_key;
  for (ProblemsOfRoot& root : roots) {
    for (RootProblem& found : root.problems) {
      std::string key = key_of(found);
      ProblemGroup& group = by_key[key];
      if (group.members.empty()) {
        group.key = std::move(key);
        group.headline = headline_of(found);
        group.problem = std::move(found.problem);
        group.search = std::move(found.search);
      }
      if (group.members.empty() || group.members.back() != root.root) group.members.push_back(root.root);
      group.needers.insert(group.needers.end(), found.needers.begin(), found.needers.end());
    }
  }
  std::vector<ProblemGroup> groups;
  for (auto& [key, group] : by_key) {
    std::sort(group.needers.begin(), group.needers.end());
    group.needers.erase(std::unique(group.needers.begin(), group.needers.end()), group.needers.end());
    groups.push_back(std::move(group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const ProblemGroup& a, const ProblemGroup& b) { return a.members.size() > b.members.size(); });
  return groups;
}

}  // namespace soresolve
