// What execve(2) or the loader says to a file that comes into no process, the problem behind it, and fixes that cannot
// be tried. The order is the kernel's: the rights of the program first, then its interpreter. Trials of another
// interpreter are in world_refusal.cc.
#include "world/refusal.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/path.h"
#include "host/host.h"
#include "loader/file_acceptance.h"
#include "packages/loader_package.h"
#include "remedies/proposals.h"
#include "soresolve/command_text.h"
#include "world/foreign_machine.h"
#include "world/text_file.h"

namespace soresolve {
namespace {

/// As the kernel reads it before it maps anything: is it an ELF file for this machine?
Errno refusal_of_content(const FileSystem& files, std::string_view path, const ElfTarget& wanted) {
  constexpr std::size_t kHeaderBytes = 20;  // up to e_machine
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  // It need not be readable to be an interpreter.
  if (!file) return file.error() == static_cast<Errno>(EACCES) ? Errno::None : file.error();
  std::array<std::byte, 64> header{};
  const Result<std::size_t, Errno> got = (*file)->read_at(0, header);
  if (!got) return got.error();
  const std::size_t whole = wanted.elf_class == ElfClass::Elf64 ? 64 : 52;
  if (*got < whole) return static_cast<Errno>(EIO);
  if (std::memcmp(header.data(), "\177ELF", 4) != 0) return static_cast<Errno>(ELIBBAD);
  static_assert(kHeaderBytes <= 52);
  const bool is_big = wanted.byte_order == std::endian::big;
  const auto byte = [&](std::size_t at) { return std::to_integer<unsigned>(header[at]); };
  const unsigned machine = is_big ? byte(18) << 8 | byte(19) : byte(19) << 8 | byte(18);
  return machine == wanted.machine ? Errno::None : static_cast<Errno>(ELIBBAD);
}

std::string reason_of(const Refused& refused) { return errno_text(refused.reason, ErrnoText::FromDlerror); }

}  // namespace

std::string Refused::line() const {
  const std::string reason = reason_of(*this);
  if (by == By::Command) return env + ": '" + interpreter + "': " + reason;
  if (!is_library) return file + ": " + reason;
  if (by == By::NoexecMount || by == By::NotElf) return file + ": error while loading shared libraries: " + dlerror();
  return file + ": error while loading shared libraries: " + file + ": cannot open shared object file: " + reason;
}

std::string Refused::dlerror() const {
  if (by == By::NoexecMount) return file + ": " + std::string(kMappingRefused);
  if (by == By::NotElf && other->is_elf) return file + ": only ET_DYN and ET_EXEC can be loaded";
  if (by == By::NotElf) return file + (other->is_short ? ": file too short" : ": invalid ELF header");
  return file + ": cannot open shared object file: " + reason_of(*this);
}

std::string Refused::place_of_here() const {
  return (is_in_root ? "this root is for " : "this machine is ") + describe(here);
}

std::string no_interpreter(std::string_view interpreter) {
  return "the kernel would not start it: its interpreter (PT_INTERP) " + std::string(interpreter) +
         " cannot be opened here";
}

Error Refused::error() const {
  if (is_script && (by == By::Interpreter || by == By::Command)) {
    return {ErrorCode::NotFound, file, {}, "is a script, and the kernel cannot start its interpreter " + interpreter};
  }
  if (by == By::Interpreter) return {ErrorCode::NoLoader, file, {}, no_interpreter(interpreter)};
  if (by == By::Machine)
    return {ErrorCode::NoLoader, file, {}, "is for " + describe(target) + ", and " + place_of_here()};
  if (by == By::NotElf) {
    const bool is_script_of_ld = !other->names.empty();
    return {ErrorCode::NotElf,
            file,
            {},
            is_script_of_ld     ? linker_script(other->names)
            : other->is_pointer ? "is a pointer of Git LFS, not the file"
            : other->is_elf     ? "is an object file or a core dump, not a library"
                                : "is not an ELF file"};
  }
  if (by == By::NoexecMount) {
    return {ErrorCode::Unreadable, file, {}, "is on a file system that is mounted with noexec: " + reason_of(*this)};
  }
  const char* const action = by == By::ExecuteRight ? "execute" : "read";
  return {ErrorCode::Unreadable, file, {}, describe(user) + " may not " + action + " it: " + reason_of(*this)};
}

Errno refusal_of_interpreter(const FileSystem& files, std::string_view path, const ElfObject& program,
                             const std::function<bool(const FileStatus&)>& may_execute) {
  const Result<FileStatus, Errno> status = files.status(path);
  if (!status) return status.error();
  if (status->kind != FileKind::Regular) return static_cast<Errno>(EACCES);
  if (!may_execute(*status)) return static_cast<Errno>(EACCES);
  if (const auto file = files.open(path); file && (*file)->is_on_noexec()) return static_cast<Errno>(EACCES);
  return refusal_of_content(files, path, program.target);
}

bool is_static_program(const ElfObject& object) {
  const bool is_static_pie =
      object.has_dynamic && !object.has_interp && object.is_pie() && object.needs.empty() && !object.soname;
  return (!object.has_dynamic || is_static_pie) && (object.type == ET_EXEC || object.type == ET_DYN) &&
         std::any_of(object.segments.begin(), object.segments.end(), [](const Segment& segment) {
           return segment.type == PT_LOAD && (segment.flags & PF_X) != 0 && segment.file_bytes != 0;
         });
}

bool is_static_program(const FileSystem& files, std::string_view path) {
  const Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) return false;
  const Result<ElfObject> object = ElfObject::read(**file, path);
  return object && is_static_program(*object);
}

