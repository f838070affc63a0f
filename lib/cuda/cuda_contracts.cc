// Source of the rules: the CUDA Toolkit release notes, "CUDA Toolkit and Minimum Required Driver
// Versions", and the CUDA Compatibility guide.
#include "soresolve/cuda.h"

#include <algorithm>

#include "cuda/contracts.h"

namespace soresolve {
namespace {

const MinorCompatibility* find_minor_rule(const CudaContracts& contracts, std::uint32_t cuda_major) {
  for (const MinorCompatibility& rule : contracts.minor_compatibility) {
    if (rule.cuda_major == cuda_major) return &rule;
  }
  return nullptr;
}

}  // namespace

const DriverBranch* find_branch(const CudaContracts& contracts, const DottedVersion& driver) {
  const DriverBranch* found = nullptr;
  for (const DriverBranch& branch : contracts.driver_branches) {
    if (branch.branch <= driver.major_number()) found = &branch;
  }
  return found;
}

const CudaToolkit* find_toolkit(const CudaContracts& contracts, const DottedVersion& release) {
  for (const CudaToolkit& toolkit : contracts.toolkits) {
    if (toolkit.release == release.first(2)) return &toolkit;
  }
  return nullptr;
}

RuntimeVerdict judge_runtime(const CudaContracts& contracts, const DottedVersion& release, const DottedVersion& driver,
                             const DottedVersion& driver_cuda) {
  if (release.empty() || (driver.empty() && driver_cuda.empty())) return {};
  const CudaToolkit* const toolkit = find_toolkit(contracts, release);
  const bool knows_release =
      !driver_cuda.empty() ? release.first(2) <= driver_cuda : toolkit != nullptr && driver >= toolkit->driver;
  if (knows_release) return {RuntimeFit::Full, {}, {}};
  const MinorCompatibility* const rule = find_minor_rule(contracts, release.major_number());
  if (rule != nullptr) {
    const bool is_new_enough =
        driver.empty() ? driver_cuda.major_number() >= release.major_number() : driver >= rule->driver;
    return {is_new_enough ? RuntimeFit::Minor : RuntimeFit::Refused, "driver " + rule->driver.text + " or newer",
            rule->source};
  }
  if (toolkit != nullptr) {  // before 11.0 no driver runs what is newer than it
    return {RuntimeFit::Refused, "driver " + toolkit->driver.text + " or newer", toolkit->source};
  }
  // A release that no row has: newer than this table.
  return {RuntimeFit::Unknown, {}, {}};
}

DottedVersion oldest_driver(const CudaContracts& contracts, const DottedVersion& release) {
  if (release.empty()) return {};
  if (const MinorCompatibility* rule = find_minor_rule(contracts, release.major_number())) return rule->driver;
  const CudaToolkit* const toolkit = find_toolkit(contracts, release);
  return toolkit == nullptr ? DottedVersion{} : toolkit->driver;
}

std::vector<const FrameworkBuild*> find_builds(const CudaContracts& contracts, std::string_view name,
                                               const DottedVersion& release, const DottedVersion& cuda) {
  std::vector<const FrameworkBuild*> builds;
  for (const FrameworkBuild& build : contracts.frameworks) {
    const bool is_cuda = cuda.empty() || build.cuda == cuda.first(2);
    if (build.name == name && release.is_within(build.release) && is_cuda) builds.push_back(&build);
  }
  return builds;
}

}  // namespace soresolve
