// The host of a question: which program will open a file (found from where the file lies and what it is
// called), and what a running process is made of.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "loader/live_process.h"
#include "loader/process.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

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

/// The program that the kernel starts for `path` (absolute): itself, or the interpreter that its "#!"
/// names (Linux fs/binfmt_script.c), through `env NAME` and PATH; behind a shim, what that starts from `cwd`. Errors:
/// NotFound, Unreadable.
Result<std::string> program_behind(const FileSystem& files, const Environment& environment, std::string_view path,
                                   std::string_view cwd = "/");

/// The path in the first line of a script, as the kernel cuts it; nullopt for what is none.
std::optional<std::string> interpreter_of_script(const FileSystem& files, std::string_view path);

/// The same, and the environment that it gets: env(1) in a script can change it.
struct StartedProgram {
  std::string path;
  Environment environment;
};
Result<StartedProgram> started_program(const FileSystem& files, const Environment& environment, std::string_view path,
                                       std::string_view cwd = "/");

/// Reads /proc/PID. Errors: NotFound (no such process, or it has ended, or /proc is not mounted),
/// Unreadable (another user's; it did not keep still), Unsupported (a kernel thread). `proc`: where
/// proc(5) is mounted.
Result<LiveProcess> read_live_process(int pid, const std::string& proc = "/proc");

/// The same of the dump of a process (core(5)). Errors: NotElf, Unsupported (no dump, other byte order), Malformed,
/// Unreadable; `path` is what they call it.
Result<LiveProcess> read_core_dump(const File& dump, std::string_view path);

}  // namespace soresolve