std::optional<std::string> missing_interpreter(const FileSystem& files, std::string_view path) {
  std::optional<std::string> interpreter = interpreter_of_script(files, path);
  const bool is_missing = interpreter && interpreter->starts_with('/') && !files.status(*interpreter);
  return is_missing ? std::move(interpreter) : std::nullopt;
}

Diagnosis diagnosis_of(const Refused& refused) {
  const std::string reason = reason_of(refused);
  Problem problem;
  problem.phase = refused.is_library ? Phase::Dlopen : Phase::Start;
  problem.loader_says = refused.line();
  problem.dlerror_says = refused.dlerror();
  if (refused.by == Refused::By::Command) {
    problem.code = ProblemCode::NoInterpreter;
    problem.name = refused.interpreter;
    problem.what = say("script-command", {{"file", refused.file}, {"program", refused.interpreter}});
    problem.evidence.push_back(
        {.what = say("name-reason", {{"name", refused.interpreter}, {"reason", reason}}), .path = refused.path});
  } else if (refused.is_script && refused.by == Refused::By::Interpreter) {
    const bool ends_as_windows = refused.interpreter.ends_with('\r');
    problem.code = ProblemCode::NoInterpreter;
    problem.name = refused.interpreter;
    problem.what = ends_as_windows
                       ? say("script-windows-line", {{"file", refused.file}})
                       : say("script-interpreter",
                             {{"file", refused.file}, {"interpreter", refused.interpreter}, {"reason", reason}});
    problem.evidence.push_back(
        {.what = say("name-reason", {{"name", refused.interpreter}, {"reason", reason}}), .path = refused.path});
  } else if (refused.by == Refused::By::Interpreter) {
    const bool is_absent = refused.reason == static_cast<Errno>(ENOENT);
    problem.code = ProblemCode::NoInterpreter;
    problem.name = refused.interpreter;
    problem.what = is_absent
                       ? say("interpreter-missing", {{"file", refused.file}, {"interpreter", refused.interpreter}})
                       : say("interpreter-refused",
                             {{"file", refused.file}, {"interpreter", refused.interpreter}, {"reason", reason}});
    problem.evidence.push_back(
        {.what = say("interpreter-named", {{"file", refused.path}, {"interpreter", refused.interpreter}}),
         .path = refused.path});
    problem.evidence.push_back(
        {.what = say("name-reason", {{"name", refused.interpreter}, {"reason", reason}}), .path = refused.interpreter});
  } else if (refused.by == Refused::By::Machine) {
    problem.code = ProblemCode::ForeignMachine;
    problem.name = refused.file;
    const std::string_view sentence = refused.is_in_root        ? "foreign-machine-in-root"
                                      : refused.is_library      ? "foreign-machine-library"
                                      : refused.is_entry_unseen ? "foreign-machine-unless-entry"
                                                                : "foreign-machine";
    problem.what =
        say(sentence, {{"file", refused.file}, {"theirs", describe(refused.target)}, {"here", describe(refused.here)}});
  } else if (refused.by == Refused::By::NotElf) {
    const OtherFile& other = *refused.other;
    problem.code = ProblemCode::FatalCandidate;
    problem.name = refused.file;
    problem.what = other.kind.empty() ? other.what : say("it-is-other-file", {{"kind", other.kind}});
  } else if (refused.by == Refused::By::NoexecMount) {
    problem.code = ProblemCode::NotPermitted;
    problem.name = refused.file;
    problem.what = refused.is_library ? say("library-on-noexec", {{"library", refused.file}})
                                      : say("program-on-noexec", {{"file", refused.file}});
    problem.evidence.push_back(
        {.what = say("name-reason", {{"name", refused.is_library ? "mmap" : "execve"}, {"reason", reason}}),
         .path = refused.path});
  } else {
    const std::string_view sentence = refused.by == Refused::By::ExecuteRight ? "may-not-execute" : "may-not-read";
    problem.code = ProblemCode::NotPermitted;
    problem.name = refused.file;
    problem.what = say(sentence, {{"user", describe(refused.user)}, {"file", refused.file}});
  }
  Diagnosis diagnosis;
  diagnosis.starts = false;
  diagnosis.answer = refused.is_entry_unseen ? Verdict::Depends : Verdict::Fails;
  diagnosis.loader_prints = problem.loader_says;
  const Statement end = refused.is_entry_unseen ? problem.what
                        : refused.is_library
                            ? say("does-not-load", {{"problem", problem.what}, {"more", Statement{}}})
                            : say("does-not-start", {{"problem", problem.what}, {"more", Statement{}}});
  diagnosis.verdict = say("verdict", {{"file", refused.file}, {"end", end}});
  if (refused.by == Refused::By::Machine) {
    diagnosis.next = say(refused.is_library ? "next-build-for-machine" : "next-program-for-machine",
                         {{"here", describe(refused.here)}});
  } else if (refused.by == Refused::By::NotElf) {
    diagnosis.next = refused.other->next;
  }
  diagnosis.problems.push_back(std::move(problem));
  return diagnosis;
}

