// Judges requirements against a process: releases of its CUDA libraries, driver, glibc, frameworks, GPU code for a
// device. Source: cuda/contracts.json for devices; versions compare as numbers, trailing zeros aside (PEP 440). An
// unknown version meets nothing.
#include <algorithm>
#include <set>

#include "cuda/contracts.h"
#include "cuda/cuda_process.h"
#include "cuda/driver.h"
#include "cuda/framework_build.h"
#include "diagnose/diagnosis_input.h"
#include "diagnose/requirement.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/cuda.h"
#include "soresolve/diagnose.h"

namespace soresolve {
namespace {

/// 2.5.0 is 2.5: as releases are compared (PEP 440).
std::vector<std::uint32_t> without_zeros(const DottedVersion& version) {
  std::vector<std::uint32_t> parts = version.parts;
  while (parts.size() > 1 && parts.back() == 0) parts.pop_back();
  return parts;
}

/// 12.4.127 is within 12.4, and so neither less nor greater; 12.4 may be 12.4.1 or not, which proves nothing.
bool holds(const DottedVersion& seen, Relation relation, const DottedVersion& wanted) {
  const auto order = without_zeros(seen) <=> without_zeros(wanted);
  const bool is_within = seen.is_within(wanted) || order == 0;
  const bool is_less_exact = !is_within && wanted.is_within(seen);
  switch (relation) {
    case Relation::Within: return is_within;
    case Relation::NotWithin: return !is_within && !is_less_exact;
    case Relation::Equal: return order == 0;
    case Relation::Less: return order < 0 && !is_less_exact;
    case Relation::LessEqual: return order < 0 || is_within;
    case Relation::Greater: return order > 0 && !is_within;
    case Relation::GreaterEqual: return order >= 0;
  }
  return false;
}

class Judge {
 public:
  Judge(const LinkMap& map, const Dlopens& dlopens, const GpuContracts& contracts)
      : system_(*map.system), process_(*map.process), map_(map), dlopens_(dlopens), contracts_(contracts),
        cuda_(map, dlopens, contracts.cuda) {}

  Result<RequirementVerdict> judge(const Requirement& requirement) {
    RequirementVerdict verdict;
    verdict.requirement = requirement;
    switch (requirement.thing) {
      case RequiredThing::Cuda:
        judge_members(
            say("kind-runtime"), [](const CudaMember& member) { return member.family == "libcudart"; },
            [](const CudaLibrary& library) { return library.cuda; }, verdict);
        break;
      case RequiredThing::Cudnn:
        judge_members(
            words_of_others("cuDNN"), [](const CudaMember& member) { return member.family.starts_with("libcudnn"); },
            [](const CudaLibrary& library) { return library.version; }, verdict);
        break;
      case RequiredThing::Nccl:
        judge_members(
            words_of_others("NCCL"), [](const CudaMember& member) { return member.family == "libnccl"; },
            [](const CudaLibrary& library) { return library.version; }, verdict);
        break;
      case RequiredThing::Driver: judge_driver(verdict); break;
      case RequiredThing::Glibc: judge_glibc(verdict); break;
      case RequiredThing::Framework: judge_framework(verdict); break;
      case RequiredThing::Device:
        if (std::optional<Error> error = judge_device(verdict)) return Unexpected{*std::move(error)};
        break;
    }
    return verdict;
  }

 private:
  /// All members of a kind have to be right; one of unknown version refutes only if no other tells.
  template <class IsOne, class VersionOf>
  void judge_members(const Statement& what, IsOne is_one, VersionOf version_of, RequirementVerdict& verdict) {
    std::set<std::string> seen;
    NameList versions;
    std::size_t known = 0;
    std::size_t right = 0;
    for (const CudaMember& member : cuda_.members()) {
      if (!is_one(member)) continue;
      const CudaLibrary& library = cuda_.library(member);
      const DottedVersion version = version_of(library);
      const bool is_known = !version.empty();
      known += is_known ? 1 : 0;
      right += is_known && holds(version, verdict.requirement.relation, verdict.requirement.version) ? 1 : 0;
      if (is_known && seen.insert(version.text).second) {
        versions.shown.push_back(version.text);
        const ReportedVersion& reported = library.reported.front();
        verdict.evidence.push_back({.what = say("name-reason", {{"name", member.path}, {"reason", reported.proof}}),
                                    .path = member.path,
                                    .offset = reported.offset});
      } else if (!is_known) {
        verdict.evidence.push_back({.what = say("version-untold-of", {{"path", member.path}}), .path = member.path});
      }
    }
    verdict.is_met = known != 0 && right == known;
    verdict.is_absent = verdict.evidence.empty();
    verdict.seen = verdict.evidence.empty() ? say("none-in-process", {{"kind", what}})
                   : versions.shown.empty() ? say("kind-version-untold", {{"kind", what}})
                                            : say("kind-versions", {{"kind", what}, {"versions", versions}});
  }

  void judge_driver(RequirementVerdict& verdict) {
    const DriverLibrary* const driver = cuda_.driver();
    DottedVersion version;
    if (driver != nullptr && driver->stub) {
      verdict.seen = say("stub-for-driver");
      verdict.evidence = {{.what = say("name-reason", {{"name", driver->library.path}, {"reason", *driver->stub}}),
                           .path = driver->library.path}};
      return;
    }
    if (driver != nullptr) {
      version = driver->version;
      const std::string& path = driver->library.path;
      verdict.evidence.push_back({.what = version.empty()
                                              ? say("version-untold-of", {{"path", path}})
                                              : say("name-reason", {{"name", path}, {"reason", version.text}}),
                                  .path = path});
    }
    if (cuda_.module()) {
      const KernelModule& module = *cuda_.module();
      verdict.evidence.push_back(
          {.what = say("name-reason", {{"name", module.path}, {"reason", module.version.text}}), .path = module.path});
      if (version.empty()) version = cuda_.module()->version;
    }
    verdict.seen = !version.empty()    ? say("seen-driver", {{"version", version.text}})
                   : driver != nullptr ? say("driver-untold")
                                       : say("no-driver");
    verdict.is_absent = cuda_.members().empty() || (version.empty() && driver == nullptr);
    verdict.is_met = !version.empty() && holds(version, verdict.requirement.relation, verdict.requirement.version);
  }

