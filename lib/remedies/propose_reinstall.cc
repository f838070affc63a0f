// Where a package's own record lists the file that is missing, or that is not what the package brought: the package,
// installed again. It cannot be tried here: what the package brings is not on this machine. But that the loader opens
// the very path which the record lists is a fact of the search, and that the file is gone or changed one of the record
// (packages/recorded_file.h). Where all files are as they were brought, but a wheel requires another release of a wheel
// than the one that is installed, whose library lacks what is asked of it: the release that is required. What is typed
// for it: reinstall_command.cc.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "diagnose/diagnosis_input.h"
#include "loader/process.h"
#include "loader/system.h"
#include "packages/installed_wheels.h"
#include "packages/package_owner.h"
#include "packages/recorded_file.h"
#include "python/interpreter.h"
#include "remedies/proposals.h"
#include "remedies/reinstall_command.h"

namespace soresolve {
namespace {

/// Of all files together. What is larger is compared by its size alone.
constexpr std::uint64_t kMostBytesRead = 32 << 20;
constexpr std::size_t kMostPlaces = 4096;

/// A package to be installed again, and what shows that.
struct Broken {
  PackageOwner owner;
  std::string file;
  Statement proof;
  std::string requirement = {};  ///< what pip is given instead of its name and version
};

/// With the links of its directory followed, but not its own.
std::string place_of(const FileSystem& files, const std::string& path) {
  if (const Result<std::string, Errno> real = files.real_path(std::string(directory_of(path)))) {
    return path_in(*real, file_name_of(path));
  }
  return std::filesystem::path(path).lexically_normal().string();
}

/// Does it name the wheels that are to be installed again?
bool is_of_wheel(const Problem& problem) {
  return problem.code == ProblemCode::WheelFileGone || problem.code == ProblemCode::WheelTags;
}

class BrokenPackages {
 public:
  BrokenPackages(const LinkMap& map, const PackageOwners& owners)
      : map_(map), files_(*map.system->files), owners_(owners), recorded_(files_, kMostBytesRead) {}

  /// Adds what is broken for this problem. Was there something?
  bool add(const Problem& problem) {
    const std::size_t before = list_.size() + again_;
    if (is_of_wheel(problem)) {
      const bool is_gone = problem.code == ProblemCode::WheelFileGone;
      for (const OwnedFile& file : problem.owners)
        keep(file.owner, file.path, is_gone ? "reinstall-lost" : "reinstall-other-tags");
      return list_.size() + again_ != before;
    }
    for (const NeedRef& request : problem.requests) add_search(problem, request);
    if (problem.object != kNoObject) add_object(problem.object);
    if (problem.code == ProblemCode::SymbolMissing && problem.referrer != kNoObject) add_passed(problem);
    // Parts of one library that are of two releases: one of them is not what its package brought.
    if (problem.code == ProblemCode::MixedBuild) {
      for (const Evidence& evidence : problem.evidence) add_file(absolute_path(evidence.path, map_.process->cwd));
    }
    const bool is_of_process = problem.code == ProblemCode::SymbolMissing || problem.code == ProblemCode::WouldCrash;
    if (is_of_process && problem.requests.empty()) add_process();
    return list_.size() + again_ != before;
  }

  /// An import that ends in an exception which no library explains: what its package should have and has not, and
  /// what was opened for it and is another file.
  void add_import(const PythonImport& import) {
    if (!import.steps.empty() && !import.steps.back().failure.empty()) add_file(import.steps.back().file);
    for (const std::string& source : sources_of(import)) {
      if (!list_.empty() || add_other_python(source, import)) return;
      if (std::optional<PackageOwner> owner = owners_.owner_of(source)) add_missing_module(std::move(*owner), import);
    }
  }

