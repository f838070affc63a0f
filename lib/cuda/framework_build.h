// For which CUDA a framework that lies in a Python environment was built, by its files.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "soresolve/dotted_version.h"
#include "soresolve/file_system.h"

namespace soresolve {

struct InstalledFramework {
  std::string name;          ///< "torch", "tensorflow", "onnxruntime"
  std::string site;          ///< the site directory
  std::string reported_by;   ///< path of the file that tells
  std::string version;       ///< "2.5.1+cu124"
  DottedVersion release;     ///< "2.5.1"
  DottedVersion cuda;        ///< that it was built with; empty: none, or not told
  DottedVersion cudnn;       ///< likewise, where the file tells it
  bool is_for_cuda = false;  ///< built for CUDA, whichever
};

/// torch below `site` (absolute): torch/version.py, as torch's build writes it.
std::optional<InstalledFramework> read_torch_build(const FileSystem& files, const std::string& site);
/// A package beside torch such as torchaudio: NAME/version.py, as PyTorch's builds write it; its CUDA by cuda_of_tag().
std::optional<InstalledFramework> read_companion_build(const FileSystem& files, const std::string& site,
                                                       const std::string& name);
/// 13.0 of "2.11.0+cu130"; empty without such a tag.
DottedVersion cuda_of_tag(std::string_view version);
/// TensorFlow: tensorflow/python/platform/build_info.py.
std::optional<InstalledFramework> read_tensorflow_build(const FileSystem& files, const std::string& site);

/// What a text file of a framework says of its build. `NAME = 'TEXT'` or `'NAME': 'TEXT'`; an empty name is not looked
/// for.
struct BuildFacts {
  std::string version;
  DottedVersion cuda;
  DottedVersion cudnn;
};
BuildFacts read_build_facts(const FileSystem& files, const std::string& path, std::string_view version_name,
                            std::string_view cuda_name, std::string_view cudnn_name);

/// The site directory of a torch library: what stands before torch/lib/NAME; empty for others.
std::string torch_site_of(std::string_view real_path);

}  // namespace soresolve
