// Remedies in directories: a link under the missing name, and a wrong file moved out of the way.
#include <algorithm>
#include <set>
#include <utility>

#include "base/path.h"
#include "diagnose/other_file.h"
#include "elf/library_name.h"
#include "loader/load.h"
#include "loader/system.h"
#include "packages/host_driver.h"
#include "remedies/proposals.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

/// The directory of a search in which a link would be found: that of the file which needs it,
/// another one that search tags or the environment name, one of the system's.
std::string directory_for_link(const RemedyContext& context, const NeedRef& request) {
  const Need* const need = context.map.find_need(request);
  if (need == nullptr || need->trace >= context.map.traces.size()) return {};
  const std::string origin = origin_of(context.map, request.needer).value_or("") + "/";
  std::string named;
  std::string system_directory;
  for (const Attempt& attempt : context.map.traces[need->trace].attempts) {
    const bool is_there = attempt.outcome != Outcome::NoSuchDirectory && attempt.outcome != Outcome::SkippedDirectory;
    if (!is_there || !attempt.directory.starts_with('/') || !attempt.subdirectory.empty()) continue;
    if (!context.map.system->files->status(attempt.directory)) continue;
    if (attempt.step == SearchStep::DefaultDirs) {
      system_directory = attempt.directory;
    } else if (attempt.directory == origin) {
      return origin;
    } else if (attempt.step != SearchStep::Cache && named.empty()) {
      named = attempt.directory;
    }
  }
  return named.empty() ? system_directory : named;
}

/// "3" in "libssl.so.3.0.1": what a SONAME changes when the ABI does. Empty: it has none.
std::string_view major_of(std::string_view name) {
  constexpr std::string_view kSo = ".so.";
  const std::size_t at = name.rfind(kSo);
  if (at == std::string_view::npos) return {};
  const std::string_view number = without_time_mark(name).substr(at + kSo.size());
  return number.substr(0, number.find('.'));
}

/// By its SONAME, which is the ABI that it was built with, whatever the file is called. That nothing refutes it is no
/// proof: without symbol versions every release has symbols of these names.
bool is_other_major(const Candidate& candidate, std::string_view wanted) {
  const std::string_view own = major_of(candidate.soname.empty() ? file_name_of(candidate.path) : candidate.soname);
  return !own.empty() && !major_of(wanted).empty() && own != major_of(wanted);
}

/// Was it searched in the directory of the file? Then a link beside that is enough.
bool is_searched(const RemedyContext& context, const NeedRef& request, std::string_view file) {
  const Need* const need = context.map.find_need(request);
  if (need == nullptr || need->trace >= context.map.traces.size()) return false;
  const std::vector<Attempt>& attempts = context.map.traces[need->trace].attempts;
  return std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& attempt) {
    return attempt.subdirectory.empty() && attempt.directory == directory_prefix_of(file);
  });
}

/// A link to nothing, or the text of a link's target where a copy has made a file of it.
bool is_placeholder(const FileSystem& files, const std::string& path) {
  if (!files.status(path)) return files.read_link(path).has_value();
  const std::optional<OtherFile> other = files.read_link(path) ? std::nullopt : other_file(files, path, path);
  return other && other->kind.sentence == "kind-target-of-link";
}

