// Source: glibc elf/rtld.c:dl_main (handle_preload_list): LD_PRELOAD, then /etc/ld.so.preload.
#include "diagnose/preload_in_effect.h"

#include <string>

#include "loader/preload.h"
#include "loader/process.h"

namespace soresolve {

std::vector<Problem> find_preloads(const Scene& scene) {
  Problem problem = make_problem(ProblemCode::PreloadInEffect, {}, {});
  const std::vector<Need>& needs = scene.map.main().needs;
  const auto from_environment = scene.map.process->environment.value(kPreloadVariable);
  for (std::uint32_t k = 0; k < needs.size(); ++k) {
    const Need& need = needs[k];
    if (need.kind != NeedKind::Preload || need.target == kNoObject || !scene.is_of_interest(need.name)) continue;
    const LoadedObject& object = scene.map.objects[need.target];
    if (object.role != ObjectRole::Library) continue;
    const bool is_of_environment = from_environment && from_environment->find(need.written) != std::string_view::npos;
    problem.requests.push_back({0, k});
    problem.evidence.push_back(
        say("path-by-step", {{"path", object.path}, {"step", is_of_environment ? kPreloadVariable : kPreloadFile}}));
    if (problem.name.empty()) problem.name = std::string(need.name);
  }
  if (problem.evidence.empty()) return {};
  problem.what = say("preload-in-effect");
  return {std::move(problem)};
}

}  // namespace soresolve