  /// A library that lacks a symbol, a version or a name, of a wheel that is of another release than the one which the
  /// wheel of the referrer requires. Was there one?
  bool add_unmet(const Problem& problem) {
    const bool is_lack = problem.code == ProblemCode::SymbolMissing || problem.code == ProblemCode::VersionMissing;
    const bool is_missing = problem.code == ProblemCode::MissingLibrary;
    const ObjectIndex user = problem.referrer != kNoObject ? problem.referrer
                             : !problem.requests.empty()   ? problem.requests.front().needer
                                                           : kNoObject;
    if ((!is_lack && !is_missing) || user == kNoObject) return false;
    const std::optional<PackageOwner> owner = owner_of(file_of(map_, user));
    if (!owner || owner->by != PackageRecord::Wheel) return false;
    const std::size_t before = list_.size();
    for (UnmetRequirement& unmet : unmet_requirements(files_, owner->record)) {
      const std::string file = is_missing ? like_in(unmet.installed, problem.name) : loaded_of(unmet.installed);
      if (file.empty()) continue;
      PackageOwner provider{std::move(unmet.installed.name), std::move(unmet.installed.version), PackageRecord::Wheel,
                            std::move(unmet.installed.record)};
      Statement proof = say("reinstall-unmet", {{"package", full_name_of(*owner)},
                                                {"requirement", unmet.requirement},
                                                {"installed", full_name_of(provider)}});
      list_.push_back({std::move(provider), file, std::move(proof), std::move(unmet.requirement)});
    }
    return list_.size() != before;
  }

  [[nodiscard]] const std::vector<Broken>& list() const { return list_; }

 private:
  [[nodiscard]] std::optional<PackageOwner> owner_of(const std::string& path) const {
    return path.empty() ? std::nullopt : owners_.owner_of(place_of(files_, absolute_path(path, map_.process->cwd)));
  }

  /// A library of the wheel that is loaded; empty: none is.
  [[nodiscard]] std::string loaded_of(const InstalledWheel& wheel) const {
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      if (map_.objects[i].role != ObjectRole::Library) continue;
      const std::string path = file_of(map_, i);
      const std::optional<PackageOwner> owner = owner_of(path);
      if (owner && owner->record == wheel.record) return path;
    }
    return {};
  }

  /// The wheel's library of the same name with another number ("libx.so.2" for "libx.so.1"), or "libx-2.so" for
  /// "libx-1.so"; empty: it has none.
  [[nodiscard]] std::string like_in(const InstalledWheel& wheel, std::string_view library) const {
    const auto stem = [](std::string_view name) {
      name = name.substr(0, name.find(".so"));
      return name.substr(0, name.find_last_not_of("0123456789.-_") + 1);
    };
    for (const std::string& file : owners_.files_of({wheel.name, wheel.version, PackageRecord::Wheel, wheel.record})) {
      const std::string_view name = file_name_of(file);
      const bool is_library = name.find(".so") != std::string_view::npos && name != library;
      if (is_library && stem(name) == stem(library)) return file;
    }
    return {};
  }

  /// Sources of the packages that the exception is about: "… (FILE)", "No module named 'PACKAGE.…'", who raises it.
  static std::vector<std::string> sources_of(const PythonImport& import) {
    std::vector<std::string> sources;
    if (!import.other_python.empty()) sources.push_back(import.other_python);
    const std::string& text = import.exception;
    if (const std::size_t open = text.rfind('('); open != std::string::npos && text.ends_with(')')) {
      sources.push_back(text.substr(open + 1, text.size() - open - 2));
    }
    constexpr std::string_view kNamed = "No module named '";
    if (const std::size_t at = text.find(kNamed); at != std::string::npos) {
      const std::string_view module = std::string_view(text).substr(at + kNamed.size());
      const std::string top(module.substr(0, module.find_first_of(".'")));
      for (const std::string& entry : import.path) {
        if (entry.starts_with('/')) sources.push_back(path_in(path_in(entry, top), "__init__.py"));
      }
    }
    sources.push_back(import.raised_by.substr(0, import.raised_by.rfind(':')));
    return sources;
  }

  /// A module that is built for another Python: pip takes the wheel for this one.
  bool add_other_python(const std::string& file, const PythonImport& import) {
    const PythonTag tag = python_tag(file_name_of(file));
    const bool is_own = tag.implementation == "cpython" && tag.minor_number == import.minor_number;
    if (tag.implementation.empty() || tag.is_stable_abi || tag.minor_number == 0 || is_own) return false;
    std::optional<PackageOwner> owner = owners_.owner_of(file);
    if (!owner || owner->by != PackageRecord::Wheel || !keep(*owner, file, "reinstall-foreign")) return false;
    list_.back().proof = say("reinstall-other-python", {{"file", file_name_of(file)},
                                                        {"package", full_name_of(*owner)},
                                                        {"version", tag.version()},
                                                        {"minor", static_cast<std::uint64_t>(import.minor_number)}});
    return true;
  }

