// One line that answers first: is a GPU usable here, by what is installed, and else why not. It is decided from what
// the checks have found, in the order of CUDA's own start: devices, driver, environment; then the frameworks, for whose
// sake people ask; then the rest. It is good exactly when no check fails.
#include <algorithm>

#include "cuda/driver.h"
#include "doctor/checks.h"

namespace soresolve {
namespace {

const DoctorCheck* find_failed(const DoctorReport& report, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const DoctorCheck& check : report.checks) {
      if (check.name == name && check.result == DoctorResult::Fail) return &check;
    }
  }
  return nullptr;
}

/// What the first failed part of a check says, else the check itself.
Statement cause_of(const DoctorCheck& check) {
  const auto failed = std::find_if(check.items.begin(), check.items.end(),
                                   [](const DoctorItem& item) { return item.result == DoctorResult::Fail; });
  return failed == check.items.end() ? check.seen : failed->text;
}

CommandText command_of(const DoctorCheck& check) {
  for (const DoctorAdvice& advice : check.advice) {
    if (!advice.commands.empty()) return advice.commands.front();
  }
  return {};
}

/// Why the GPU cannot be reached, by the first check that fails on the way to it.
Statement reason_of(const Machine& machine, const DoctorCheck& check) {
  const bool has_node = std::any_of(machine.nodes.begin(), machine.nodes.end(), is_gpu_node);
  const bool is_without_gpu =
      check.name == "device-nodes" || check.name == "kernel-module" || (check.name == "driver" && !machine.driver);
  if (machine.platform == PlatformKind::Container && machine.has_dev && !has_node && is_without_gpu)
    return say("reason-container");
  if (check.name == "device-nodes" && !has_node && machine.module) return say("reason-no-nodes");
  if (check.name == "device-nodes" || check.name == "kernel-module") {
    return machine.module ? cause_of(check) : say(machine.driver ? "reason-no-module" : "reason-no-driver");
  }
  if (check.name != "driver") return cause_of(check);
  if (!machine.driver) return check.items.empty() ? say("reason-no-driver") : check.items.front().text;
  if (machine.driver->stub || !machine.module || machine.driver->version == machine.module->version)
    return machine.driver->stub ? check.seen : cause_of(check);
  return say("reason-mismatch", {{"library", machine.driver->version.text}, {"module", machine.module->version.text}});
}

/// Of that check, else of the next one: where a module is missing, its nodes are, too.
CommandText command_on_way(const Machine& machine, const DoctorReport& report, const DoctorCheck& way) {
  // modprobe helps where a driver is installed.
  const bool is_helpless = way.name == "kernel-module" && !machine.driver && machine.platform == PlatformKind::Plain;
  if (CommandText command = command_of(way); !command.empty() && !is_helpless) return command;
  const bool has_part = machine.driver.has_value();
  const DoctorCheck* const module = has_part ? find_failed(report, {"kernel-module"}) : nullptr;
  return module == nullptr ? CommandText() : command_of(*module);
}

DoctorVerdict good_verdict(const Machine& machine, const DoctorReport& report) {
  if (report.checks.size() < doctor_check_names().size())
    return {say("verdict-checks-pass", {{"count", report.checks.size()}}), {}};
  NameList frameworks;
  std::size_t count = 0;
  for (const DoctorCheck& check : report.checks) {
    for (const DoctorFramework& framework : check.frameworks) {
      if (!framework.uses_cuda) continue;
      ++count;
      if (frameworks.shown.size() < 2)
        frameworks.shown.push_back(framework.title);
      else
        ++frameworks.more;
    }
  }
  const Statement gpus = machine.gpus.empty() ? Statement{} : say("and-gpus-here", {{"count", machine.gpus.size()}});
  const Statement driver = machine.driver_version().empty()
                               ? say("driver-here")
                               : say("driver-of", {{"version", machine.driver_version().text}});
  if (count == 0) return {say("verdict-no-framework", {{"driver", driver}, {"gpus", gpus}}), {}};
  return {say("verdict-fits", {{"frameworks", frameworks}, {"count", count}, {"driver", driver}, {"gpus", gpus}}), {}};
}

}  // namespace

DoctorVerdict decide_verdict(const Machine& machine, const DoctorReport& report) {
  if (report.is_healthy()) return good_verdict(machine, report);
  if (const DoctorCheck* way = find_failed(report, {"device-nodes", "kernel-module", "driver", "environment", "gpus"}))
    return {say("verdict-no-gpu", {{"reason", reason_of(machine, *way)}}), command_on_way(machine, report, *way)};
  if (const DoctorCheck* check = find_failed(report, {"frameworks"})) {
    for (const DoctorFramework& framework : check->frameworks) {
      if (framework.result != DoctorResult::Fail) continue;
      const Statement of_framework = say("name-reason", {{"name", framework.title}, {"reason", framework.problem}});
      return {framework.is_driver_too_old ? framework.problem : of_framework, joined_commands(framework.commands)};
    }
  }
  for (const DoctorCheck& check : report.checks) {
    if (check.result != DoctorResult::Fail) continue;
    return {say("name-reason", {{"name", check.name}, {"reason", cause_of(check)}}), command_of(check)};
  }
  return {};
}

}  // namespace soresolve
