// What the steps of one child share: the plan, the libraries that were opened, and the GPU.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "library.h"
#include "loaded_objects.h"
#include "plan.h"
#include "step.h"

namespace soresolve::confirm {

struct ComputeUnit {
  std::string name;
  int major_number = 0;  ///< compute capability
  int minor_number = 0;
  std::string uuid = {};  ///< "GPU-…"; empty: the driver does not tell
};

struct Session {
  const Plan& plan;
  const PlannedGroup& group;
  const Reporter& reporter;

  std::map<std::string, Library, std::less<>> libraries = {};  ///< by role
  std::vector<LoadedFile> files = {};                          ///< in the process after the last load
  std::optional<ComputeUnit> gpu = {};                         ///< once the driver has told of it
  int driver_release = 0;                                      ///< of cuDriverGetVersion: 12040; 0: not known
  bool has_context = false;                                    ///< the device's primary context was made
  const void* kernel_image = nullptr;                          ///< of our kernels, the form that ran here

  [[nodiscard]] const PlannedLoad* load_of(std::string_view name) const;
  [[nodiscard]] const PlannedLibrary* planned(std::string_view role) const;
  /// An empty one for what was not opened.
  [[nodiscard]] Library& library(std::string_view role) { return libraries[std::string(role)]; }
};

/// Is a version that a library tells of itself the predicted one, as far as both go? An empty one is any.
bool is_version_as_predicted(std::string_view predicted, std::string_view reported);

/// Fails with a difference from the prediction, which is a mistake of soresolve.
Outcome differs(const Statement& what, Outcome so_far = {});

/// Puts the version down and compares it with the prediction.
Outcome version_outcome(const Session& session, std::string_view role, const std::string& reported);

}  // namespace soresolve::confirm