  void add_missing_module(PackageOwner owner, const PythonImport& import) {
    constexpr std::size_t kMostListed = 20000;
    std::string first;
    std::size_t count = 0;
    for (const std::string& file : owners_.files_of(owner)) {
      const std::string_view name = file_name_of(file);
      const bool is_module = name.find(".so") != std::string_view::npos || name.ends_with(".py");
      if (!is_module || ++count > kMostListed || files_.status(file)) continue;
      const bool is_named = import.exception.find(name.substr(0, name.find('.'))) != std::string::npos;
      if (first.empty() || is_named) first = file;
      if (is_named) break;
    }
    if (!first.empty()) keep(std::move(owner), first, "reinstall-lost");
  }

  /// The places that the loader tried for a request, in its order: the first that a record lists in vain.
  void add_search(const Problem& problem, const NeedRef& request) {
    const Need* const need = map_.find_need(request);
    if (need == nullptr || need->trace >= map_.traces.size()) return;
    if (problem.name.starts_with("libc.musl-") && add_foreign(file_of(map_, request.needer))) return;
    for (const Attempt& attempt : map_.traces[need->trace].attempts) {
      const bool is_refused = attempt.outcome == Outcome::PermissionDenied || !attempt.subdirectory.empty();
      const bool has_no_file =
          attempt.outcome == Outcome::NoSuchDirectory || attempt.outcome == Outcome::SkippedDirectory;
      const std::string path = !attempt.candidate.empty() ? attempt.candidate
                               : has_no_file              ? attempt.directory + std::string(need->name)
                                                          : std::string();
      if (path.empty() || is_refused) continue;
      const bool is_foreign = attempt.outcome == Outcome::WrongClass || attempt.outcome == Outcome::WrongMachine;
      const std::string whole = absolute_path(path, map_.process->cwd);
      if (add_file(whole) || (is_foreign && add_foreign(whole))) return;
    }
  }

  /// What the referrer needs was found; but in a place before that one there may be a file missing, and with it the
  /// symbol.
  void add_passed(const Problem& problem) {
    const std::size_t count = map_.objects[problem.referrer].needs.size();
    for (std::uint32_t k = 0; k < count; ++k) add_search(problem, {problem.referrer, k});
  }

  void add_object(ObjectIndex object) {
    if (map_.objects[object].role == ObjectRole::Placeholder) return;
    const std::string path = file_of(map_, object);
    if (!path.empty()) add_file(absolute_path(path, map_.process->cwd));
  }

  /// Nothing says which file should have it: all that are loaded are compared.
  void add_process() {
    const std::vector<bool> belongs = map_.target_closure();
    for (ObjectIndex i = 0; i < map_.objects.size(); ++i) {
      if (belongs[i] && map_.objects[i].role == ObjectRole::Library) add_object(i);
    }
  }

  /// dpkg's sums have no links: what one leads to is a file of its own.
  bool add_file(const std::string& path) {
    const std::string place = place_of(files_, path);
    if (add_place(place)) return true;
    const Result<std::string, Errno> real = files_.real_path(place);
    return real && *real != place && add_place(*real);
  }

  bool add_place(const std::string& place) {
    if (++places_ > kMostPlaces) return false;
    // Of two wheels that own it, the one whose file is not there: the other one has written over it.
    const std::vector<PackageOwner> owners = owners_.owners_of(place);
    for (const PackageOwner& owner : owners) {
      switch (recorded_.state_of(owner, place)) {
        case FileState::Missing: return keep(owner, place, "reinstall-lost");
        case FileState::Changed: return keep(owner, place, "reinstall-changed", who_has(owners, place));
        default: break;
      }
    }
    return false;
  }

