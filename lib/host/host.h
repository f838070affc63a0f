// The host of a question: which program the kernel starts for a file, and what a running process is made of.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "loader/live_process.h"
#include "loader/process.h"
#include "soresolve/file_system.h"
#include "soresolve/result.h"

namespace soresolve {

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
  std::string argv0 = {};      ///< of a script's interpreter: as the first line has it, or as env(1) is given it
  std::string not_found = {};  ///< what env(1) is to start and does not find; `path` is that of env then
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
