// Where no file on the machine would serve that is not of another environment or release: what brings one. By the
// SONAME (packages/what_brings.h); for a wheel in the very version that an installed package of Python requires; else
// the wheel that the needer's own requires and that is not installed (librmm keeps its logger in rapids-logger). It
// cannot be tried here, and says so. Source: PyPA "Core metadata specifications" (Requires-Dist), PEP 508. Only headers
// are read.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "base/pieces.h"
#include "base/small_file.h"
#include "diagnose/diagnosis_input.h"
#include "elf/library_name.h"
#include "loader/process.h"
#include "loader/system.h"
#include "packages/host_driver.h"
#include "packages/installed_wheels.h"
#include "packages/package_lists.h"
#include "packages/package_owner.h"
#include "packages/package_records.h"
#include "packages/what_brings.h"
#include "packages/wheel_requirements.h"
#include "python/environments.h"
#include "remedies/cpu_build.h"
#include "remedies/foreign_architecture.h"
#include "remedies/pip_command.h"
#include "remedies/proposals.h"
#include "soresolve/dotted_version.h"
#include "symbols/cuda_releases.h"

namespace soresolve {
namespace {

/// Which versions of `wheel` the packages in the site-packages around `file` require; several where they disagree.
std::set<std::string> pins_of(const FileSystem& files, std::string_view file, std::string_view wheel) {
  constexpr int kMostUp = 6;
  std::set<std::string> pins;
  std::string_view directory = directory_of(file);
  const std::string wanted = normalised_wheel_name(wheel);
  for (int up = 0; up < kMostUp && directory.size() > 1 && pins.empty(); ++up, directory = directory_of(directory)) {
    for (WheelRequirement& required : read_wheel_requirements(files, directory)) {
      if (required.wheel == wanted) pins.insert(std::move(required.version));
    }
  }
  return pins;
}

/// A slim root may lack the program: what the root is, its os-release says.
bool is_like(const FileSystem& files, std::string_view distribution) {
  constexpr std::size_t kBytes = 4096;
  const std::string text = start_of_file(files, "/etc/os-release", kBytes);
  for (const std::string_view line : Pieces(text, '\n')) {
    if (!line.starts_with("ID=") && !line.starts_with("ID_LIKE=")) continue;
    const std::vector<std::string_view> words = words_in(line.substr(line.find('=') + 1), " \"'");
    if (std::find(words.begin(), words.end(), distribution) != words.end()) return true;
  }
  return false;
}

/// Does the analysed system have this package manager? A command for another one is of no use.
bool is_of_use(const FileSystem& files, const CommandText& typed) {
  struct Manager {
    std::string_view start;
    const char* program;
    std::string_view distributions[2];
  };
  constexpr Manager kManagers[] = {{"sudo apt ", "/usr/bin/apt", {"debian", "ubuntu"}},
                                   {"sudo dnf ", "/usr/bin/dnf", {"fedora", "rhel"}}};
  const std::string_view command = typed.text();
  for (const Manager& manager : kManagers) {
    if (!command.starts_with(manager.start)) continue;
    return files.status(manager.program) ||
           std::any_of(std::begin(manager.distributions), std::end(manager.distributions),
                       [&](std::string_view distribution) { return is_like(files, distribution); });
  }
  return !command.starts_with("conda ");
}

/// Where the packages lie that a file comes upon: around it, else those of the environment that is active.
std::vector<std::string> sites_of(const LinkMap& map, std::string_view file) {
  for (std::string_view at = directory_of(file); at.size() > 1; at = directory_of(at)) {
    if (file_name_of(at) == "site-packages" || file_name_of(at) == "dist-packages") return {std::string(at)};
  }
  return active_site_directories(*map.system->files, map.process->environment, map.process->cwd);
}

/// The file that needs it; where that is not known, one in the environment that is active, unless it is the system's,
/// into which pip does not install.
std::string needer_or_active(const LinkMap& map, const Problem& problem) {
  std::string needer = file_of(map, problem.requests.front().needer);
  if (!needer.empty()) return needer;
  for (const std::string& site : sites_of(map, needer)) {
    std::string inside = path_in(site, "module.so");
    if (!environment_of(*map.system->files, inside).empty()) return inside;
  }
  return needer;
}

/// From which directories the search for a library led into the folder of its wheel: as the lists name them, and where
/// they really lie.
std::vector<std::string> bases_searched(const LinkMap& map, const Problem& problem, const WheelFolder& folder) {
  const std::string tail = "/" + folder.path;
  std::vector<std::string> bases;
  const auto add = [&](std::string_view directory) {
    const std::string whole = std::filesystem::path(directory).lexically_normal().string();
    std::string_view base = whole;
    if (base.ends_with('/')) base.remove_suffix(1);
    if (!base.ends_with(tail)) return;
    base.remove_suffix(tail.size());
    bases.emplace_back(base);
    if (Result<std::string, Errno> real = map.system->files->real_path(base)) bases.push_back(std::move(real).value());
  };
  for (const NeedRef& request : problem.requests) {
    const Need* const need = map.find_need(request);
    if (need == nullptr) continue;
    if (need->name.find('/') != std::string_view::npos) add(directory_of(need->name));
    if (need->trace >= map.traces.size()) continue;
    for (const Attempt& attempt : map.traces[need->trace].attempts) add(attempt.directory);
  }
  return bases;
}

/// The wheels of one command, and the directories of theirs that no search list leads to.
struct WheelInstall {
  std::optional<PipPlace> place;
  std::vector<CommandText> unsearched;
  bool is_again = false;  ///< a file of one is gone
  std::string cuda = {};  ///< the CUDA that a wheel was chosen for; empty: none was to be chosen

