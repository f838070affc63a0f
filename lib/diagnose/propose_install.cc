// Where no file on the machine would serve that is not of another environment or release: what brings one. By the
// SONAME (host/what_brings.h); for a wheel in the very version that an installed package of Python requires. It cannot
// be tried here, and says so. Source: PyPA "Core metadata specifications" (Requires-Dist), PEP 508. Only headers are
// read, and only "==" counts.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "diagnose/pip_command.h"
#include "diagnose/proposals.h"
#include "diagnose/scene.h"
#include "host/what_brings.h"
#include "host/wheel_requirements.h"
#include "loader/system.h"

namespace soresolve {
namespace {

constexpr std::string_view kPip = "pip install ";

/// Which versions of `wheel` the packages in the site-packages around `file` require; several where they disagree.
std::set<std::string> pins_of(const FileSystem& files, std::string_view file, std::string_view wheel) {
  constexpr int kMostUp = 6;
  std::set<std::string> pins;
  std::string_view directory = directory_of(file);
  const std::string wanted = normalised_wheel_name(wheel);
  for (int up = 0; up < kMostUp && directory.size() > 1 && pins.empty(); ++up, directory = directory_of(directory)) {
    for (WheelRequirement& required : read_wheel_requirements(files, directory)) {
      if (required.wheel == wanted) pins.insert(std::move(required.version));
    }
  }
  return pins;
}

/// Does the analysed system have this package manager? A command for another one is of no use.
bool is_of_use(const FileSystem& files, std::string_view command) {
  constexpr std::pair<std::string_view, const char*> kManagers[] = {
      {"sudo apt ", "/usr/bin/apt"}, {"sudo dnf ", "/usr/bin/dnf"}, {"conda ", nullptr}};
  for (const auto& [start, program] : kManagers) {
    if (command.starts_with(start)) return program != nullptr && files.status(program).has_value();
  }
  return true;
}

/// "nvidia-cudnn-cu11" of "pip install 'nvidia-cudnn-cu11<9'".
std::string_view wheel_name(std::string_view command) {
  std::string_view name = command.substr(kPip.size());
  name.remove_prefix(std::min(name.find_first_not_of("'\" "), name.size()));
  return name.substr(0, name.find_first_of(" '\"<>=!~;["));
}

/// Of several wheels the one that is required here, in that version; else the first.
std::string wheel_of(const FileSystem& files, const std::string& needer, const std::vector<std::string>& commands) {
  std::string first;
  for (const std::string& command : commands) {
    if (!command.starts_with(kPip)) continue;
    if (first.empty()) first = command.substr(kPip.size());
    const std::string name(wheel_name(command));
    const std::set<std::string> pins = pins_of(files, needer, name);
    if (pins.size() == 1) return name + "==" + *pins.begin();
  }
  return first;
}

}  // namespace

void propose_installs(const LinkMap& map, Diagnosis& diagnosis, const std::set<std::string, std::less<>>& served,
                      std::string_view import_wheel) {
  const FileSystem& files = *map.system->files;
  const std::string pip = pip_install(map);
  Remedy wheels;  // one command for all of them
  std::vector<Remedy> others;
  // The wheel that an import's exception asks for, before those of what failed on the way to it.
  if (!import_wheel.empty()) {
    wheels.commands = {pip + std::string(import_wheel)};
    wheels.text = say("import-asks-for-wheel", {{"wheel", import_wheel}});
  }
  for (const Problem& problem : diagnosis.problems) {
    if (!problem.wheel.empty()) {
      wheels.text = problem.what;
      wheels.commands.resize(1);
      wheels.commands.front() += (wheels.commands.front().empty() ? pip : " ") + problem.wheel;
    }
    const bool is_lost = problem.code == ProblemCode::MissingLibrary && !problem.requests.empty();
    const bool is_here =
        std::any_of(problem.candidates.begin(), problem.candidates.end(),
                    [](const Candidate& candidate) { return candidate.serves && candidate.foreign.empty(); });
    if (!is_lost || is_here || served.contains(problem.name)) continue;
    const std::optional<WhatBrings> brings = what_brings(problem.name);
    if (!brings) continue;
    const std::string needer = file_of(map, problem.requests.front().needer);
    const auto command = std::find_if(brings->commands.begin(), brings->commands.end(),
                                      [&](const std::string& one) { return is_of_use(files, one); });
    if (command == brings->commands.end()) continue;
    if (!command->starts_with(kPip)) {
      Remedy other;
      other.kind = RemedyKind::Install;
      other.text = brings->what;
      other.commands = {*command};
      other.brings = {problem.name};
      other.reason = say("install-untried");
      others.push_back(std::move(other));
      continue;
    }
    const std::string wheel = wheel_of(files, needer, brings->commands);
    wheels.brings.push_back(problem.name);
    if (wheels.commands.empty()) {
      wheels.commands = {pip + wheel};
      wheels.text = brings->what;
    } else if (wheels.commands.front().find(" " + wheel) == std::string::npos) {
      wheels.commands.front() += " " + wheel;
      wheels.also.push_back(brings->what);
    }
  }
  if (!wheels.commands.empty()) {
    wheels.kind = RemedyKind::Install;
    wheels.reason = say("install-untried");
    diagnosis.remedies.push_back(std::move(wheels));
  }
  std::move(others.begin(), others.end(), std::back_inserter(diagnosis.remedies));
}

}  // namespace soresolve