std::optional<Remedy> link_to(const RemedyContext& context, const Problem& problem, const Candidate& candidate) {
  // Of a bare name nobody's needs are known that could refute another version.
  const std::string_view name = file_name_of(candidate.path);
  const bool is_same_abi = name != problem.name && without_time_mark(name) == problem.name &&
                           context.map.system->rules.target.elf_class == ElfClass::Elf64;
  const bool is_numbered = is_same_abi || name.starts_with(problem.name + ".");
  const bool is_beside = is_numbered && is_searched(context, problem.requests.front(), candidate.path);
  const std::string directory = is_beside ? std::string(directory_prefix_of(candidate.path))
                                          : directory_for_link(context, problem.requests.front());
  if (directory.empty() || problem.name.find('/') != std::string::npos) return std::nullopt;
  if (context.map.main_path.empty() && !candidate.is_asked_name && !is_numbered) return std::nullopt;
  const std::vector<std::string>& system = context.map.system->rules.system_dirs;
  const bool is_systems = std::find(system.begin(), system.end(), directory) != system.end();
  // The packages' own directories are not the place for it where anything else does.
  const bool is_of_systems = is_same_abi || is_of_driver(problem.name);
  if (is_systems && (candidate.is_asked_name || (is_beside && !is_of_systems))) return std::nullopt;
  std::string path = directory + problem.name;
  const bool is_replaced = is_beside && is_placeholder(*context.map.system->files, path);
  if (!is_replaced && (context.map.system->files->read_link(path) || context.map.system->files->status(path)))
    return std::nullopt;
  Remedy remedy;
  remedy.kind = RemedyKind::Link;
  remedy.text =
      candidate.is_asked_name ? say("fix-link") : say("fix-link-to-other", {{"file", file_name_of(candidate.path)}});
  const std::string target(is_beside ? file_name_of(candidate.path) : std::string_view(candidate.path));
  remedy.commands = {(is_systems ? CommandText("sudo ln -s") : CommandText("ln -s")) +
                     (is_replaced ? CommandText("f ") : CommandText(" ")) + shell_word(target) + " " +
                     shell_path(path)};
  if (!is_beside) remedy.leads_to = {std::string(directory_of(candidate.path))};
  WorldChange world_change;
  world_change.links = {{path, candidate.path}};
  if (is_replaced) world_change.renames = {{path, path + ".away"}};
  remedy = context.trials.tried(std::move(remedy), world_change, problem.name);
  // The driver is one: its libcuda.so is that of libcuda.so.1, and ldconfig makes no such link.
  if (is_beside && is_of_driver(problem.name)) remedy.foreign = {};
  // Shown where it fails, for it is what everybody tries first; never offered.
  const bool is_offered = remedy.verdict != RemedyVerdict::Fails;
  if (is_offered && is_other_major(candidate, problem.name)) return std::nullopt;
  return remedy;
}

}  // namespace

std::vector<Remedy> propose_links(const RemedyContext& context) {
  std::vector<Remedy> remedies;
  const auto propose = [&](const Problem& problem, const Candidate& candidate) {
    if (std::optional<Remedy> link = link_to(context, problem, candidate)) remedies.push_back(std::move(*link));
  };
  for (const Problem& problem : context.problems) {
    const bool is_missing = problem.code == ProblemCode::MissingLibrary || problem.code == ProblemCode::WrongClass ||
                            problem.code == ProblemCode::FatalCandidate;
    if (!is_missing || problem.candidates.empty() || problem.requests.empty()) continue;
    propose(problem, problem.candidates.front());
    // The one that everybody tries, with the proof that it does not do.
    const auto wrong = std::find_if(problem.candidates.begin(), problem.candidates.end(),
                                    [](const Candidate& c) { return !c.serves && !c.is_asked_name; });
    if (wrong != problem.candidates.end() && wrong != problem.candidates.begin()) propose(problem, *wrong);
  }
  return remedies;
}

std::vector<Remedy> propose_unshadowing(const RemedyContext& context) {
  std::vector<Remedy> remedies;
  std::set<std::pair<std::string, std::string>> tried;  // one file may lack many versions
  for (const Problem& problem : context.problems) {
    if (severity_of(problem.code) != Severity::Fatal || !is_in_the_way(problem)) continue;
    std::string path;
    if (problem.object != kNoObject) {
      path = std::string(context.map.objects[problem.object].path);
    } else if (!problem.requests.empty()) {
      const Need* const need = context.map.find_need(problem.requests.front());
      const bool has_trace = need != nullptr && need->trace < context.map.traces.size();
      if (has_trace && !context.map.traces[need->trace].attempts.empty())
        path = context.map.traces[need->trace].attempts.back().candidate;
    }
    if (!path.starts_with('/') || !tried.emplace(path, problem.name).second) continue;
    Remedy remedy;
    remedy.kind = RemedyKind::Unshadow;
    remedy.text = say("fix-unshadow");
    remedy.commands = {"mv " + shell_path(path) + " " + shell_path(path + ".away")};
    remedy.writes = {path};
    WorldChange world_change;
    world_change.renames = {{path, path + ".away"}};
    remedy = context.trials.tried(std::move(remedy), world_change, problem.name);
    // Without another file of that name there is nothing to make room for.
    if (remedy.verdict != RemedyVerdict::Fails) remedies.push_back(std::move(remedy));
  }
  return remedies;
}

}  // namespace soresolve
