// Which interpreter imports a module.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/process.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// A program that is taken to be the one, and why.
struct AssumedProgram {
  std::string path;
  Statement reason;  ///< a clause: "its name requires CPython 3.11; it lies in the virtual environment /opt/venv"
  std::optional<Environment> environment;  ///< that it is started with, where a script changes it
  ProcessRule rule = ProcessRule::Python;  ///< by which it was found
  std::vector<OpenRequest> loaded = {};    ///< what it opens before
  std::vector<Statement> evidence = {};    ///< further lines
};

/// What the name of an extension module says of its interpreter (PEP 3149).
struct PythonTag {
  std::string implementation;  ///< "cpython" or "pypy"; empty when the name has no such tag
  int major_number = 3;
  int minor_number = 0;                       ///< 0: any (the stable ABI, or no tag)
  bool is_stable_abi = false;                 ///< ".abi3.so"
  [[nodiscard]] std::string version() const;  ///< "3.11"; "3" when any minor will do
};
PythonTag python_tag(std::string_view file_name);

/// Is `file` an extension module of Python: by its tag, or because it defines PyInit_ and its own name
/// (PEP 489)?
bool is_python_module(const FileSystem& files, std::string_view path);

/// What is known of who asks.
struct PythonChoice {
  std::string given;      ///< the interpreter that is named, or the environment it lies in; absolute; empty: none
  std::string running;    ///< the one that runs, for modules of its release; likewise
  std::string cwd = "/";  ///< where shims look for the version that is chosen
};

/// The interpreter that `exec` of python3, else of python, starts: shims and scripts in PATH are followed by reading
/// them. With VIRTUAL_ENV and CONDA_PREFIX after PATH, then pyenv's. nullopt when there is none.
std::optional<AssumedProgram> python_by_name(const FileSystem& files, const Environment& environment,
                                             const PythonChoice& choice);

/// The interpreter that imports the module at `path` (absolute): the one that is given, the one that runs, that of the
/// virtual environment, conda environment or installation that it lies in, then as python_by_name(), by the release in
/// its name or its directory's. nullopt when there is none.
std::optional<AssumedProgram> find_python(const FileSystem& files, const Environment& environment,
                                          std::string_view path, const PythonChoice& choice = {});

}  // namespace soresolve
