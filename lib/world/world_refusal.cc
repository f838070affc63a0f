// The answer about a file that comes into no process, with fixes: the program is asked about again with each loader of
// its machine that is here. Nothing is changed on the machine. What refuses it: refusal.cc.
#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/library_file.h"
#include "base/path.h"
#include "base/user.h"
#include "diagnose/foreign_libc.h"
#include "diagnose/other_file.h"
#include "elf/library_name.h"
#include "host/host.h"
#include "loader/system.h"
#include "packages/package_owner.h"
#include "remedies/choice.h"
#include "soresolve/command_text.h"
#include "world/foreign_machine.h"
#include "world/text_file.h"
#include "world/world_state.h"

namespace soresolve {

/// What the user's rights or the interpreter keep from starting, or from being opened. An empty interpreter: nobody
/// starts it.
std::optional<Refused> World::State::refusal_of_file(const OpenedObject& file, const std::string& name,
                                                     const std::string& interpreter) const {
  const ElfObject& elf = file.elf;
  Refused refused{
      .file = name, .path = without_dots(absolute_path(name, cwd_)), .interpreter = interpreter, .user = user_};
  // Some libraries have an interpreter, too.
  const bool is_program = is_static_program(elf) || (elf.has_interp && !interpreter.empty() && !elf.soname &&
                                                     file_name_of(name).find(".so") == std::string_view::npos);
  if (!may_use(refused.path, file.file->status(), is_program ? Access::Execute : Access::Read)) {
    refused.by = is_program ? Refused::By::ExecuteRight : Refused::By::ReadRight;
    refused.reason = static_cast<Errno>(EACCES);
    refused.is_library = !is_program;
    return refused;
  }
  const auto is_code = [](const Segment& segment) { return segment.type == PT_LOAD && (segment.flags & PF_X) != 0; };
  if (std::any_of(elf.segments.begin(), elf.segments.end(), is_code) && file.file->is_on_noexec()) {
    refused.by = Refused::By::NoexecMount;
    refused.reason = static_cast<Errno>(is_program ? EACCES : EPERM);
    refused.is_library = !is_program;
    return refused;
  }
  if (!elf.has_interp || interpreter.empty() || has_only_foreign_loaders(*files_, elf.target)) return std::nullopt;
  refused.reason = refusal_of_interpreter(*files_, absolute_path(interpreter, cwd_), elf,
                                          [this](const FileStatus& status) { return may_execute(status); });
  return refused.reason == Errno::None ? std::nullopt : std::optional(refused);
}

/// May the user execute the program, or read the library? Who asks has opened it.
bool World::State::may_use(const std::string& path, const FileStatus& opened, Access access) const {
  if (!is_user_named_) return access == Access::Read || may_execute(opened);
  if (access == Access::Execute && has_execute_right_) return true;
  const Result<FileStatus, Errno> reached = files_as_user(files_, user_)->status(path);
  return reached && (access == Access::Execute ? may_execute(*reached) : may_access(user_, *reached, access));
}

/// As the kernel judges a program's bits. Archives that keep none, as ZIP may, unpack everything without an execute
/// bit, and so may a tree that a caller has made: there that says nothing. In a root whose user nobody named the
/// superuser starts it, who needs one bit.
bool World::State::may_execute(const FileStatus& program) const {
  if (has_execute_right_) return true;
  const bool is_zip = place_ && (place_->format == "zip" || place_->format == "wheel");
  const bool is_made = settings_.where.files && !settings_.where.is_recorded;
  const bool has_bit = (program.mode & 0111) != 0;
  if ((is_zip || is_made) && !has_bit) return true;
  const bool is_here = (root_.empty() && !settings_.where.files) || settings_.where.has_mounts;
  return is_user_named_ || is_here ? may_access(user_, program, Access::Execute) : has_bit;
}

/// What may not be read: a library, or a program that may not be executed, either. nullopt: it can be a program that
/// runs, or nothing refuses it.
std::optional<Refused> World::State::refusal_of_reading(const std::string& name) const {
  const std::string path = without_dots(absolute_path(name, cwd_));
  constexpr Errno kDenied = static_cast<Errno>(EACCES);
  const Result<std::unique_ptr<File>, Errno> file = files_->open(path);
  if (file || file.error() != kDenied) return std::nullopt;
  Refused refused{.by = Refused::By::ReadRight, .file = name, .path = path, .reason = kDenied, .user = user_};
  refused.is_library = file_name_of(name).find(".so") != std::string_view::npos;
  const Result<FileStatus, Errno> status = files_->status(path);
  const bool may_run = status && may_access(user_, *status, Access::Execute);
  return !refused.is_library && may_run ? std::nullopt : std::optional(refused);
}

/// A script that the kernel gives to no interpreter: it may not be executed, or the one in its first line is missing,
/// or may not be executed.
std::optional<Refused> World::State::refusal_of_script(const std::string& path, const std::string& name) const {
  const std::optional<std::string> interpreter = interpreter_of_script(*files_, path);
  if (!interpreter) return std::nullopt;
  Refused refused{.file = name, .path = without_dots(path), .interpreter = *interpreter, .user = user_};
  refused.is_script = true;
  if (const Result<FileStatus, Errno> own = files_->status(path); own && !may_use(path, *own, Access::Execute)) {
    refused.by = Refused::By::ExecuteRight;
    refused.reason = static_cast<Errno>(EACCES);
    return refused;
  }
  const std::string there = absolute_path(*interpreter, cwd_);
  const Result<FileStatus, Errno> status = files_->status(there);
  if (!status) {
    refused.reason = status.error();
  } else if (status->kind != FileKind::Regular || !may_execute(*status)) {
    refused.reason = static_cast<Errno>(EACCES);
  }
  return refused.reason == Errno::None ? std::nullopt : std::optional(refused);
}

/// What stands where a library is expected, or is code for another system.
std::optional<Refused> World::State::refusal_of_other_file(const std::string& path, const std::string& name) const {
  std::optional<OtherFile> other = other_file(*files_, path, name);
  const bool is_library = is_loaded_by_name(name);
  if (!other || (other->known == OtherFile::Known::AsLibrary && !is_library)) return std::nullopt;
  const bool may_be_program = other->kind.sentence == "kind-script";
  if (may_be_program) return std::nullopt;
  Refused refused{.by = Refused::By::NotElf,
                  .file = name,
                  .path = without_dots(path),
                  .reason = static_cast<Errno>(ENOEXEC),
                  .user = user_};
  refused.is_library = is_library;
  refused.other = std::move(other);
  return refused;
}

/// What is for a processor that nothing here takes. An entry of binfmt_misc starts a program of any.
std::optional<Refused> World::State::refusal_of_machine(const OpenedObject& file, const std::string& name) const {
  const bool is_here = root_.empty() && !settings_.where.files;
  const ElfObject& elf = file.elf;
  const bool is_library = is_for_dlopen(elf, name);
  const std::optional<ElfTarget> here = is_here && !is_library ? target_of_machine() : target_of_loaders(*files_);
  if (!here || is_of_family(elf.target, *here)) return std::nullopt;
  if (is_library && !loaders_for(*files_, elf.target).empty()) return std::nullopt;
  if (!is_here && !has_only_foreign_loaders(*files_, elf.target)) return std::nullopt;
  const Binfmt entry = is_here && !is_library ? binfmt_entry(*files_, *file.file) : Binfmt::None;
  if (entry == Binfmt::Taken) return std::nullopt;
  Refused refused{.by = Refused::By::Machine,
                  .file = name,
                  .path = without_dots(absolute_path(name, cwd_)),
                  .interpreter = elf.has_interp ? std::string(elf.interp) : std::string(),
                  .reason = static_cast<Errno>(is_library ? ENOENT : ENOEXEC),
                  .user = user_};
  refused.is_library = is_library;
  refused.target = elf.target;
  refused.here = *here;
  refused.is_in_root = !is_here;
  refused.is_entry_unseen = entry == Binfmt::NotSeen;
  return refused;
}

/// The program with another loader.
Remedy World::State::tried_interpreter(const Refused& refused, const std::string& loader) {
  Remedy remedy;
  remedy.kind = RemedyKind::Interpreter;
  remedy.text = say("fix-interpreter", {{"interpreter", loader}});
  remedy.commands = {"patchelf --set-interpreter " + shell_path(loader) + " " + shell_path(refused.file)};
  remedy.writes = {refused.path};
  interpreter_instead_ = loader;
  remedy = tried_start(refused, std::move(remedy));
  interpreter_instead_.clear();
  return remedy;
}

/// As the members of this trial are set.
Remedy World::State::tried_start(const Refused& refused, Remedy remedy) {
  remedy.verdict = RemedyVerdict::Fails;
  remedy.reason = {};
  const std::shared_ptr<Log> log = std::exchange(settings_.log, nullptr);  // of no question that was asked
  const Result<Resolution> run = resolve(refused.file, {});
  settings_.log = log;
  if (!run) {
    remedy.reason = words_of_others(run.error().message);
    return remedy;
  }
  const Result<Check>& check = run->check();
  if (!check) {
    remedy.reason = words_of_others(check.error().message);
  } else if (check->is_ok()) {
    remedy.verdict = RemedyVerdict::Works;
    remedy.checked = say("checked-every-symbol");
  } else if (check->answer().fatal_line) {
    remedy.loader_says = check->answer().lines[*check->answer().fatal_line];
  } else {
    remedy.reason = words_of_others(check->answer().death);
  }
  return remedy;
}

/// Whose interpreter it is that is missing, and what leads to one.
void World::State::add_interpreters_place(const OpenedObject& program, const Refused& refused,
                                          Diagnosis& diagnosis) const {
  Problem& problem = diagnosis.problems.front();
  if (const std::optional<Statement> foreign = foreign_interpreter(files_, program, refused.file)) {
    problem.code = ProblemCode::ForeignLibc;
    problem.what = *foreign;
    diagnosis.verdict =
        say("verdict",
            {{"file", refused.file}, {"end", say("does-not-start", {{"problem", *foreign}, {"more", Statement{}}})}});
    const bool is_musls = foreign->sentence == "program-for-musl";
    diagnosis.next = say(is_musls ? "next-loader-of-musl" : "next-loader-of-glibc");
    return;
  }
  const std::optional<ElfTarget> here = target_of_loaders(*files_);
  if (!here || *here == program.elf.target) return;
  problem.evidence.push_back(
      {.what = say("program-of-target", {{"file", refused.path}, {"target", describe(program.elf.target)}}),
       .path = refused.path});
  if (program.elf.target.machine == EM_386) diagnosis.next = say("next-loader-of-i386");
}

std::optional<Diagnosis> World::State::refusal(RefusalFixes fixes) {
  if (!static_program_.empty()) {
    Diagnosis diagnosis;
    diagnosis.starts = true;
    diagnosis.answer = Verdict::Works;
    diagnosis.verdict = say("verdict", {{"file", static_program_}, {"end", say("starts-static")}});
    return diagnosis;
  }
  if (!refused_) return std::nullopt;
  const Refused refused = *refused_;
  Diagnosis diagnosis = diagnosis_of(refused);
  const bool is_interpreters = refused.by == Refused::By::Interpreter && !refused.is_script;
  Result<OpenedObject> program = Unexpected{Error{}};
  if (is_interpreters) program = open_object(*files_, refused.path, refused.file);
  if (program && refused.reason == static_cast<Errno>(ENOENT)) add_interpreters_place(*program, refused, diagnosis);
  if (fixes == RefusalFixes::None) return diagnosis;
  if (program) {
    for (const std::string& loader : loaders_for(*files_, program->elf.target)) {
      if (loader != refused.interpreter) diagnosis.remedies.push_back(tried_interpreter(refused, loader));
    }
  }
  for (Remedy& remedy : untried_fixes(*files_, refused)) {
    if (refused.by == Refused::By::ExecuteRight) {
      has_execute_right_ = true;
      remedy = tried_start(refused, std::move(remedy));
      has_execute_right_ = false;
    }
    diagnosis.remedies.push_back(std::move(remedy));
  }
  order_by_choice(*files_, {refused.path}, *owners(), diagnosis);
  for (Problem& problem : diagnosis.problems) {
    if (const std::optional<PackageOwner> owner = owners()->owner_of(refused.path)) {
      problem.owners.push_back({refused.path, *owner});
    }
  }
  refused_ = refused;
  return diagnosis;
}

}  // namespace soresolve
