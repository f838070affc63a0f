// A file or a directory on the loader's way that this user may not read: chmod(1); or that lies where nothing may run:
// mount(8). What lies behind cannot be looked at by this user, so that nothing is tried. Source: path_resolution(7): a
// directory has to be searchable, a file readable.
#include <algorithm>
#include <cerrno>

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "loader/process.h"
#include "loader/system.h"
#include "remedies/proposals.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

/// What refuses `path`: itself, or the first directory that cannot be entered. Empty: nothing does.
std::string refusing_part(const FileSystem& files, const std::string& path) {
  const auto is_denied = [&](const std::string& part) {
    const Result<FileStatus, Errno> status = files.status(part);
    return !status && status.error() == static_cast<Errno>(EACCES);
  };
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string inner = path.substr(0, path.find('/', slash + 1));
    if (is_denied(inner)) return path.substr(0, slash);
  }
  return files.status(path) ? path : std::string();
}

/// A library that is found, and lies where nothing is run.
void propose_running_mount(const LinkMap& map, Diagnosis& diagnosis) {
  for (const Problem& problem : diagnosis.problems) {
    if (problem.what.sentence != "library-on-noexec" || problem.requests.empty()) continue;
    const Need& need = map.objects[problem.requests.front().needer].needs[problem.requests.front().need];
    if (need.trace >= map.traces.size() || map.traces[need.trace].attempts.empty()) continue;
    const std::string path = absolute_path(map.traces[need.trace].attempts.back().candidate, map.process->cwd);
    diagnosis.remedies.push_back(fix_of_noexec(without_dots(path)));
    return;
  }
}

}  // namespace

Remedy fix_of_noexec(const std::string& path) {
  Remedy remedy;
  remedy.kind = RemedyKind::Permission;
  remedy.text = say("fix-noexec", {{"path", path}});
  remedy.commands = {"sudo mount -o remount,exec \"$(findmnt -nT " + shell_path(path) + " -o TARGET)\""};
  remedy.reason = say("noexec-untried");
  return remedy;
}

void propose_permissions(const LinkMap& map, Diagnosis& diagnosis) {
  propose_running_mount(map, diagnosis);
  const FileSystem& files = *map.system->files;
  const auto is_missing = [&](std::string_view name) {
    return std::any_of(diagnosis.problems.begin(), diagnosis.problems.end(), [&](const Problem& problem) {
      return problem.code == ProblemCode::MissingLibrary && problem.name == name;
    });
  };
  Remedy remedy;
  for (const Problem& problem : diagnosis.problems) {
    if (problem.code != ProblemCode::NotReadable || problem.evidence.empty() || !is_missing(problem.name)) continue;
    const std::string path = absolute_path(problem.evidence.front().path, map.process->cwd);
    const std::string part = refusing_part(files, without_dots(path));
    const Result<FileStatus, Errno> status = files.status(part);
    if (part.empty() || !status) continue;
    const bool is_directory = status->kind == FileKind::Directory;
    const bool is_roots = status->owner == 0;
    const CommandText command = (is_roots ? CommandText("sudo chmod ") : CommandText("chmod ")) +
                                (is_directory ? CommandText("a+rx ") : CommandText("a+r ")) + shell_path(part);
    if (std::find(remedy.commands.begin(), remedy.commands.end(), command) != remedy.commands.end()) continue;
    if (remedy.commands.empty()) remedy.text = say("fix-permission", {{"path", part}});
    remedy.commands.push_back(command);
  }
  if (remedy.commands.empty()) return;
  remedy.kind = RemedyKind::Permission;
  remedy.verdict = RemedyVerdict::Untried;
  remedy.reason = say("permission-untried");
  diagnosis.remedies.push_back(std::move(remedy));
}

}  // namespace soresolve
