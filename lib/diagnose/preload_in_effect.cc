// Source: glibc elf/rtld.c:dl_main (handle_preload_list): LD_PRELOAD, then /etc/ld.so.preload.
#include "diagnose/detectors.h"

#include <string>

#include "loader/preload.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {

namespace {

/// Where ld.so.preload has the name.
std::optional<std::uint32_t> line_in_file(const System& system, std::string_view name) {
  for (const PreloadName& preload : parse_preload_file(system.preload_file.value_or(""))) {
    if (preload.name == name) return preload.line;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Problem> find_preloads(const DiagnosisInput& input) {
  Problem problem = make_problem(input.map, ProblemCode::PreloadInEffect, {}, {});
  const std::vector<Need>& needs = input.map.main().needs;
  const auto from_environment = input.map.process->environment.value(kPreloadVariable);
  for (std::uint32_t k = 0; k < needs.size(); ++k) {
    const Need& need = needs[k];
    if (need.kind != NeedKind::Preload || need.target == kNoObject || !input.is_of_interest(need.name)) continue;
    const LoadedObject& object = input.map.objects[need.target];
    if (object.role != ObjectRole::Library) continue;
    const bool is_of_environment = from_environment && from_environment->find(need.written) != std::string_view::npos;
    problem.requests.push_back({0, k});
    Evidence evidence{.what = say("path-by-step", {{"path", object.path},
                                                   {"step", is_of_environment ? kPreloadVariable : kPreloadFile}}),
                      .path = std::string(is_of_environment ? object.path : kPreloadFile)};
    if (!is_of_environment) evidence.line = line_in_file(*input.map.system, need.written);
    problem.evidence.push_back(std::move(evidence));
    if (problem.name.empty()) problem.name = std::string(need.name);
  }
  if (problem.evidence.empty()) return {};
  problem.what = say("preload-in-effect");
  return {std::move(problem)};
}

}  // namespace soresolve
