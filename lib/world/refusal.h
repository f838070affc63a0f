// A file that comes into no process: execve(2) refuses the program or its interpreter, or the loader may not read the
// library. There is no link map then, and the answer is what the shell or dlerror(3) prints.
//
// Source: Linux fs/exec.c:do_open_execat (rights), fs/binfmt_elf.c:load_elf_binary (PT_INTERP, e_machine). Not here: a
// file of a machine that an entry of binfmt_misc starts.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/user.h"
#include "diagnose/other_file.h"
#include "soresolve/diagnose.h"
#include "soresolve/elf.h"
#include "soresolve/file_system.h"

namespace soresolve {

/// Why the file that was asked about comes into no process.
struct Refused {
  enum class By : std::uint8_t {
    Interpreter,   ///< its PT_INTERP is missing, may not be executed, or is no loader; or that of a script's first line
    Command,       ///< the program that env(1) is to start for a script is not in PATH
    ExecuteRight,  ///< the user may not execute it
    NoexecMount,   ///< its file system, or that of its interpreter, is mounted with noexec
    ReadRight,     ///< the user may not read it: a library, or a program that may not be executed either
    Machine,       ///< it is for a processor that nothing here takes
    NotElf,        ///< by its name or by its magic number what is loaded, and no ELF file (diagnose/other_file.h)
  } by = By::Interpreter;
  std::string file;         ///< as it was asked about
  std::string path;         ///< absolute, in the root
  std::string interpreter;  ///< as PT_INTERP has it; By::Command: what env(1) is to start
  std::string env = {};     ///< By::Command: env(1), as the script names it
  Errno reason = Errno::None;
  User user = {};
  bool is_library = false;              ///< by its name
  bool is_script = false;               ///< the interpreter is that of its first line
  ElfTarget target = {};                ///< By::Machine: what it is for
  ElfTarget here = {};                  ///< By::Machine: what the kernel or the loaders here are for
  bool is_in_root = false;              ///< By::Machine: `here` is of the loaders of a root, whose kernel is not known
  bool is_entry_unseen = false;         ///< By::Machine: whether binfmt_misc has an entry cannot be seen here
  std::optional<OtherFile> other = {};  ///< By::NotElf

  /// What the shell, or the loader of a library, prints: "FILE: No such file or directory".
  [[nodiscard]] std::string line() const;
  /// What dlopen(3) of it leaves for dlerror(3).
  [[nodiscard]] std::string dlerror() const;
  /// For whoever wants a link map.
  [[nodiscard]] Error error() const;
  /// By::Machine: "this machine is 64-bit x86-64".
  [[nodiscard]] std::string place_of_here() const;
};
/// The clause of that error.
std::string no_interpreter(std::string_view interpreter);

/// What execve(2) answers for the interpreter of a program, `may_execute` deciding by its mode bits; Errno::None: it is
/// taken.
Errno refusal_of_interpreter(const FileSystem& files, std::string_view path, const ElfObject& program,
                             const std::function<bool(const FileStatus&)>& may_execute);

/// Does the kernel start the file without a loader? A program that is linked statically (a PIE relocates itself by its
/// PT_DYNAMIC), and nothing without code to load: an object file, a dump, debug information. Source:
/// fs/binfmt_elf.c:load_elf_binary.
bool is_static_program(const ElfObject& object);
/// The same of the file at `path`, links followed.
bool is_static_program(const FileSystem& files, std::string_view path);

/// The interpreter in the first line of a script, where no such file is there; nullopt: it is none, or it is there.
std::optional<std::string> missing_interpreter(const FileSystem& files, std::string_view path);

/// The answer without its fixes.
Diagnosis diagnosis_of(const Refused& refused);

/// Fixes that no trial is needed for: a package that brings the loader, chmod(1).
std::vector<Remedy> untried_fixes(const FileSystem& files, const Refused& refused);

}  // namespace soresolve