  void judge_glibc(RequirementVerdict& verdict) const {
    const std::string text = system_.rules.version.to_string();
    verdict.seen = words_of_others("glibc " + text);
    verdict.evidence = {{.what = words_of_others(system_.loader_path), .path = system_.loader_path}};
    const std::optional<DottedVersion> version = parse_dotted(text);
    verdict.is_met = version && holds(*version, verdict.requirement.relation, verdict.requirement.version);
  }

  void judge_framework(RequirementVerdict& verdict) const {
    const Requirement& requirement = verdict.requirement;
    for (const InstalledFramework& framework : cuda_.frameworks()) {
      if (framework.name != requirement.name) continue;
      verdict.seen = words_of_others(framework.name + " " + framework.version);
      verdict.evidence = {{.what = words_of_others(framework.reported_by), .path = framework.reported_by}};
      verdict.is_met =
          requirement.version.empty() ||
          (!framework.release.empty() && holds(framework.release, requirement.relation, requirement.version));
      return;
    }
    verdict.is_absent = true;
    verdict.seen = say("none-in-process", {{"kind", requirement.name}});
  }

  /// Every file with GPU code has some for it.
  std::optional<Error> judge_device(RequirementVerdict& verdict) const {
    std::vector<GpuDevice> devices;
    if (verdict.requirement.name == "host") {
      Result<std::vector<std::string>> names = list_devices(*system_.files);
      if (!names) return std::move(names).error();
      for (const std::string& name : *names) {
        Result<GpuDevice> device = find_device(contracts_, name);
        if (!device) return std::move(device).error();
        devices.push_back(std::move(device).value());
      }
    } else {
      Result<GpuDevice> device = find_device(contracts_, verdict.requirement.name);
      if (!device) return std::move(device).error();
      devices.push_back(std::move(device).value());
    }
    std::size_t with_code = 0;
    std::size_t without = 0;
    for (const std::string& path : files_of_process()) {
      const auto file = system_.files->open(path);
      if (!file) continue;
      const Result<GpuCode> code = read_gpu_code(**file, path);
      if (!code || code->entries == 0) continue;
      ++with_code;
      for (const GpuDevice& device : devices) {
        const GpuVerdict runs = judge_gpu_code(contracts_, *code, device);
        if (!runs.runs()) {
          ++without;
          verdict.evidence.push_back(
              {.what = say("no-code-for",
                           {{"path", path}, {"capability", device.capability.to_string()}, {"source", device.source}}),
               .path = path});
        }
      }
    }
    verdict.is_absent = with_code == 0;
    verdict.is_met = with_code != 0 && without == 0;
    verdict.seen = with_code == 0
                       ? say("no-gpu-code")
                       : say(without == 0 ? "files-each-with-code" : "files-with-code", {{"count", with_code}});
    return std::nullopt;
  }

  [[nodiscard]] std::vector<std::string> files_of_process() const {
    std::vector<std::string> paths;
    std::set<std::string> known;
    const auto add = [&](const std::string& path) {
      const Result<std::string, Errno> real = system_.files->real_path(path);
      if (!path.empty() && known.insert(real ? *real : path).second) paths.push_back(path);
    };
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      const LoadedObject& object = map_.objects[i];
      const std::string path = object.role == ObjectRole::Main ? map_.main_path : std::string(object.path);
      if (object.role == ObjectRole::Library || object.role == ObjectRole::Main) add(absolute_path(path, process_.cwd));
    }
    for (const Dlopen& opened : dlopens_.list) {
      if (opened.is_good() && opened.source != DlopenSource::Literal)
        add(absolute_path(opened.shown().path, process_.cwd));
    }
    return paths;
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  const Dlopens& dlopens_;
  const GpuContracts& contracts_;
  CudaProcess cuda_;
};

}  // namespace

Problem problem_of(const LinkMap& map, const RequirementVerdict& verdict) {
  const Requirement& requirement = verdict.requirement;
  Problem problem = make_problem(map, ProblemCode::RequirementUnmet, requirement.text,
                                 say("is-not-met", {{"requirement", requirement.text}, {"seen", verdict.seen}}));
  const bool is_of_gpu = requirement.thing == RequiredThing::Driver || requirement.thing == RequiredThing::Device;
  if (is_of_gpu) problem.phase = Phase::Gpu;
  problem.evidence = verdict.evidence;
  return problem;
}

Result<std::vector<RequirementVerdict>> judge_requirements(const LinkMap& map, const Dlopens& dlopens,
                                                           const GpuContracts& contracts,
                                                           const std::vector<Requirement>& requirements) {
  Judge judge(map, dlopens, contracts);
  std::vector<RequirementVerdict> verdicts;
  for (const Requirement& requirement : requirements) {
    Result<RequirementVerdict> verdict = judge.judge(requirement);
    if (!verdict) return Unexpected{std::move(verdict).error()};
    verdicts.push_back(std::move(verdict).value());
  }
  return verdicts;
}

}  // namespace soresolve
