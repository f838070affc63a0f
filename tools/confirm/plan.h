// What is to be confirmed: the libraries that were resolved, by path, and what is predicted of them.
//
// JSON on standard input; its form is in lib/report/schema.json, "confirm_plan". `soresolve confirm` writes it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/result.h"
#include "soresolve/statement.h"

namespace soresolve::confirm {

/// One library that is opened, by this path.
struct PlannedLibrary {
  std::string role;     ///< "driver", "runtime", "cudnn", …; empty: it only has to be there first
  std::string path;     ///< absolute
  std::string version;  ///< predicted: "13.0"; empty: not known
};

/// What is opened in one go, and the steps that its name stands for (see group_steps.h).
struct PlannedLoad {
  std::string name;                  ///< "cuda" (with kernels) or "base" (without) first; "cudnn", "cublas", …
  std::vector<PlannedLibrary> open;  ///< in this order
  std::vector<std::string> adds;     ///< paths of all objects that it brings in, in load order
  std::string dlerror;               ///< predicted: the last one fails to open, with these words
  /// Paths of what the library opens by itself once it is used; what else of its own family it opens is
  /// unforeseen.
  std::vector<std::string> later;
};

/// What one process does.
struct PlannedGroup {
  std::string name;
  std::vector<PlannedLoad> loads;
};

/// What CUDA's contracts predict; each is a number that CUDA returns.
struct Expectation {
  std::optional<int> driver_version;  ///< cuDriverGetVersion: 12040
  std::optional<int> init;            ///< cuInit
  std::optional<int> device_count;    ///< the error of cudaGetDeviceCount
  std::string source;                 ///< who says so
  Statement no_driver;                ///< why no driver is to be opened; empty: none is needed
};

struct Plan {
  std::vector<std::string> environment;  ///< of the processes, complete: "NAME=VALUE"
  std::vector<std::string> start;        ///< paths of the objects that the probe itself starts with
  Expectation expected;
  bool has_device_nodes = true;  ///< a driver of the kernel shows a GPU
  int device = 0;
  double timeout_s = 60;             ///< for each group
  std::uint64_t memory_mib = 16384;  ///< likewise, resident
  std::vector<PlannedGroup> groups;
};

/// Errors: Malformed, with the place ("groups[0].loads[1].open[0].path: …"); LimitReached.
Result<Plan> parse_plan(std::string_view json);

}  // namespace soresolve::confirm
