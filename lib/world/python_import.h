// Carries an import of Python out by the loader's rules: which of its steps fail, and where it goes on.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "python/python_program.h"
#include "soresolve/python.h"
#include "soresolve/result.h"

namespace soresolve {

struct ImportRun {
  PythonImport facts;
  /// What the process opens, with those that fail and are caught; the last one is what to look at: the step that
  /// ends the import, or the package's own module with the most libraries. Empty: it opens nothing.
  std::vector<OpenRequest> dlopen_calls;
  std::vector<OpenRequest> all_dlopen_calls;  ///< up to the end of the import
};

/// `program` in a process of `exe`. Errors: as settle_dlopen_calls().
Result<ImportRun> run_import(const PythonProgram& program, const PythonEnvironment& python, std::string_view module,
                             const std::shared_ptr<const System>& system, const Process& process, std::string_view exe);
/// The same in a world with changes.
Result<ImportRun> run_import(const PythonProgram& program, const PythonEnvironment& python, std::string_view module,
                             const ChangedWorld& world, std::string_view exe);

}  // namespace soresolve
