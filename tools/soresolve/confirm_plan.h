// What `soresolve confirm` predicts: which CUDA libraries, by which paths, and what they will answer.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "command.h"

namespace soresolve::tool {

/// One CUDA library that the file comes to.
struct ResolvedLibrary {
  std::string role;  ///< "driver", "runtime", "cudnn", "cublas", …
  std::string path;
  Statement how;        ///< "needed", "opened later by …", "in reach"
  std::string version;  ///< of it, or of the CUDA release for driver, runtime and NVRTC; empty: not known
};

struct ConfirmRequest {
  std::string probe;  ///< path of soresolve-confirm
  bool wants_all = false;
  int device = 0;
  double timeout_s = 60;
};

struct ConfirmPlan {
  std::vector<ResolvedLibrary> libraries;
  std::vector<Statement> notes;
  /// dlerror's message, where FILE does not load, whatever its CUDA libraries do.
  std::optional<std::string> broken;
  nlohmann::ordered_json plan;  ///< for the probe; null: the file comes to no CUDA library
};

/// By its name: "libcudart.so.12", "libcublas-1a2b3c4d.so.12.4.5.8".
bool is_cuda_library(std::string_view name);

/// Resolves `file` in its own process, then plays through what the probe's process will have when it opens
/// the CUDA libraries by those paths. Fails as World::resolve().
Result<ConfirmPlan> plan_confirmation(const WorldOptions& options, const std::string& file,
                                      const ConfirmRequest& request);

}  // namespace soresolve::tool
