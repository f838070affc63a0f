// glibc's and musl's loaders map each PT_LOAD without a look at the file's size: what lies past its end on the last
// page is zeros, and a page further SIGBUS (mmap(2)). Where the loader itself would touch it, the walk has told.
#include "diagnose/detectors.h"

#include <string>

namespace soresolve {

std::vector<Problem> find_cut_files(const DiagnosisInput& input) {
  std::vector<Problem> problems;
  for (ObjectIndex i = 0; i < input.map.objects.size(); ++i) {
    const LoadedObject& object = input.map.objects[i];
    const ElfObject& elf = object.elf;
    if (elf.file_bytes == 0 || !input.belongs[i] || !input.is_of_interest(object.requested_name)) continue;
    const std::uint64_t whole = elf.load_end();
    if (whole <= elf.file_bytes) continue;
    const std::string path(object.path);
    Problem problem =
        make_problem(input.map, ProblemCode::FileCut, std::string(object.requested_name),
                     say("file-cut", {{"path", path}, {"missing", whole - elf.file_bytes}, {"whole", whole}}));
    problem.object = i;
    problem.evidence = {
        {.what = say("file-cut-proof", {{"path", path}, {"size", elf.file_bytes}, {"whole", whole}}), .path = path}};
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace soresolve
