// The CUDA libraries of one process, and the driver that it would take.
//
// What they are is read when it is asked for: most processes are in order, and few questions need all.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/contracts.h"
#include "cuda/driver.h"
#include "cuda/framework_build.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/cuda.h"
#include "soresolve/dlopens.h"
#include "soresolve/link_map.h"

namespace soresolve {

struct CudaMember {
  std::string family;              ///< "libcudart"
  std::string name;                ///< its SONAME, or else its file name
  std::string path;                ///< absolute
  std::string real;                ///< without links
  ObjectIndex object = kNoObject;  ///< in the map; kNoObject: it is opened later
};

class CudaProcess {
 public:
  /// Gathers the members and frameworks. Borrows all but `dlopens`.
  CudaProcess(const LinkMap& map, const Dlopens& dlopens, const CudaContracts& contracts);

  /// In the map's order, then those that are opened later.
  [[nodiscard]] const std::vector<CudaMember>& members() const { return members_; }
  [[nodiscard]] std::vector<const CudaMember*> of(std::string_view family) const;
  /// What the file of a member tells, read once.
  const CudaLibrary& library(const CudaMember& member);
  /// For which CUDA it is made, found once; nullopt: not known.
  const std::optional<ReportedVersion>& cuda_release(const CudaMember& member);
  /// By its name alone; 0: the name does not tell.
  [[nodiscard]] std::uint32_t cuda_major_of_name(std::string_view soname) const;

  /// The libcuda.so.1 that the runtime gets; nullptr: none.
  const DriverLibrary* driver();
  [[nodiscard]] const std::optional<KernelModule>& module() const { return module_; }
  [[nodiscard]] const LinkMap& map() const { return map_; }
  /// Those whose libraries are in the process.
  [[nodiscard]] const std::vector<InstalledFramework>& frameworks() const { return frameworks_; }

 private:
  void add(const std::string& path, std::string_view name, ObjectIndex object);
  void add_framework(const LoadedObject& object);
  /// `path` without links; as it is where that cannot be told.
  std::string real_path_of(const std::string& path);
  [[nodiscard]] std::string find_driver() const;

  const System& system_;
  const Process& process_;
  const LinkMap& map_;
  const CudaContracts& contracts_;
  std::vector<CudaMember> members_;
  std::vector<InstalledFramework> frameworks_;
  std::optional<KernelModule> module_;
  std::map<std::string, CudaLibrary> libraries_;  ///< by the file without links
  std::map<std::string, std::optional<ReportedVersion>> releases_;
  std::map<std::string, std::string> real_folders_;  ///< by a folder's path as it is written, with "/"
  bool is_driver_read_ = false;
  std::optional<DriverLibrary> driver_;
};

/// Has the process any CUDA library, by their names?
bool has_cuda(const LinkMap& map, const Dlopens& dlopens);

}  // namespace soresolve
