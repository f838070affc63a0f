// Which files the dlopen calls of a known package are, in an environment of Python.
//
// A row (dlopen/known_loaders.h) names them by folders of a package or of wheels, by releases and by the CUDA of torch.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "cuda/framework_build.h"
#include "dlopen/known_file.h"
#include "dlopen/known_loaders.h"
#include "python/python_finder.h"
#include "soresolve/cuda.h"
#include "soresolve/file_system.h"

namespace soresolve {

class KnownPackageFiles {
 public:
  /// All are borrowed; sys.path is that of the finder when it is asked.
  KnownPackageFiles(const FileSystem& files, const Environment& environment, PythonFinder& finder);

  /// Is it opened in this release, on this machine?
  [[nodiscard]] bool holds(const KnownFile& known, const KnownOpen& open) const;
  /// The first file that sys.path has for it; empty for none.
  [[nodiscard]] std::string path_of(const KnownFile& known, const KnownOpen& open) const;
  /// The directory of sys.path that has the metadata of a wheel; nullopt: it is not installed.
  [[nodiscard]] std::optional<std::string> site_of_wheel(std::string_view wheel) const;
  /// "nvidia-cublas-cu12" for "wheel:cublas", by the CUDA of torch; empty where that is not known. Since CUDA 13 those
  /// of the toolkit have no suffix.
  [[nodiscard]] std::string wheel_name(const KnownOpen& open) const;
  /// The torch that the import finds.
  [[nodiscard]] std::optional<InstalledFramework> torch_build() const;

 private:
  [[nodiscard]] std::string path_for_torch(const KnownFile& known, const KnownOpen& open) const;

  const FileSystem& files_;
  const Environment& environment_;
  PythonFinder& finder_;
};

}  // namespace soresolve
