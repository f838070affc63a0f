// What a machine has for CUDA, by the checks of doctor: each that sees something else on the other side.
#include "compare/comparisons.h"

#include <algorithm>

namespace soresolve {
namespace {

/// Those about what is installed; what a process is started with is compared where it decides.
constexpr std::string_view kCompared[] = {"platform", "device-nodes", "kernel-module", "gpus",      "driver",
                                          "toolkits", "runtimes",     "cudnn",         "frameworks"};

std::vector<Statement> seen_by(const DoctorCheck& check) {
  std::vector<Statement> seen = {check.seen};
  for (const DoctorItem& item : check.items) seen.push_back(item.text);
  return seen;
}

/// Those that the other side has not.
std::vector<Statement> without(const std::vector<Statement>& list, const std::vector<Statement>& others) {
  std::vector<Statement> rest;
  for (const Statement& one : list) {
    if (std::find(others.begin(), others.end(), one) == others.end()) rest.push_back(one);
  }
  return rest;
}

}  // namespace

Result<std::vector<MachineDifference>> compare_machines(const WorldSettings& a, const WorldSettings& b) {
  DoctorOptions options;
  for (const std::string_view check : kCompared) options.only.emplace_back(check);
  options.environment = Environment(a.start.inherits() ? a.start.inherited : a.start.env);
  const Result<DoctorReport> in_a = examine_machine(a, options);
  if (!in_a) return Unexpected{in_a.error()};
  options.environment = Environment(b.start.inherits() ? b.start.inherited : b.start.env);
  const Result<DoctorReport> in_b = examine_machine(b, options);
  if (!in_b) return Unexpected{in_b.error()};
  std::vector<MachineDifference> list;
  for (const DoctorCheck& check : in_a->checks) {
    const auto other = std::find_if(in_b->checks.begin(), in_b->checks.end(),
                                    [&](const DoctorCheck& one) { return one.name == check.name; });
    if (other == in_b->checks.end()) continue;
    const std::vector<Statement> seen_a = seen_by(check);
    const std::vector<Statement> seen_b = seen_by(*other);
    if (seen_a == seen_b) continue;
    list.push_back({check.name, without(seen_a, seen_b), without(seen_b, seen_a)});
  }
  return list;
}

}  // namespace soresolve
