// Runs every detector of problems that need no failed search: processor, symbols, copies, stubs, files in the way, TLS,
// preloads, unsafe directories, CUDA. Symbols are bound only while no library or version is missing. A new detector is
// a function that this list names.
#include "diagnose/detectors.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "diagnose/cuda_rules.h"
#include "diagnose/static_tls.h"
#include "soresolve/diagnose.h"

namespace soresolve {

std::vector<Problem> detect_all(const DiagnosisInput& input, const Check* check) {
  std::vector<Problem> problems;
  const auto add = [&](std::vector<Problem> more) {
    std::move(more.begin(), more.end(), std::back_inserter(problems));
  };
  add(find_above_cpu(input));
  if (check != nullptr) add(find_other_end(input, *check));
  if (check != nullptr) add(find_missing_symbols(input, *check));
  add(find_two_copies(input, check != nullptr ? &check->facts.bindings : nullptr));
  if (check != nullptr && check->is_ok() && input.asked.empty()) add(find_symbols_taken_over(input.map));
  constexpr std::vector<Problem> (*kDetectors[])(const DiagnosisInput&) = {
      find_missing_dlopens, find_stub_libraries, find_cut_files,       find_files_in_the_way, find_static_tls,
      find_exec_stack,      find_preloads,       find_unsafe_elements, find_rpath_lint,
  };
  for (const auto detect : kDetectors) add(detect(input));
  // What is certain leaves nothing to warn of.
  const bool is_full = std::any_of(problems.begin(), problems.end(),
                                   [](const Problem& problem) { return problem.code == ProblemCode::StaticTlsFull; });
  if (is_full) std::erase_if(problems, [](const Problem& f) { return f.code == ProblemCode::StaticTls; });
  if (check == nullptr) {
    add(find_cuda_problems(input.map, input.dlopens));
  } else {
    add(find_call_problems(input.map, *check, input.dlopens));
  }
  return problems;
}

}  // namespace soresolve
