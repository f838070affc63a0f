#include "gpu/cuda_process.h"

#include <algorithm>
#include <set>

#include "elf/library_name.h"
#include "soresolve/loader.h"

namespace soresolve {
namespace {

constexpr std::string_view kDriverName = "libcuda.so.1";

bool is_member(const LoadedObject& object) {
  if (object.role != ObjectRole::Library && object.role != ObjectRole::Main) return false;
  return is_cuda_family(library_family(object.elf.soname ? *object.elf.soname : object.path));
}
bool is_member(const Dlopen& opened) {
  return opened.source != DlopenSource::Literal && opened.is_good() && is_cuda_family(library_family(opened.shown().path));
}

class Gatherer {
 public:
  Gatherer(const System& system, const Process& process, const LinkMap& map, const CudaContracts& contracts)
      : system_(system), process_(process), map_(map), contracts_(contracts) {}

  std::optional<CudaProcess> run(const Dlopens& dlopens) {
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      const LoadedObject& object = map_.objects[i];
      if (object.role != ObjectRole::Library && object.role != ObjectRole::Main) continue;
      add_framework(object);
      if (is_member(object)) add(std::string(object.path), i, {});
    }
    for (const Dlopen& opened : dlopens.list) {
      if (is_member(opened)) add(opened.shown().path, kNoObject, opened.opener);
    }
    if (found_.members.empty()) return std::nullopt;
    find_driver();
    found_.module = read_kernel_module(*system_.files);
    return std::move(found_);
  }

 private:
  void add(const std::string& path, ObjectIndex object, const std::string& opener) {
    if (path.empty() || path.front() != '/') return;
    std::optional<CudaLibrary> library = read_cuda_library(*system_.files, path);
    if (!library || !seen_.insert(library->real).second) return;
    found_.members.push_back({*std::move(library), object, opener});
  }

  void add_framework(const LoadedObject& object) {
    if (object.path.find("/torch/lib/") == std::string_view::npos) return;
    const Result<std::string, Errno> real = system_.files->real_path(object.path);
    const std::string site = real ? torch_site_of(*real) : std::string();
    if (site.empty() || !sites_.insert(site).second) return;
    if (std::optional<InstalledFramework> torch = read_torch_build(*system_.files, site)) {
      found_.frameworks.push_back(*std::move(torch));
    }
  }

  /// The runtime opens the driver by its name: what is in the process already counts, else its own search.
  void find_driver() {
    const std::vector<const CudaMember*> loaded = found_.of("libcuda");
    std::string path = loaded.empty() ? std::string() : loaded.front()->library.path;
    if (path.empty()) {
      const std::vector<const CudaMember*> runtimes = found_.of("libcudart");
      const ObjectIndex opener = runtimes.empty() || runtimes.front()->object == kNoObject ? map_.subject_root()
                                                                                         : runtimes.front()->object;
      LoneSearcher searcher(system_, process_, map_);
      path = searcher.search(opener, kDriverName, PastFirst::Stop).path;
    }
    if (!path.empty()) found_.driver = read_driver_library(*system_.files, absolute_path(path, process_.cwd), contracts_);
  }

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  const CudaContracts& contracts_;
  CudaProcess found_;
  std::set<std::string> seen_;
  std::set<std::string> sites_;
};

}  // namespace

std::vector<const CudaMember*> CudaProcess::of(std::string_view family) const {
  std::vector<const CudaMember*> found;
  for (const CudaMember& member : members) {
    if (member.library.family == family) found.push_back(&member);
  }
  return found;
}

bool has_cuda(const LinkMap& map, const Dlopens& dlopens) {
  return std::any_of(map.objects.begin(), map.objects.end(), [](const LoadedObject& object) { return is_member(object); }) ||
         std::any_of(dlopens.list.begin(), dlopens.list.end(), [](const Dlopen& opened) { return is_member(opened); });
}

std::optional<CudaProcess> read_cuda_process(const System& system, const Process& process, const LinkMap& map,
                                             const Dlopens& dlopens, const CudaContracts& contracts) {
  return Gatherer(system, process, map, contracts).run(dlopens);
}

}  // namespace soresolve
