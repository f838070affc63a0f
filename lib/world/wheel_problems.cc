// Faults of wheels as problems: the metadata of what an import is made of says what is not so.
//
// The import goes well all the same, as far as its sources show, so that each is a warning. Of an import that fails
// only those count that its exception is about: what else is wrong would lead away from the cause. Not here: what is
// compared with what (wheel_faults.cc).
#include "world/wheel_problems.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/path.h"

namespace soresolve {
namespace {

/// As RECORD has it.
std::string recorded_name(const WheelFault& fault, const std::string& file) {
  return file.substr(directory_of(directory_of(fault.wheel.record)).size() + 1);
}

std::string name_of_requirement(const WheelFault& fault) {
  return fault.requirement.substr(0, fault.requirement.find_first_of("=<>!~"));
}

Evidence line_of(const WheelFault& fault) {
  return {.what = say("wheel-line", {{"path", fault.metadata}, {"line", static_cast<std::uint64_t>(fault.line)}}),
          .path = fault.metadata,
          .line = fault.line};
}

Problem gone_files(const WheelFault& fault) {
  Problem problem;
  problem.code = ProblemCode::WheelFileGone;
  problem.name = fault.files.front();
  if (fault.file_count == 1) {
    problem.what = say("wheel-file-gone",
                       {{"file", recorded_name(fault, fault.files.front())}, {"wheel", full_name_of(fault.wheel)}});
  } else {
    NameList names{{}, fault.file_count - fault.files.size()};
    for (const std::string& file : fault.files) names.shown.push_back(recorded_name(fault, file));
    problem.what =
        say("wheel-files-gone",
            {{"count", fault.file_count}, {"wheel", full_name_of(fault.wheel)}, {"files", std::move(names)}});
  }
  for (const std::string& file : fault.files) problem.owners.push_back({file, fault.wheel});
  return problem;
}

Problem unmet_requirement(const WheelFault& fault) {
  Problem problem;
  problem.code = ProblemCode::WheelRequirement;
  problem.name = name_of_requirement(fault);
  problem.what = fault.kind == WheelFault::Kind::NotInstalled
                     ? say("wheel-requires-missing",
                           {{"wheel", full_name_of(fault.wheel)}, {"required", name_of_requirement(fault)}})
                     : say("wheel-requires-other", {{"wheel", full_name_of(fault.wheel)},
                                                    {"requirement", fault.requirement},
                                                    {"installed", fault.installed}});
  problem.wheels = {fault.requirement};
  problem.owners = {{fault.metadata, fault.wheel}};
  return problem;
}

Problem other_tags(const PythonImport& import, const WheelFault& fault) {
  Problem problem;
  problem.code = ProblemCode::WheelTags;
  problem.name = fault.wheel.name;
  problem.what = say("wheel-tags-other", {{"wheel", full_name_of(fault.wheel)},
                                          {"tags", NameList{{fault.tags.front()}, fault.tags.size() - 1}},
                                          {"interpreter", import.interpreter},
                                          {"minor", static_cast<std::uint64_t>(import.minor_number)}});
  problem.owners = {{fault.metadata, fault.wheel}};
  return problem;
}

Problem problem_of(const PythonImport& import, const WheelFault& fault) {
  switch (fault.kind) {
    case WheelFault::Kind::FilesGone: return gone_files(fault);
    case WheelFault::Kind::NotInstalled:
    case WheelFault::Kind::OtherVersion: return unmet_requirement(fault);
    case WheelFault::Kind::OtherTags: break;
  }
  return other_tags(import, fault);
}

/// Is it why the import fails? A gone file has its fix by the exception already.
bool explains(const PythonImport& import, const WheelFault& fault) {
  std::string module = name_of_requirement(fault);
  std::replace(module.begin(), module.end(), '-', '_');
  switch (fault.kind) {
    case WheelFault::Kind::FilesGone: return false;
    case WheelFault::Kind::NotInstalled: return import.wheel == fault.requirement;
    case WheelFault::Kind::OtherVersion: return import.exception.find(module) != std::string::npos;
    case WheelFault::Kind::OtherTags: break;
  }
  return true;
}

}  // namespace

std::vector<Problem> find_wheel_problems(const PythonImport& import) {
  std::vector<Problem> problems;
  for (const WheelFault& fault : import.wheel_faults) {
    if (!import.exception.empty() && !explains(import, fault)) continue;
    Problem problem = problem_of(import, fault);
    problem.evidence = {line_of(fault)};
    problem.phase = phase_of(problem.code).value_or(Phase::Call);
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace soresolve
