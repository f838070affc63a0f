// The runtime of AddressSanitizer ends a process in which it is not the first library: what is loaded before it has
// taken malloc already. Source: compiler-rt lib/asan/asan_linux.cpp:AsanCheckDynamicRTPrereqs, which looks at the list
// of dl_iterate_phdr without the program and the vDSO; ASAN_OPTIONS=verify_asan_link_order=0 switches it off.
// Not here: programs with a runtime of their own inside (clang's default), whose check is another one.
#include <algorithm>

#include "base/path.h"
#include "diagnose/detectors.h"
#include "diagnose/diagnosis_input.h"
#include "loader/process.h"

namespace soresolve {
namespace {

bool is_runtime(const LoadedObject& object) {
  const std::string_view name = file_name_of(object.path);
  return name.starts_with("libasan.so") || name.find("libclang_rt.asan") != std::string_view::npos;
}

}  // namespace

std::optional<Problem> find_late_sanitizer(const LinkMap& map) {
  const auto is_library = [](const LoadedObject& object) { return object.role == ObjectRole::Library; };
  const auto runtime = std::find_if(map.objects.begin(), map.objects.end(), [&](const LoadedObject& object) {
    return is_library(object) && is_runtime(object);
  });
  const auto first = std::find_if(map.objects.begin(), map.objects.end(), is_library);
  const bool is_off = map.process->environment.value("ASAN_OPTIONS").value_or("").find("verify_asan_link_order=0") !=
                      std::string_view::npos;
  if (runtime == map.objects.end() || runtime == first || is_off || map.process->start != Start::Kernel)
    return std::nullopt;
  Problem problem = make_problem(
      map, ProblemCode::WouldCrash, std::string(runtime->path),
      say("sanitizer-not-first",
          {{"runtime", file_name_of(runtime->path)}, {"first", first->path}, {"program", map.objects.front().name()}}));
  problem.object = static_cast<ObjectIndex>(runtime - map.objects.begin());
  problem.loader_says =
      "ASan runtime does not come first in initial library list; you should either link runtime to "
      "your application or manually preload it with LD_PRELOAD.";
  problem.dlerror_says = problem.loader_says;
  return problem;
}

}  // namespace soresolve
