#include "diagnose/detectors.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "diagnose/dlopen_missing.h"
#include "diagnose/in_the_way.h"
#include "diagnose/preload_in_effect.h"
#include "diagnose/start_findings.h"
#include "diagnose/static_tls.h"
#include "diagnose/stub_library.h"
#include "diagnose/two_copies.h"
#include "diagnose/unsafe_element.h"
#include "soresolve/check.h"
#include "soresolve/diagnose.h"

namespace soresolve {

std::vector<Finding> detect_all(const Scene& scene, std::span<const Finding> known) {
  std::vector<Finding> findings;
  const auto add = [&](std::vector<Finding> more) {
    std::move(more.begin(), more.end(), std::back_inserter(findings));
  };
  const bool is_lost = std::any_of(known.begin(), known.end(),
                                   [](const Finding& finding) { return severity_of(finding.kind) == Severity::Fatal; });
  // Symbols cost more than all the rest together, and while a library or a version is missing they say
  // nothing new.
  std::optional<Check> check;
  if (!is_lost && scene.map.openings_left == 0) {
    Result<Check> judged = check_start(scene.map);
    if (judged) {
      check = std::move(judged).value();
    } else {
      add({make_finding(FindingKind::Note, {}, "symbols could not be checked: " + judged.error().to_string())});
    }
  }
  add(find_above_cpu(scene));
  if (check) add(find_other_end(scene, *check));
  if (check) add(find_missing_symbols(scene, *check));
  add(find_two_copies(scene, check ? &check->facts.bindings : nullptr));
  constexpr std::vector<Finding> (*kDetectors[])(const Scene&) = {
      find_lost_dlopens, find_stub_libraries, find_files_in_the_way,
      find_static_tls,   find_preloads,       find_unsafe_elements,
  };
  for (const auto detect : kDetectors) add(detect(scene));
  // What is certain leaves nothing to warn of.
  const bool is_full = std::any_of(findings.begin(), findings.end(),
                                   [](const Finding& finding) { return finding.kind == FindingKind::StaticTlsFull; });
  if (is_full) std::erase_if(findings, [](const Finding& f) { return f.kind == FindingKind::StaticTls; });
  add(find_cuda_problems(scene.map, scene.dlopens));
  return findings;
}

}  // namespace soresolve
