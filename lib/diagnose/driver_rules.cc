// Sources: those of lib/cuda/drivers.toml; that ldconfig turns libcuda.so.1 to the file of the greater number is
// elf/ldconfig.c:search_dir. The loader's own refusals (versions, missing files) are found by the walk; here stands
// what it has no words for, and what is passed in but not loaded by this process.
#include "diagnose/cuda_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/path.h"
#include "base/pieces.h"
#include "cuda/driver_mount.h"
#include "diagnose/diagnosis_input.h"
#include "loader/load.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/cuda.h"
#include "symbols/version_tables.h"

namespace soresolve {
namespace {

constexpr std::string_view kDriverName = "libcuda.so.1";
constexpr std::size_t kMostShown = 6;

Statement mode_words(DriverMode mode) {
  switch (mode) {
    case DriverMode::Toolkit: return say("driver-by-toolkit");
    case DriverMode::Cdi: return say("driver-by-cdi");
    case DriverMode::Apptainer: return say("driver-by-apptainer");
  }
  return {};
}

/// "GLIBC_2.34" of what a file requires, the newest one; nullptr: none that is a release.
const VersionNeed* newest_glibc(const VersionTables& tables) {
  const VersionNeed* newest = nullptr;
  GlibcVersion release;
  for (const VersionNeed& need : tables.needs) {
    if (need.weak || !need.name.starts_with("GLIBC_")) continue;
    const GlibcVersion here = parse_glibc_version(need.name.substr(6));
    if (newest != nullptr && !(release < here)) continue;
    newest = &need;
    release = here;
  }
  return newest;
}

class DriverRules {
 public:
  DriverRules(const LinkMap& map, const Dlopens& dlopens)
      : map_(map), dlopens_(dlopens), driver_(*map.system->driver), files_(*map.system->files) {}

  std::vector<Problem> run() {
    judge_glibc();
    judge_withheld();
    judge_own();
    for (const std::string& path : driver_.foreign)
      add(ProblemCode::Note, path, say("driver-foreign", {{"path", path}}));
    return std::move(problems_);
  }

 private:
  Problem& add(ProblemCode code, std::string name, Statement what) {
    problems_.push_back(make_problem(map_, code, std::move(name), std::move(what)));
    return problems_.back();
  }

  void judge_glibc() {
    const GlibcVersion image = map_.system->rules.version;
    Problem problem;
    std::size_t count = 0;
    for (const PassedLibrary& library : driver_.libraries) {
      const Result<OpenedObject> opened = open_object(files_, library.path, library.path);
      if (!opened) continue;
      const Result<VersionTables> tables = read_version_tables(*opened->file, opened->elf, library.path);
      const VersionNeed* const need = tables ? newest_glibc(*tables) : nullptr;
      if (need == nullptr || !(image < parse_glibc_version(need->name.substr(6)))) continue;
      if (count == 0) {
        problem = make_problem(map_, ProblemCode::DriverNeedsGlibc, std::string(file_name_of(library.path)),
                               say("driver-needs-glibc", {{"library", library.path},
                                                          {"mode", mode_words(driver_.mode)},
                                                          {"version", std::string(need->name)},
                                                          {"glibc", image.to_string()}}));
        problem.loader_says =
            provider_of(*need) + ": " + version_text(VersionVerdict::Missing, *need, nullptr, library.path);
      }
      if (count < kMostShown) {
        problem.evidence.push_back(
            {.what = say("driver-library-needs",
                         {{"path", library.path}, {"version", std::string(need->name)}, {"source", library.source}}),
             .path = library.path,
             .offset = need->file_offset});
      }
      ++count;
    }
    if (count > kMostShown)
      problem.evidence.push_back({.what = say("driver-and-more", {{"count", count - kMostShown}})});
    if (count != 0) problems_.push_back(std::move(problem));
  }

  /// Where the loader has the file that a version is required of.
  [[nodiscard]] std::string provider_of(const VersionNeed& need) const {
    for (const LoadedObject& object : map_.objects) {
      if (object.role == ObjectRole::Library && object.elf.soname == need.file) return std::string(object.path);
    }
    LoneSearcher searcher(map_);
    const LoneSearch search = searcher.search(map_.subject_root(), need.file, PastFirst::Stop);
    return search.path.empty() ? std::string(need.file) : search.path;
  }