  void add(const LinkMap& map, const Problem& problem, const std::string& needer, const std::string& wheel) {
    const std::optional<WheelFolder> folder = folder_of_wheel(wheel);
    const std::vector<std::string> bases = folder ? bases_searched(map, problem, *folder) : std::vector<std::string>();
    if (!place) place = pip_place(map, needer, bases.empty() ? std::string() : bases.front());
    if (!folder) return;
    const CommandText& base = folder->is_of_prefix ? place->prefix : place->site;
    const bool is_searched = std::any_of(bases.begin(), bases.end(),
                                         [&](const std::string& searched) { return shell_path(searched) == base; });
    CommandText directory = base + "/" + shell_word(folder->path);
    const bool is_new = std::find(unsearched.begin(), unsearched.end(), directory) == unsearched.end();
    if (!is_searched && is_new) unsearched.push_back(std::move(directory));
  }

  /// The second command; nullopt: none is needed.
  [[nodiscard]] std::optional<CommandText> path_command() const {
    if (unsearched.empty()) return std::nullopt;
    CommandText command = "export LD_LIBRARY_PATH=";
    for (const CommandText& directory : unsearched)
      command += (&directory == &unsearched.front() ? CommandText() : ":") + directory;
    return command + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
  }
};

/// "13": the CUDA of a process, by the runtime that its files need; else of the environment, by the one wheel of a
/// runtime that is there. Empty: none, or several.
std::string cuda_major(const LinkMap& map, const std::string& needer) {
  constexpr std::string_view kRuntime = "libcudart.so.";
  std::set<std::string> majors;
  for (const LoadedObject& object : map.objects) {
    for (const Need& need : object.needs) {
      if (!need.name.starts_with(kRuntime)) continue;
      const std::string_view number = need.name.substr(kRuntime.size());
      majors.emplace(number.substr(0, number.find('.')));
    }
  }
  if (majors.empty()) {
    const std::vector<std::string> sites = sites_of(map, needer);
    for (const char* const name : {"nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime-cu11"}) {
      const std::optional<InstalledWheel> runtime = installed_wheel(*map.system->files, sites, name);
      if (runtime) majors.insert(runtime->version.substr(0, runtime->version.find('.')));
    }
  }
  return majors.size() == 1 ? *majors.begin() : std::string();
}

/// Is the wheel one for this CUDA? From 13 on most have no suffix.
bool is_for_cuda(std::string_view wheel, const std::string& major) {
  const std::string_view name = wheel_name(wheel);
  const std::size_t suffix = name.rfind("-cu1");
  const bool has_suffix = suffix != std::string_view::npos && name.size() == suffix + 5;
  if (has_suffix) return name.substr(suffix + 3) == major;
  return name.starts_with("nvidia-") && major != "11" && major != "12";
}

/// Of several wheels the one that is required here, in that version; else the one for the CUDA that is here; else the
/// first.
std::string wheel_of(const LinkMap& map, const std::string& needer, const std::vector<std::string>& wheels) {
  for (const std::string& wheel : wheels) {
    const std::string name(wheel_name(wheel));
    const std::set<std::string> pins = pins_of(*map.system->files, needer, name);
    if (pins.size() == 1) return name + "==" + *pins.begin();
  }
  const std::string major = wheels.size() == 1 ? std::string() : cuda_major(map, needer);
  const auto fits = std::find_if(wheels.begin(), wheels.end(),
                                 [&](const std::string& wheel) { return !major.empty() && is_for_cuda(wheel, major); });
  return fits == wheels.end() ? wheels.front() : *fits;
}

/// A requirement of an installed wheel that is not installed.
struct RequiredWheel {
  PackageOwner package;  ///< who requires it
  std::string requirement;
};

/// Is it a wheel's name for this: librmm-cu12 or nvidia-librmm for librmm, rapids-logger for rapids_logger?
bool is_named_after(std::string_view wheel, std::string_view name) {
  return ("-" + std::string(wheel) + "-").find("-" + normalised_wheel_name(name) + "-") != std::string::npos;
}

/// The folders of `site` that were searched for a library and are not there: each is of a package.
std::vector<std::string> folders_missed(const LinkMap& map, const Problem& problem, std::string_view site) {
  std::vector<std::string> folders;
  for (const NeedRef& request : problem.requests) {
    const Need* const need = map.find_need(request);
    if (need == nullptr || need->trace >= map.traces.size()) continue;
    for (const Attempt& attempt : map.traces[need->trace].attempts) {
      const std::string directory = std::filesystem::path(attempt.directory).lexically_normal().string();
      if (!directory.starts_with(site) || directory.size() < site.size() + 2 || directory[site.size()] != '/') continue;
      const std::string_view below = std::string_view(directory).substr(site.size() + 1);
      std::string folder(below.substr(0, below.find('/')));
      if (!map.system->files->status(path_in(site, folder))) folders.push_back(std::move(folder));
    }
  }
  return folders;
}

/// What the wheel of `needer` requires, is not installed beside it, and has the library by its name or by the folder
/// that was searched for it.
std::optional<RequiredWheel> required_wheel(const LinkMap& map, const PackageOwners& owners, const Problem& problem,
                                            const std::string& needer) {
  const FileSystem& files = *map.system->files;
  std::optional<PackageOwner> owner = owners.owner_of(needer);
  if (!owner || owner->by != PackageRecord::Wheel) return std::nullopt;
  const std::string_view metadata = directory_of(owner->record);
  const std::string_view site = directory_of(metadata);
  const std::optional<std::string> text = read_small_file(files, path_in(metadata, "METADATA"), kMostMetadataBytes);
  const Result<std::vector<std::string>, Errno> names = files.list_directory(site);
  if (!text || !names) return std::nullopt;
  std::set<std::string> installed;
  for (const std::string& name : *names) {
    if (const std::optional<WheelName> wheel = wheel_name_of(name))
      installed.insert(normalised_wheel_name(wheel->name));
  }
  std::vector<std::string> signs = folders_missed(map, problem, site);
  const std::string_view stem = library_stem(problem.name);
  signs.emplace_back(stem);
  if (stem.starts_with("lib") && stem.size() > 3) signs.emplace_back(stem.substr(3));
  for (const std::string& requirement : requirements_in(*text)) {
    const std::string_view wheel = wheel_name(requirement);
    const bool is_it =
        std::any_of(signs.begin(), signs.end(), [&](const std::string& sign) { return is_named_after(wheel, sign); });
    if (is_it && !installed.contains(std::string(wheel))) return RequiredWheel{std::move(*owner), requirement};
  }
  return std::nullopt;
}

/// What brings the library of a problem: by the table, else by what is required.
std::optional<WhatBrings> what_brings_here(const LinkMap& map, const PackageOwners& owners, const Problem& problem,
                                           const std::string& needer) {
  if (std::optional<WhatBrings> brings = what_brings(problem.name)) return brings;
  const std::optional<RequiredWheel> required = required_wheel(map, owners, problem, needer);
  if (!required) return std::nullopt;
  return WhatBrings{
      say("brought-by-requirement",
          {{"package", full_name_of(required->package)}, {"wheel", required->requirement}, {"library", problem.name}}),
      {"pip install " + shell_word(required->requirement)},
      {required->requirement}};
}

/// By the lists of packages that this root has fetched, which have no files in them: for each library that is missing
/// and that nothing else brings.
class ListedPackages {
 public:
  ListedPackages(const FileSystem& files, const std::vector<Problem>& problems) : files_(files), problems_(problems) {}