namespace {

/// As it stands in a pattern and in a replacement of sed(1), between bars: nothing in it is of sed's language.
std::string in_sed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\|.*[]^$&").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Its first line, changed so that it names what is there: without the carriage return, or where the same program is.
std::vector<Remedy> fixes_of_script(const FileSystem& files, const Refused& refused) {
  const std::string plain = refused.interpreter.substr(0, refused.interpreter.find('\r'));
  Remedy remedy;
  remedy.kind = RemedyKind::Interpreter;
  remedy.verdict = RemedyVerdict::Works;
  if (plain != refused.interpreter) {
    remedy.text = say("fix-line-ends", {{"path", refused.path}});
    remedy.commands = {"sed -i 's/\\r$//' " + shell_path(refused.path)};
    const Result<FileStatus, Errno> there = files.status(plain);
    remedy.checked = say("interpreter-is-there", {{"interpreter", plain}});
    if (there) return {std::move(remedy)};
    remedy.verdict = RemedyVerdict::Fails;
    remedy.checked = {};
    remedy.reason =
        say("name-reason", {{"name", plain}, {"reason", errno_text(there.error(), ErrnoText::FromDlerror)}});
    return {std::move(remedy)};
  }
  for (const std::string_view directory : {"/usr/local/bin/", "/usr/bin/", "/bin/"}) {
    const std::string other = std::string(directory) + std::string(file_name_of(plain));
    const Result<FileStatus, Errno> status = files.status(other);
    if (!status || status->kind != FileKind::Regular || !may_access(refused.user, *status, Access::Execute)) continue;
    remedy.text = say("fix-first-line", {{"path", refused.path}, {"interpreter", other}});
    remedy.commands = {"sed -i " + shell_word("1s|" + in_sed(plain) + "|" + in_sed(other) + "|") + " " +
                       shell_path(refused.path)};
    remedy.checked = say("interpreter-is-there", {{"interpreter", other}});
    return {std::move(remedy)};
  }
  return {};
}

}  // namespace

std::vector<Remedy> untried_fixes(const FileSystem& files, const Refused& refused) {
  Remedy remedy;
  if (refused.by == Refused::By::Command || refused.by == Refused::By::NotElf) return {};
  if (refused.by == Refused::By::Machine) return fixes_of_machine(files, refused);
  if (refused.is_script && refused.by == Refused::By::Interpreter) return fixes_of_script(files, refused);
  if (refused.by == Refused::By::Interpreter) {
    remedy.commands = commands_for_loader(files, refused.interpreter);
    if (remedy.commands.empty()) return {};
    remedy.kind = RemedyKind::Install;
    remedy.text = say("fix-install-loader", {{"interpreter", refused.interpreter}});
    remedy.reason = say("install-untried");
    return {std::move(remedy)};
  }
  if (refused.by == Refused::By::NoexecMount) return {fix_of_noexec(refused.path)};
  const Result<FileStatus, Errno> status = files.status(refused.path);
  std::string part = refused.path;
  if (!status) {  // the first directory that cannot be entered
    for (std::size_t slash = part.find('/', 1); slash != std::string::npos; slash = refused.path.find('/', slash + 1)) {
      const Result<FileStatus, Errno> inner = files.status(refused.path.substr(0, refused.path.find('/', slash + 1)));
      if (!inner && inner.error() == static_cast<Errno>(EACCES)) {
        part = refused.path.substr(0, slash);
        break;
      }
    }
  }
  const Result<FileStatus, Errno> there = files.status(part);
  if (!there) return {};
  const bool is_directory = there->kind == FileKind::Directory;
  const bool is_own = there->owner == refused.user.uid || refused.user.passes_modes;
  const CommandText change = is_directory || (refused.by == Refused::By::ReadRight && !refused.is_library)
                                 ? CommandText("a+rx ")
                             : refused.by == Refused::By::ExecuteRight ? CommandText("+x ")
                                                                       : CommandText("a+r ");
  remedy.kind = RemedyKind::Permission;
  remedy.text = refused.by == Refused::By::ExecuteRight && !is_directory ? say("fix-execute-right", {{"path", part}})
                                                                         : say("fix-permission", {{"path", part}});
  remedy.commands = {(is_own ? CommandText("chmod ") : CommandText("sudo chmod ")) + change + shell_path(part)};
  remedy.reason = say("permission-untried");
  return {std::move(remedy)};
}

}  // namespace soresolve