  /// Names that are asked for and not found.
  [[nodiscard]] std::set<std::string, std::less<>> missing_names() const {
    std::set<std::string, std::less<>> names;
    for (const LoadFailure& failure : map_.failures) {
      if (failure.kind == LoadFailure::Kind::Missing) names.insert(failure.object);
    }
    for (const Dlopen& opened : dlopens_.list) {
      if (opened.is_found) continue;
      for (const DlopenChoice& choice : opened.choices) names.insert(choice.name);
    }
    if (has_cuda_runtime() && winner().empty()) names.insert(std::string(kDriverName));
    return names;
  }

  [[nodiscard]] bool has_cuda_runtime() const {
    return std::any_of(map_.objects.begin(), map_.objects.end(), [](const LoadedObject& object) {
      return object.elf.soname && object.elf.soname->starts_with("libcudart.so");
    });
  }

  void judge_withheld() {
    if (driver_.withheld.empty()) return;
    const std::set<std::string, std::less<>> missing = missing_names();
    for (const WithheldLibrary& library : driver_.withheld) {
      if (!missing.contains(library.soname)) continue;
      if (library.lacks.empty()) {
        add(ProblemCode::DriverWithheld, library.soname,
            say("driver-never-passed", {{"library", library.soname}, {"mode", mode_words(driver_.mode)}}));
        continue;
      }
      const std::string has = joined(driver_.capabilities, ",");
      add(ProblemCode::DriverWithheld, library.soname,
          say("driver-withheld", {{"library", library.soname},
                                  {"capability", std::string(library.lacks)},
                                  {"capabilities", has},
                                  {"wants", has + "," + std::string(library.lacks)}}));
    }
  }

  /// What a search for libcuda.so.1 finds, without links; empty: nothing.
  [[nodiscard]] std::string winner() const {
    LoneSearcher searcher(map_);
    const LoneSearch search = searcher.search(map_.subject_root(), kDriverName, PastFirst::Stop);
    if (search.path.empty()) return {};
    const Result<std::string, Errno> real = files_.real_path(absolute_path(search.path, map_.process->cwd));
    return real ? *real : std::string();
  }

  void judge_own() {
    if (driver_.own.empty()) return;
    const std::string wins = winner();
    for (const OwnDriverLibrary& own : driver_.own) {
      const bool is_first = own.path == wins && driver_.find(own.path) == nullptr;
      if (is_first) {
        Problem& problem = add(ProblemCode::DriverInImage, std::string(kDriverName),
                               say("driver-own-wins", {{"path", own.path}, {"driver", driver_.version.text}}));
        problem.evidence = {{.what = own.version.empty()
                                         ? say("driver-own-copied", {{"path", own.path}})
                                         : say("driver-own-where", {{"path", own.path}, {"version", own.version.text}}),
                             .path = own.path}};
      } else {
        add(ProblemCode::Note, std::string(kDriverName),
            say("driver-own-aside", {{"path", own.path}, {"driver", driver_.version.text}}));
      }
    }
  }

  const LinkMap& map_;
  const Dlopens& dlopens_;
  const DriverMount& driver_;
  const FileSystem& files_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> find_driver_problems(const LinkMap& map, const Dlopens& dlopens) {
  if (map.system->driver == nullptr) return {};
  return DriverRules(map, dlopens).run();
}

std::vector<Statement> driver_notes(const DriverMount& driver) {
  std::vector<Statement> notes;
  const Statement mode = mode_words(driver.mode);
  const std::string release = driver.rules.text == "0" ? std::string() : driver.rules.text;
  const Statement rules = release.empty() ? Statement{} : say("driver-rules-of", {{"release", release}});
  const std::uint64_t count = driver.libraries.size();
  if (driver.is_assumed()) {
    notes.push_back(say("driver-from-rows",
                        {{"version", driver.version.text}, {"mode", mode}, {"rules", rules}, {"count", count}}));
  } else {
    notes.push_back(say("driver-from-files", {{"version", driver.version.text},
                                              {"place", driver.place},
                                              {"mode", mode},
                                              {"rules", rules},
                                              {"count", count}}));
  }
  if (driver.compat) notes.push_back(driver.compat->reason);
  notes.insert(notes.end(), driver.notes.begin(), driver.notes.end());
  return notes;
}

}  // namespace soresolve