  /// The package whose file is there as it was brought: it has written over that of the other one.
  std::string who_has(const std::vector<PackageOwner>& owners, const std::string& place) {
    const auto writer = std::find_if(owners.begin(), owners.end(), [&](const PackageOwner& owner) {
      return recorded_.state_of(owner, place) == FileState::AsRecorded;
    });
    return writer == owners.end() ? std::string() : full_name_of(*writer);
  }

  /// A wheel for another machine or libc: pip takes the one that is right here.
  bool add_foreign(const std::string& path) {
    const std::string place = place_of(files_, absolute_path(path, map_.process->cwd));
    std::optional<PackageOwner> owner = owners_.owner_of(place);
    if (!owner || owner->by != PackageRecord::Wheel) return false;
    return keep(std::move(*owner), place, "reinstall-foreign");
  }

  bool keep(PackageOwner owner, const std::string& file, std::string_view sentence, const std::string& writer = {}) {
    const bool is_known =
        std::any_of(list_.begin(), list_.end(), [&](const Broken& known) { return known.owner == owner; });
    if (is_known) return ++again_ != 0;
    Statement proof =
        say(sentence, {{"file", file_name_of(file)}, {"package", full_name_of(owner)}, {"record", name_of(owner.by)}});
    if (!writer.empty()) {
      proof = say("reinstall-written-over",
                  {{"file", file_name_of(file)}, {"package", full_name_of(owner)}, {"writer", writer}});
    }
    list_.push_back({std::move(owner), file, std::move(proof)});
    return true;
  }

  const LinkMap& map_;
  const FileSystem& files_;
  const PackageOwners& owners_;
  RecordedFiles recorded_;
  std::vector<Broken> list_;
  std::size_t again_ = 0;  ///< further files of packages in the list
  std::size_t places_ = 0;
};

}  // namespace

Reinstall find_reinstall(const LinkMap& map, const Diagnosis& diagnosis, const PackageOwners& owners,
                         const PythonImport* import) {
  BrokenPackages broken(map, owners);
  Reinstall reinstall;
  for (const Problem& problem : diagnosis.problems) {
    const bool counts =
        severity_of(problem.code) == Severity::Fatal || problem.code == ProblemCode::MixedBuild || is_of_wheel(problem);
    if (counts && broken.add(problem)) reinstall.served.insert(problem.name);
  }
  for (const Problem& problem : diagnosis.problems) {
    const bool counts = severity_of(problem.code) == Severity::Fatal && reinstall.served.empty();
    if (counts && broken.add_unmet(problem)) reinstall.served.insert(problem.name);
  }
  if (import != nullptr && !import->exception.empty() && broken.list().empty()) broken.add_import(*import);
  ReinstallCommands typed(map);
  std::vector<ReinstallCommand> commands;  // in the order of the problems
  Remedy remedy;
  for (const Broken& one : broken.list()) {
    const std::size_t notes = typed.notes().size();
    std::optional<ReinstallCommand> command = typed.of(one.owner, one.requirement);
    const bool is_explained = typed.notes().size() != notes;
    if (!command && !is_explained) continue;
    reinstall.packages.push_back(one.owner);
    if (remedy.reason.empty()) {
      remedy.text = one.requirement.empty() ? say("fix-reinstall", {{"package", full_name_of(one.owner)}})
                                            : say("fix-install-required", {{"requirement", one.requirement}});
      remedy.reason = one.proof;
    } else {
      remedy.also.push_back(one.proof);
    }
    if (!command) continue;
    const auto same = std::find_if(commands.begin(), commands.end(), [&](const ReinstallCommand& known) {
      return !known.is_of_one && known.start == command->start && known.end == command->end;
    });
    if (same == commands.end())
      commands.push_back(std::move(*command));
    else
      same->package += " " + command->package;
  }
  if (reinstall.packages.empty()) return {};
  std::copy(typed.notes().begin(), typed.notes().end(), std::back_inserter(remedy.also));
  remedy.kind = RemedyKind::Reinstall;
  remedy.verdict = RemedyVerdict::Untried;
  for (const auto& [start, package, end, is_of_one] : commands) remedy.commands.push_back(start + package + end);
  reinstall.remedy = std::move(remedy);
  return reinstall;
}

}  // namespace soresolve
