// Which frameworks for CUDA there are, and where their files say what they were built for: the rows of frameworks.toml.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/machine.h"

namespace soresolve {

/// How its library gets to what it needs.
enum class FrameworkLoad : std::uint8_t {
  Alone,
  AfterTorch,  ///< into a process in which torch has its libraries loaded already
  ByImport,    ///< its sources open libraries of wheels before its own
  Never,       ///< it has no library of its own: it compiles at run time
};

/// Paths are relative to the site directory; a part may have one '*'. What comes first is looked for first.
struct FrameworkRow {
  std::string_view name;
  std::array<std::string_view, 4> packages;   ///< names of metadata folders
  std::array<std::string_view, 3> libraries;  ///< what brings CUDA in
  std::string_view code;                      ///< the library with kernels; empty: the same
  std::string_view build_file;                ///< that tells what it was built for
  std::string_view version_key;               ///< in it: its own version; empty: not there
  std::string_view cuda_key;                  ///< CUDA's
  std::string_view cudnn_key;                 ///< cuDNN's
  FrameworkLoad load;
  std::string_view opens =
      {};  ///< family of a library that it opens by name at the first use of CUDA, and cannot do without
  std::string_view families = {};  ///< of all CUDA libraries that it opens by name, separated by spaces
  std::string_view extra = {};     ///< what pip installs with them: "jax[cuda{major}]"; empty: the wheels themselves
  std::string_view wheels_since = {};  ///< the release from which it finds NVIDIA's wheels itself; empty: each does
};
std::span<const FrameworkRow> framework_rows();

/// A framework in a site directory.
struct FoundFramework {
  const FrameworkRow* row = nullptr;
  std::string site;
  std::string package;  ///< "onnxruntime-gpu"; the row's name where no metadata is
  std::string version;  ///< "2.5.1+cu124"; empty: not told
  std::string library;  ///< empty: none
  std::string code;     ///< the file whose kernels count
  DottedVersion cuda;   ///< built with; only its major number where the package's name tells it
  DottedVersion cudnn;  ///< built with
  std::string reported_by;
  [[nodiscard]] std::string title() const { return package + (version.empty() ? "" : " " + version); }
};
std::vector<FoundFramework> find_frameworks(const Machine& machine, const std::string& site);

/// The release in the name of a package's metadata folder: "1.19.2" of "onnxruntime_gpu-1.19.2.dist-info".
std::string release_in(const Machine& machine, const std::string& site, std::string_view package);

}  // namespace soresolve
