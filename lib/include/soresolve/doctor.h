// The machine as CUDA programs find it: from device nodes to frameworks, each check told with what was seen.
//
// Everything is read from files: nothing is loaded or executed, neither nvidia-smi nor Python.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "soresolve/api.h"
#include "soresolve/command_text.h"
#include "soresolve/cuda.h"
#include "soresolve/link_map.h"
#include "soresolve/problem_codes.h"
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
  std::vector<CommandText> commands;  ///< to type
  bool is_tried = false;              ///< it was tried on the files here, and does what is said
  Statement tried;                    ///< what came of it, or why it cannot be tried here
};

/// A framework in an environment of Python: what it was built for, what it gets, what it takes to run.
struct DoctorFramework {
  std::string title;                     ///< "torch 2.6.0+cu124"
  std::string library;                   ///< that brings CUDA in; empty: it has none of its own
  DottedVersion cuda;                    ///< built for; only the major number where no more is told; empty: not told
  DottedVersion cudnn;                   ///< likewise
  std::vector<DottedVersion> gets_cuda;  ///< the runtimes that its process loads
  DottedVersion gets_cudnn;
  DottedVersion driver;            ///< the oldest that runs it; empty: not known
  std::vector<std::string> chips;  ///< "sm_90", and "compute_90" for PTX
  bool uses_cuda = false;
  bool is_driver_too_old = false;
  DoctorResult result = DoctorResult::Pass;
  Statement problem;                  ///< the first thing that is wrong
  std::vector<CommandText> commands;  ///< that fix it
};

struct DoctorCheck {
  std::string name;  ///< one of doctor_check_names()
  DoctorResult result = DoctorResult::Pass;
  Statement seen;  ///< one line
  Statement why;   ///< why it matters; for checks that do not pass
  std::vector<DoctorItem> items;
  std::vector<ProblemCode> problems;  ///< whose cases are among what it has seen, each once
  std::vector<DoctorAdvice> advice;
  std::vector<DoctorFramework> frameworks;  ///< of the check of that name
};

/// One line that says whether a GPU is usable here, else why not.
struct DoctorVerdict {
  Statement text;
  CommandText command;  ///< to try; empty: none is known
};

struct DoctorReport {
  DoctorVerdict verdict;
  std::vector<DoctorCheck> checks;            ///< in the order in which they depend on each other
  std::string torch_backend;                  ///< see find_torch_backend()
  std::shared_ptr<const DriverMount> driver;  ///< what the host brings in by WorldSettings::driver; else nullptr
  [[nodiscard]] bool is_healthy() const;      ///< none fails
};

struct DoctorOptions {
  std::vector<std::string> only;    ///< names of checks; empty: all
  std::vector<std::string> search;  ///< further directories: Python environments, toolkits, libraries
  Environment environment;          ///< whole; the settings have only what the loader looks at
  std::reference_wrapper<const GpuContracts> contracts = built_in_contracts();
};

/// platform, device-nodes, kernel-module, gpus, driver, environment, library-path, cache, toolkits, runtimes,
/// cudnn, frameworks.
const std::vector<std::string_view>& doctor_check_names();

/// Errors: Usage for a name in `only` that is none; those of World.
Result<DoctorReport> examine_machine(const WorldSettings& settings, const DoctorOptions& options);

}  // namespace SORESOLVE_API
