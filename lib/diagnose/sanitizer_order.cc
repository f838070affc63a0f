// The runtime of AddressSanitizer ends a process in which it is not the first library: what is loaded before it has
// taken malloc already. Source: compiler-rt lib/asan/asan_linux.cpp:AsanCheckDynamicRTPrereqs, which looks at the list
// of dl_iterate_phdr without the program and the vDSO; verify_asan_link_order=0 in ASAN_OPTIONS, or in what the
// program's own __asan_default_options() returns, switches it off (sanitizer_flag_parser.cpp: the last one counts).
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

/// Sources: compiler-rt lib/sanitizer_common/sanitizer_flag_parser.cpp:is_space, parse_flag; FlagHandler<bool>::Parse.
std::optional<bool> link_order_flag(std::string_view options) {
  constexpr std::string_view kSpace = " ,:\n\t\r";
  constexpr std::string_view kName = "verify_asan_link_order=";
  std::optional<bool> flag;
  while (!options.empty()) {
    const std::string_view word = options.substr(0, options.find_first_of(kSpace));
    options.remove_prefix(std::min(word.size() + 1, options.size()));
    if (!word.starts_with(kName)) continue;
    std::string_view value = word.substr(kName.size());
    const bool is_quoted = value.size() > 1 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0];
    if (is_quoted) value = value.substr(1, value.size() - 2);
    flag = value != "0" && value != "no" && value != "false";
  }
  return flag;
}

/// Does another object answer the runtime's call of __asan_default_options? What that returns is not known.
bool has_own_options(const Bindings& bindings, ObjectIndex runtime) {
  bool is_bound = false;
  bindings.for_each([&](const Bindings::Event& event) {
    const SymbolBinding* const binding = event.binding;
    is_bound = is_bound || (binding != nullptr && binding->referrer == runtime && binding->is_bound() &&
                            binding->provider != runtime && binding->symbol == "__asan_default_options");
  });
  return is_bound;
}

}  // namespace

std::optional<Problem> find_late_sanitizer(const LinkMap& map, const Bindings& bindings) {
  const auto is_library = [](const LoadedObject& object) { return object.role == ObjectRole::Library; };
  const auto runtime = std::find_if(map.objects.begin(), map.objects.end(), [&](const LoadedObject& object) {
    return is_library(object) && is_runtime(object);
  });
  const auto first = std::find_if(map.objects.begin(), map.objects.end(), is_library);
  if (runtime == map.objects.end() || runtime == first || map.process->start != Start::Kernel) return std::nullopt;
  const auto index = static_cast<ObjectIndex>(runtime - map.objects.begin());
  const std::optional<bool> flag = link_order_flag(map.process->environment.value("ASAN_OPTIONS").value_or(""));
  if (flag ? !*flag : has_own_options(bindings, index)) return std::nullopt;
  Problem problem = make_problem(
      map, ProblemCode::WouldCrash, std::string(runtime->path),
      say("sanitizer-not-first",
          {{"runtime", file_name_of(runtime->path)}, {"first", first->path}, {"program", map.objects.front().name()}}));
  problem.object = index;
  problem.loader_says =
      "ASan runtime does not come first in initial library list; you should either link runtime to "
      "your application or manually preload it with LD_PRELOAD.";
  problem.dlerror_says = problem.loader_says;
  return problem;
}

}  // namespace soresolve