  std::optional<WhatBrings> of(const std::string& library) {
    constexpr std::size_t kMost = 64;
    if (is_of_driver(library) || !files_.status("/usr/bin/apt")) return std::nullopt;
    if (!packages_) {
      std::vector<std::string> libraries;
      for (const Problem& problem : problems_) {
        if (problem.code == ProblemCode::MissingLibrary && libraries.size() < kMost) libraries.push_back(problem.name);
      }
      packages_ = packages_in_lists(files_, libraries);
    }
    const auto package = packages_->find(library);
    if (package == packages_->end()) return std::nullopt;
    return WhatBrings{say("brought-by-listed", {{"library", library}, {"package", package->second}}),
                      {"sudo apt install " + shell_word(package->second)}};
  }

 private:
  const FileSystem& files_;
  const std::vector<Problem>& problems_;
  std::optional<std::map<std::string, std::string, std::less<>>> packages_;
};

/// What a step is, where it is another than the requirement of the table.
std::optional<Statement> words_of(const WheelStep& step, const std::string& library) {
  if (!step.of) return std::nullopt;
  const std::string package = step.of->name + " " + step.of->version;
  if (step.kind == WheelStep::Kind::Again)
    return say("reinstall-lost", {{"file", library}, {"package", package}, {"record", "RECORD"}});
  return say("brought-by-requirement", {{"package", package}, {"wheel", step.requirement}, {"library", library}});
}

/// A wheel with a module that was compiled for another release of a wheel which it requires: of that only the release
/// that is installed counts, and it has no such library. So the module is compiled again, against what is installed.
std::optional<Remedy> rebuild_remedy(const LinkMap& map, const PackageOwners& owners, const std::string& library,
                                     const std::string& needer, const WheelStep& step) {
  const std::optional<PackageOwner> owner = owners.owner_of(needer);
  const bool is_wheel = owner && owner->by == PackageRecord::Wheel && !owner->name.starts_with('-');
  if (!is_wheel || !step.of || normalised_wheel_name(owner->name) == normalised_wheel_name(step.of->name))
    return std::nullopt;
  const std::string_view metadata = directory_of(owner->record);
  const std::optional<std::string> text =
      read_small_file(*map.system->files, path_in(metadata, "METADATA"), kMostMetadataBytes);
  const std::vector<std::string> required = text ? requirements_in(*text) : std::vector<std::string>();
  const bool is_required = std::any_of(required.begin(), required.end(), [&](const std::string& requirement) {
    return wheel_name(requirement) == normalised_wheel_name(step.of->name);
  });
  if (!is_required) return std::nullopt;
  Remedy remedy;
  remedy.kind = RemedyKind::Install;
  remedy.text = say("built-for-other-wheel", {{"package", full_name_of(*owner)},
                                              {"wheel", step.of->name},
                                              {"version", step.of->version},
                                              {"library", library}});
  const std::string release = owner->version.empty() ? owner->name : owner->name + "==" + owner->version;
  remedy.commands = {pip_install_again(map, directory_of(metadata)) + "--no-build-isolation --no-binary " +
                     shell_word(owner->name) + " " + shell_word(release)};
  remedy.brings = {library};
  remedy.reason = remedy.text;
  return remedy;
}

/// In the environment around its record.
bool is_of_environment(const std::optional<PackageOwner>& owner) {
  return owner && owner->by == PackageRecord::Conda && !owner->name.starts_with('-') &&
         file_name_of(directory_of(owner->record)) == "conda-meta";
}

/// A library that is missing for a file of a conda environment, of which the environment has another release: conda
/// finds releases of the two packages that go together. Nothing of the system's is for such an environment.
std::optional<Remedy> conda_together(const LinkMap& map, const PackageOwners& owners, const Problem& problem) {
  const auto owner_of = [&](const std::string& path) { return owners.owner_of(absolute_path(path, map.process->cwd)); };
  const std::optional<PackageOwner> needer = owner_of(file_of(map, problem.requests.front().needer));
  if (!is_of_environment(needer)) return std::nullopt;
  for (const Candidate& candidate : problem.candidates) {
    const std::optional<PackageOwner> other = owner_of(without_dots(candidate.path));
    const bool is_beside = is_of_environment(other) && other->name != needer->name &&
                           directory_of(other->record) == directory_of(needer->record);
    if (!is_beside || library_stem(file_name_of(candidate.path)) != library_stem(problem.name)) continue;
    Remedy remedy;
    remedy.kind = RemedyKind::Install;
    remedy.text = say("conda-packages-apart",
                      {{"needer", full_name_of(*needer)}, {"other", full_name_of(*other)}, {"library", problem.name}});
    remedy.commands = {"conda update -p " + shell_path(directory_of(directory_of(needer->record))) +
                       " -c conda-forge " + shell_word(needer->name) + " " + shell_word(other->name)};
    remedy.brings = {problem.name};
    remedy.reason = remedy.text;
    return remedy;
  }
  return std::nullopt;
}

/// A library that is too old, or lacks a symbol, in a file that a package of a conda environment brought: the next
/// release of that package. Whatever else is done to such a file lasts until then.
std::optional<Remedy> conda_update(const LinkMap& map, const PackageOwners& owners, const Problem& problem) {
  const bool is_too_old = problem.code == ProblemCode::VersionMissing || problem.code == ProblemCode::SymbolMissing;
  if (!is_too_old || problem.object == kNoObject || map.objects[problem.object].role == ObjectRole::Placeholder)
    return std::nullopt;
  const std::string path = absolute_path(file_of(map, problem.object), map.process->cwd);
  const std::optional<PackageOwner> owner = owners.owner_of(path);
  if (!is_of_environment(owner)) return std::nullopt;
  Remedy remedy;
  remedy.kind = RemedyKind::Install;
  remedy.text = say("conda-package-too-old", {{"package", full_name_of(*owner)}, {"library", file_name_of(path)}});
  remedy.commands = {"conda install -p " + shell_path(directory_of(directory_of(owner->record))) + " -c conda-forge " +
                     shell_word(owner->name)};
  remedy.brings = {problem.name};
  remedy.reason = say("install-untried");
  return remedy;
}

/// A package that is no wheel.
Remedy package_remedy(const std::string& library, const WhatBrings& brings, const CommandText& command) {
  Remedy package;
  package.kind = RemedyKind::Install;
  package.text = brings.what;
  package.commands = {command};
  package.brings = {library};
  package.reason = say("install-untried");
  return package;
}

/// Several packages of apt's are one command.
void join_packages(std::vector<Remedy>& remedies) {
  constexpr std::string_view kStart = "sudo apt install ";
  std::vector<Remedy> joined;
  std::optional<std::size_t> first;
  for (Remedy& one : remedies) {
    const bool is_one =
        one.kind == RemedyKind::Install && one.commands.size() == 1 && one.commands.front().text().starts_with(kStart);
    if (is_one && first) {
      Remedy& all = joined[*first];
      all.commands.front() += " " + shell_word(one.commands.front().text().substr(kStart.size()));
      all.brings.insert(all.brings.end(), one.brings.begin(), one.brings.end());
      all.also.push_back(std::move(one.text));
      continue;
    }
    if (is_one) first = joined.size();
    joined.push_back(std::move(one));
  }
  remedies = std::move(joined);
}

/// `remedy` with one command for all wheels, and a second one where the loader would not search what they bring.
Remedy wheels_remedy(const LinkMap& map, const WheelInstall& install, const std::vector<std::string>& wheels,
                     Remedy remedy) {
  CommandText command = install.place ? install.place->command : pip_install(map);
  if (install.is_again) command += "--force-reinstall --no-deps ";
  for (const std::string& wheel : wheels)
    command += (&wheel == &wheels.front() ? CommandText() : " ") + shell_word(wheel);
  remedy.commands = {std::move(command)};
  if (std::optional<CommandText> path = install.path_command()) {
    remedy.commands.push_back(std::move(*path));
    remedy.leads_to = {std::string(install.place->site.text())};
    remedy.also.push_back(say("wheel-unsearched", {{"count", install.unsearched.size()}}));
  }
  remedy.kind = RemedyKind::Install;
  remedy.reason =
      install.cuda.empty() ? say("install-untried") : say("install-untried-for-cuda", {{"release", install.cuda}});
  return remedy;
}

}  // namespace

void propose_newer_runtime(const LinkMap& map, Diagnosis& diagnosis, const PackageOwners& owners, const Check& check) {
  DottedVersion newest;
  const UnresolvedSymbol* last = nullptr;
  for (const UnresolvedSymbol& symbol : check.symbols) {
    if (symbol.from == kNoObject) continue;
    const std::string& name = symbol.reference.name;
    std::string release = nvjitlink_release(name);
    if (release.empty()) release = std::string(cuda_runtime_release(name));
    const DottedVersion needed = leading_version(release).value_or(DottedVersion{});
    if (needed.empty() || needed <= newest) continue;
    newest = needed;
    last = &symbol;
  }
  if (last == nullptr) return;
  const std::string file = absolute_path(file_of(map, last->from), map.process->cwd);
  const std::optional<PackageOwner> owner = owners.owner_of(file);
  if (!owner || owner->by != PackageRecord::Wheel || !is_wheel_name(owner->name)) return;
  if (leading_version(owner->version).value_or(newest) >= newest) return;
  Remedy remedy;
  remedy.kind = RemedyKind::Install;
  remedy.text = say(
      "fix-newer-runtime",
      {{"symbol", last->reference.name}, {"release", newest.text}, {"file", file}, {"package", full_name_of(*owner)}});
  remedy.brings = {last->file};
  remedy.leads_to = {std::string(directory_of(file))};
  remedy.commands = {pip_place(map, file, {}).command + shell_word(owner->name + ">=" + newest.text)};
  remedy.reason = say("install-untried");
  const auto about = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(), [&](const Problem& problem) {
    return problem.code == ProblemCode::SymbolMissing && problem.object == last->from;
  });
  if (about != diagnosis.problems.end()) about->evidence.push_back({.what = remedy.text, .path = file});
  diagnosis.remedies.push_back(std::move(remedy));
}

