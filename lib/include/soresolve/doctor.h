// The machine as CUDA programs find it: from device nodes to frameworks, each check told with what was seen.
//
// Everything is read from files: nothing is loaded or executed, neither nvidia-smi nor Python.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/cuda.h"
#include "soresolve/diagnose.h"
#include "soresolve/link_map.h"
#include "soresolve/result.h"
#include "soresolve/statement.h"
#include "soresolve/world.h"

namespace soresolve SORESOLVE_API {

enum class DoctorResult : std::uint8_t {
  Pass,
  Skip,  ///< it cannot be judged here, or has nothing to judge
  Warn,
  Fail,
};
std::string_view name_of(DoctorResult result);  ///< "pass", "skip", "warn", "fail"

/// One thing among those that a check looks at: a GPU, a runtime, a framework.
struct DoctorItem {
  DoctorResult result = DoctorResult::Pass;
  Statement text;
  std::vector<Statement> proof;
};

/// What to do, and how far it has been tried.
struct DoctorAdvice {
  Statement text;
  std::vector<std::string> commands;  ///< to type
  bool is_tried = false;              ///< it was tried on the files here, and does what is said
  Statement tried;                    ///< what came of it, or why it cannot be tried here
};

struct DoctorCheck {
  std::string name;  ///< one of doctor_check_names()
  DoctorResult result = DoctorResult::Pass;
  Statement seen;  ///< one line
  Statement why;   ///< why it matters; for checks that do not pass
  std::vector<DoctorItem> items;
  std::vector<ProblemCode> problems;  ///< whose cases are among what it has seen, each once
  std::vector<DoctorAdvice> advice;
};

struct DoctorReport {
  std::vector<DoctorCheck> checks;        ///< in the order in which they depend on each other
  [[nodiscard]] bool is_healthy() const;  ///< none fails
};

struct DoctorOptions {
  std::vector<std::string> only;    ///< names of checks; empty: all
  std::vector<std::string> search;  ///< further directories: Python environments, toolkits, libraries
  Environment environment;          ///< whole; the settings have only what the loader looks at
  GpuContracts contracts;
};

/// platform, device-nodes, kernel-module, gpus, driver, environment, library-path, cache, toolkits, runtimes,
/// cudnn, frameworks.
const std::vector<std::string_view>& doctor_check_names();

/// Errors: Usage for a name in `only` that is none; those of World.
Result<DoctorReport> examine_machine(const WorldSettings& settings, const DoctorOptions& options);

}  // namespace SORESOLVE_API
