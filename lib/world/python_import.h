// Carries an import of Python out by the loader's rules: which of its dlopens fail, and where it goes on.
#pragma once
#include <string_view>
#include <vector>

#include "loader/load.h"
#include "python/import_trace.h"
#include "soresolve/python.h"
#include "soresolve/result.h"

namespace soresolve {

struct ImportRun {
  PythonImport facts;
  /// What the process opens, with those that fail and are caught; the last one is what to look at: the one that
  /// ends the import, or the package's own module with the most libraries. Empty: it opens nothing.
  std::vector<OpenRequest> dlopen_calls;
  std::vector<OpenRequest> all_dlopen_calls;  ///< up to the end of the import
};

/// What `question` comes to in a process of `exe`. Errors: as settle_dlopen_calls().
Result<ImportRun> run_import(PythonImporter& importer, const PythonQuestion& question, const ChangedWorld& world,
                             std::string_view exe);

}  // namespace soresolve
