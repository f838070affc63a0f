// Loaded libraries that are stubs for the link editor, by the signs of cuda/stub_sign.cc (a stubs directory, a driver
// library that needs no libc). Stubs that are opened later are in dlopen_missing.cc.
#include "diagnose/detectors.h"

#include "cuda/stub_sign.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {

std::vector<Problem> find_stub_libraries(const DiagnosisInput& input) {
  std::vector<Problem> problems;
  for (ObjectIndex i = 0; i < input.map.objects.size(); ++i) {
    const LoadedObject& object = input.map.objects[i];
    if (object.role != ObjectRole::Library || !input.belongs[i] || !input.is_of_interest(object.requested_name))
      continue;
    // A stub needs nothing; to walk the links of every other library would take time.
    const bool may_be = object.path.find("/stubs/") != std::string_view::npos || !object.elf.has_needed();
    if (!may_be) continue;
    const std::string path(object.path);
    const std::optional<Statement> sign =
        stub_sign(*input.map.system->files, absolute_path(path, input.map.process->cwd), &object.elf);
    if (!sign) continue;
    Problem problem = make_problem(input.map, ProblemCode::StubLibrary, std::string(object.requested_name),
                                   say("stub-library", {{"path", path}}));
    problem.object = i;
    problem.evidence = {{.what = *sign, .path = path}};
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace soresolve
