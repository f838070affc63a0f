// Carries an import of Python out by the loader's rules: which of its dlopens fail, and where it goes on.
#pragma once
#include <string_view>
#include <vector>

#include "loader/load.h"
#include "packages/package_owner.h"
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

/// What becomes of the native files of the package that an import that succeeds leaves alone: each is opened in the
/// process after it. Not a failure: a library of the driver where none is here, a symbol that is left to whoever opens
/// a library, and what a package that is imported before would bring. Errors: as run_import().
std::optional<Error> judge_on_demand(PythonImporter& importer, const PackageOwners& owners, const ChangedWorld& world,
                                     std::string_view exe, ImportRun& run);

/// Compares the metadata of the wheel that has the module, and of those that it requires, with what lies there.
void judge_wheels(PythonImporter& importer, const FileSystem& files, const PackageOwners& owners,
                  const LoaderRules& rules, const std::string& machine, PythonImport& facts);

}  // namespace soresolve
