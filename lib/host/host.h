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

/// The interpreter that imports the module at `path` (absolute): of the virtual environment, conda
/// environment or installation that it lies in, then of the environment variables, then the
/// system's. A wrapper script (pyenv's) is passed over. nullopt when there is none.
std::optional<AssumedProgram> find_python(const FileSystem& files, const Environment& environment,
                                          std::string_view path);

/// The program that the kernel starts for `path` (absolute): itself, or the interpreter that its "#!"
/// names (Linux fs/binfmt_script.c), through `env NAME` and PATH. Errors: NotFound, Unreadable.
Result<std::string> program_behind(const FileSystem& files, const Environment& environment, std::string_view path);

/// The path in the first line of a script, as the kernel cuts it; nullopt for what is none.
std::optional<std::string> interpreter_of_script(const FileSystem& files, std::string_view path);

/// The same, and the environment that it gets: env(1) in a script can change it.
struct StartedProgram {
  std::string path;
  Environment environment;
};
Result<StartedProgram> started_program(const FileSystem& files, const Environment& environment, std::string_view path);

/// Reads /proc/PID. Errors: NotFound (no such process, or it has ended, or /proc is not mounted),
/// Unreadable (another user's; it did not keep still), Unsupported (a kernel thread). `proc`: where
/// proc(5) is mounted.
Result<LiveProcess> read_live_process(int pid, const std::string& proc = "/proc");

/// The same of the dump of a process (core(5)). Errors: NotElf, Unsupported (no dump, other byte order), Malformed,
/// Unreadable; `path` is what they call it.
Result<LiveProcess> read_core_dump(const File& dump, std::string_view path);

}  // namespace soresolve