void propose_installs(const LinkMap& map, Diagnosis& diagnosis, const PackageOwners& owners,
                      const std::set<std::string, std::less<>>& served, std::string_view import_wheel) {
  const FileSystem& files = *map.system->files;
  Remedy wheels;  // one command for all of them
  WheelInstall install;
  std::vector<std::string> required;
  std::vector<Remedy> others;
  ListedPackages listed(files, diagnosis.problems);
  const auto require = [&](const std::string& wheel) {
    const bool is_new = std::find(required.begin(), required.end(), wheel) == required.end();
    if (is_new) required.push_back(wheel);
    return is_new;
  };
  // The wheel that an import's exception asks for, before those of what failed on the way to it.
  if (!import_wheel.empty()) {
    require(std::string(import_wheel));
    wheels.text = say("import-asks-for-wheel", {{"wheel", import_wheel}});
  }
  const std::vector<std::string> own_sites = sites_of(map, file_of(map, map.subject_root()));
  for (const Problem& problem : diagnosis.problems) {
    for (const std::string& wheel : problem.wheels) {
      const std::optional<InstalledWheel> installed = installed_wheel(files, own_sites, wheel_name(wheel));
      // That of a wheel was compared with what is on sys.path.
      const bool is_judged = problem.code == ProblemCode::WheelRequirement;
      if (installed && !is_judged && satisfies(installed->version, wheel)) continue;
      wheels.text = problem.what;
      require(wheel);
    }
    if (std::optional<Remedy> update = conda_update(map, owners, problem); update && !served.contains(problem.name))
      others.push_back(std::move(*update));
    const bool is_missing = problem.code == ProblemCode::MissingLibrary && !problem.requests.empty();
    const bool is_here =
        std::any_of(problem.candidates.begin(), problem.candidates.end(), [](const Candidate& candidate) {
          // What a distribution has of it asks for the same kernel.
          return (candidate.serves && candidate.foreign.empty()) || candidate.reason.sentence == "of-newer-kernel";
        });
    if (!is_missing || is_here || served.contains(problem.name)) continue;
    if (std::optional<Remedy> together = conda_together(map, owners, problem)) {
      others.push_back(std::move(*together));
      continue;
    }
    const std::string needer = needer_or_active(map, problem);
    std::optional<WhatBrings> brings = what_brings_here(map, owners, problem, needer);
    const auto of_use = [&](const CommandText& one) { return is_of_use(files, one); };
    if (!brings || std::none_of(brings->commands.begin(), brings->commands.end(), of_use))
      brings = listed.of(problem.name);
    if (!brings) continue;
    const auto command = std::find_if(brings->commands.begin(), brings->commands.end(), of_use);
    if (brings->wheels.empty()) {
      others.push_back(package_remedy(problem.name, *brings, *command));
      continue;
    }
    const WheelStep step = wheel_step(files, sites_of(map, needer), wheel_of(map, needer, brings->wheels), problem.name,
                                      owners.owner_of(needer));
    if (step.kind == WheelStep::Kind::Nothing) {
      if (std::optional<Remedy> built =
              step.of ? cuda_build_of_torch(map, *step.of, problem.name, cuda_major(map, needer)) : std::nullopt)
        others.push_back(std::move(*built));
      else if (std::optional<Remedy> rebuilt = rebuild_remedy(map, owners, problem.name, needer, step))
        others.push_back(std::move(*rebuilt));
      continue;
    }
    const bool is_first = required.empty();
    wheels.brings.push_back(problem.name);
    install.is_again |= step.kind == WheelStep::Kind::Again;
    if (const std::string cuda = brings->wheels.size() > 1 ? cuda_major(map, needer) : std::string();
        !cuda.empty() && is_for_cuda(step.requirement, cuda))
      install.cuda = cuda;
    install.add(map, problem, needer, step.requirement);
    if (!require(step.requirement)) continue;
    Statement what = words_of(step, problem.name).value_or(brings->what);
    if (is_first)
      wheels.text = std::move(what);
    else
      wheels.also.push_back(std::move(what));
  }
  if (!required.empty()) {
    diagnosis.remedies.push_back(wheels_remedy(map, install, required, std::move(wheels)));
  }
  join_packages(others);
  ask_for_architecture(*map.system, others);
  std::move(others.begin(), others.end(), std::back_inserter(diagnosis.remedies));
}

}  // namespace soresolve
