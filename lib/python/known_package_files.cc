// Its own files lie beside a package, those of wheels where sys.path comes to them first.
#include "python/known_package_files.h"

#include <algorithm>
#include <vector>

#include "base/path.h"
#include "cuda/framework_build.h"
#include "packages/package_records.h"
#include "packages/wheel_requirements.h"

namespace soresolve {

KnownPackageFiles::KnownPackageFiles(const FileSystem& files, const Environment& environment, PythonFinder& finder)
    : files_(files), environment_(environment), finder_(finder) {}

bool KnownPackageFiles::holds(const KnownFile& known, const KnownOpen& open) const {
  const bool is_for_machine =
      open.device == KnownDevice::Any || (open.device == KnownDevice::Present) == has_gpu_device(files_);
  return is_for_machine && holds_for(known.release, open.from_release, open.to_release);
}

std::string KnownPackageFiles::path_of(const KnownFile& known, const KnownOpen& open) const {
  if (open.names.find('{') != std::string_view::npos) return path_for_torch(known, open);
  KnownFile at = known;
  std::vector<std::string> sites = finder_.path();
  sites.insert(sites.begin(), known.site);
  // Its own files lie beside it, those of wheels where sys.path comes to them first.
  if (open.folder.starts_with("wheel:") || open.folder.starts_with("nvidia/") || !open.wheel.empty())
    sites.erase(sites.begin());
  else
    sites.resize(1);
  for (const std::string& site : sites) {
    at.site = site;
    if (DlopenChoice choice = path_for(files_, at, open); !choice.path.empty()) return choice.path;
  }
  return {};
}

std::optional<InstalledFramework> KnownPackageFiles::torch_build() const {
  const auto torch = finder_.find("torch", finder_.path());
  if (!torch || torch->search.empty()) return std::nullopt;
  return read_torch_build(files_, std::string(directory_of(torch->search.front())));
}

std::string KnownPackageFiles::path_for_torch(const KnownFile& known, const KnownOpen& open) const {
  const auto build = torch_build();
  const std::string folder = known.site + "/" + std::string(open.folder);
  const std::string_view before = open.names.substr(0, open.names.find('{'));
  const std::string_view variable = environment_.value("BNB_CUDA_VERSION").value_or("");
  std::string name = std::string(before) + std::string(variable) + ".so";
  if (variable.empty()) {
    if (!build || build->cuda.parts.size() < 2) return {};
    const bool takes_nearest = open.names.find("{nearest}") != std::string_view::npos;
    name = numbered_for_cuda(files_, folder, before, build->cuda, takes_nearest);
  }
  return files_.status(folder + "/" + name) ? folder + "/" + name : std::string();
}

std::optional<std::string> KnownPackageFiles::site_of_wheel(std::string_view wheel) const {
  for (const std::string& directory : finder_.path()) {
    const auto names = files_.list_directory(directory.empty() ? "/" : directory);
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      const auto found = wheel_name_of(name);
      if (found && normalised_wheel_name(found->name) == wheel) return directory;
    }
  }
  return std::nullopt;
}

std::string KnownPackageFiles::wheel_name(const KnownOpen& open) const {
  constexpr std::string_view kWheel = "wheel:";
  if (!open.folder.starts_with(kWheel)) return {};
  const auto torch = torch_build();
  if (!torch || torch->cuda.empty()) return {};
  const std::string_view part = open.folder.substr(kWheel.size());
  const std::uint32_t major = torch->cuda.major_number();
  constexpr std::string_view kApart[] = {"cudnn", "nccl", "nvshmem", "cusparselt"};
  const bool is_apart = std::find(std::begin(kApart), std::end(kApart), part) != std::end(kApart);
  const std::string suffix = major < 13 || is_apart ? "-cu" + std::to_string(major) : std::string();
  return "nvidia-" + normalised_wheel_name(part) + suffix;
}

}  // namespace soresolve
