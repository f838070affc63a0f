// Lists the CUDA libraries and frameworks of one link map, with those that are opened later, and finds the driver as
// the runtime would: by the name libcuda.so.1. Names that are only guessed from strings are left out.
#include "cuda/cuda_process.h"

#include <algorithm>

#include "base/path.h"
#include "cuda/contracts.h"
#include "cuda/cuda_library.h"
#include "cuda/cuda_release.h"
#include "cuda/driver.h"
#include "cuda/framework_build.h"
#include "elf/library_name.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

constexpr std::string_view kDriverName = "libcuda.so.1";

bool is_file(const LoadedObject& object) {
  return object.role == ObjectRole::Library || object.role == ObjectRole::Main;
}
std::string_view name_of_member(const LoadedObject& object) {
  return object.elf.soname ? *object.elf.soname : file_name_of(object.path);
}
bool is_member(const LoadedObject& object) {
  return is_file(object) && is_cuda_family(library_family(name_of_member(object)));
}
bool is_member(const Dlopen& opened) {
  return opened.source != DlopenSource::Literal && opened.is_good() &&
         is_cuda_family(library_family(opened.shown().path));
}

}  // namespace

CudaProcess::CudaProcess(const LinkMap& map, const Dlopens& dlopens, const CudaContracts& contracts)
    : system_(*map.system), process_(*map.process), map_(map), contracts_(contracts),
      module_(read_kernel_module(*map.system->files)) {
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const LoadedObject& object = map.objects[i];
    if (is_file(object)) add_framework(object);
    if (is_member(object)) add(std::string(object.path), name_of_member(object), i);
  }
  for (const Dlopen& opened : dlopens.list) {
    if (is_member(opened)) add(opened.shown().path, file_name_of(opened.shown().path), kNoObject);
  }
}

void CudaProcess::add(const std::string& path, std::string_view name, ObjectIndex object) {
  if (path.empty()) return;
  std::string absolute = absolute_path(path, process_.cwd);
  CudaMember member{std::string(library_family(name)), std::string(name), absolute, real_path_of(absolute), object};
  const bool is_known =
      std::any_of(members_.begin(), members_.end(), [&](const CudaMember& known) { return known.real == member.real; });
  if (!is_known) members_.push_back(std::move(member));
}

/// Members lie side by side: where their folder really is has to be found out once.
std::string CudaProcess::real_path_of(const std::string& path) {
  const FileSystem& files = *system_.files;
  const std::size_t slash = path.rfind('/');
  const std::string_view last = file_name_of(path);
  const bool is_plain = slash != std::string::npos && last != "." && last != ".." && !files.read_link(path);
  if (is_plain && files.status(path)) {
    const auto [folder, is_new] = real_folders_.try_emplace(path.substr(0, slash + 1));
    if (is_new) {
      const Result<std::string, Errno> real = files.real_path(folder->first);
      if (real) folder->second = *real + (real->ends_with('/') ? "" : "/");
    }
    if (!folder->second.empty()) return folder->second + std::string(last);
  }
  const Result<std::string, Errno> real = files.real_path(path);
  return real ? *real : path;
}

void CudaProcess::add_framework(const LoadedObject& object) {
  constexpr std::string_view kTensorflow = "/tensorflow/libtensorflow_framework.so";
  const bool is_torch = object.path.find("/torch/lib/") != std::string_view::npos;
  if (!is_torch && object.path.find(kTensorflow) == std::string_view::npos) return;
  const std::string real = real_path_of(absolute_path(object.path, process_.cwd));
  const std::string site = is_torch ? torch_site_of(real) : real.substr(0, real.rfind("/tensorflow/"));
  const bool is_known = std::any_of(frameworks_.begin(), frameworks_.end(),
                                    [&](const InstalledFramework& known) { return known.site == site; });
  if (site.empty() || is_known) return;
  std::optional<InstalledFramework> framework =
      is_torch ? read_torch_build(*system_.files, site) : read_tensorflow_build(*system_.files, site);
  if (framework) frameworks_.push_back(*std::move(framework));
}

std::vector<const CudaMember*> CudaProcess::of(std::string_view family) const {
  std::vector<const CudaMember*> found;
  for (const CudaMember& member : members_) {
    if (member.family == family) found.push_back(&member);
  }
  return found;
}

const CudaLibrary& CudaProcess::library(const CudaMember& member) {
  const auto known = libraries_.find(member.real);
  if (known != libraries_.end()) return known->second;
  std::optional<CudaLibrary> library = read_cuda_library(*system_.files, member.path);
  return libraries_.emplace(member.real, library ? *std::move(library) : CudaLibrary{}).first->second;
}

const std::optional<ReportedVersion>& CudaProcess::cuda_release(const CudaMember& member) {
  const auto known = releases_.find(member.real);
  if (known != releases_.end()) return known->second;
  return releases_.emplace(member.real, find_cuda_release(*system_.files, library(member), contracts_)).first->second;
}

std::uint32_t CudaProcess::cuda_major_of_name(std::string_view soname) const {
  return soresolve::cuda_major_of_name(contracts_, soname);
}

const DriverLibrary* CudaProcess::driver() {
  if (!is_driver_read_) {
    is_driver_read_ = true;
    const std::string path = find_driver();
    if (!path.empty()) driver_ = read_driver_library(*system_.files, path, contracts_);
  }
  return driver_ ? &*driver_ : nullptr;
}

/// The runtime opens the driver by its name: what is in the process already counts, else its own search.
std::string CudaProcess::find_driver() const {
  const std::vector<const CudaMember*> loaded = of("libcuda");
  if (!loaded.empty()) return loaded.front()->path;
  const std::vector<const CudaMember*> runtimes = of("libcudart");
  const bool is_in_map = !runtimes.empty() && runtimes.front()->object != kNoObject;
  LoneSearcher searcher(map_);
  const LoneSearch search =
      searcher.search(is_in_map ? runtimes.front()->object : map_.subject_root(), kDriverName, PastFirst::Stop);
  return search.path.empty() ? std::string() : absolute_path(search.path, process_.cwd);
}

bool has_cuda(const LinkMap& map, const Dlopens& dlopens) {
  return std::any_of(map.objects.begin(), map.objects.end(),
                     [](const LoadedObject& object) { return is_member(object); }) ||
         std::any_of(dlopens.list.begin(), dlopens.list.end(), [](const Dlopen& opened) { return is_member(opened); });
}

}  // namespace soresolve
