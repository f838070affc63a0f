// By what a file asks of its libc: versions of glibc's libc.so.6 or its loader's name, musl's libc.musl-ARCH.so.1.
// Sources: musl ldso/dynlink.c (reserved names, versions that nobody compares); Alpine's packages gcompat and musl for
// the names of their files.
#include "diagnose/foreign_libc.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "loader/system.h"
#include "soresolve/dotted_version.h"
#include "symbols/map_files.h"
#include "symbols/map_versions.h"
#include "symbols/version_tables.h"

namespace soresolve {
namespace {

constexpr std::string_view kGlibcVersion = "GLIBC_";
constexpr std::string_view kGcompat = "/lib/libgcompat.so.0";

bool is_for_glibc(const ElfObject& elf) {
  const auto is_glibc = [](std::string_view name) { return name == "libc.so.6" || name.starts_with("ld-linux"); };
  return std::any_of(elf.needs.begin(), elf.needs.end(), [&](const NeedEntry& need) { return is_glibc(need.name); }) ||
         std::any_of(elf.version_files.begin(), elf.version_files.end(), is_glibc);
}

/// The name libc.so alone is Android's as well: it takes a program that names musl's loader.
bool is_for_musl(const ElfObject& elf) {
  const bool names_loader = elf.has_interp && file_name_of(elf.interp).starts_with("ld-musl-");
  return std::any_of(elf.needs.begin(), elf.needs.end(), [&](const NeedEntry& need) {
    return need.name.starts_with("libc.musl-") || need.name.starts_with("ld-musl-") ||
           (need.name == "libc.so" && names_loader);
  });
}

/// The newest release of glibc that its versions name; empty: they name none.
std::string glibc_asked_for(const Result<VersionTables>& tables) {
  GlibcVersion newest;
  if (!tables) return {};
  for (const VersionNeed& need : tables->needs) {
    const std::string_view name = need.name;
    if (!name.starts_with(kGlibcVersion)) continue;
    const std::string_view number = name.substr(kGlibcVersion.size());
    const GlibcVersion version = parse_glibc_version(number.substr(0, number.find('.', number.find('.') + 1)));
    newest = std::max(newest, version);
  }
  return newest == GlibcVersion{} ? std::string() : newest.to_string();
}

/// What a file of the other libc than that of `rules` is.
Statement built_for_other(const LoaderRules& rules, const std::string& name, const Result<VersionTables>& tables) {
  if (rules.libc == Libc::Glibc) return say("built-for-musl", {{"object", name}, {"here", rules.version.to_string()}});
  const std::string asked = glibc_asked_for(tables);
  const std::string here = rules.musl_version.to_string();
  return asked.empty() ? say("built-for-glibc", {{"object", name}, {"here", here}})
                       : say("built-for-glibc-release", {{"object", name}, {"release", asked}, {"here", here}});
}

/// Is it a file of the other libc than that of the map's loader?
bool is_foreign(const LinkMap& map, ObjectIndex index) {
  const LoadedObject& object = map.objects[index];
  if (object.role != ObjectRole::Main && object.role != ObjectRole::Library) return false;
  const bool is_musl = map.system->rules.libc == Libc::Musl;
  return is_musl ? is_for_glibc(object.elf) : is_for_musl(object.elf) && !is_for_glibc(object.elf);
}

/// The files that something fatal is said of.
std::set<ObjectIndex> blamed_by(const LinkMap& map, const Diagnosis& diagnosis) {
  std::set<ObjectIndex> blamed;
  for (const Problem& problem : diagnosis.problems) {
    const bool is_lack = problem.code == ProblemCode::MissingLibrary || problem.code == ProblemCode::SymbolMissing ||
                         problem.code == ProblemCode::WouldCrash || problem.code == ProblemCode::FatalCandidate;
    if (!is_lack) continue;
    for (const NeedRef& request : problem.requests) {
      if (request.needer < map.objects.size()) blamed.insert(request.needer);
    }
    if (problem.referrer != kNoObject) blamed.insert(problem.referrer);
    if (problem.code == ProblemCode::WouldCrash) {
      for (ObjectIndex i = 0; i < map.objects.size(); ++i) blamed.insert(i);
    }
  }
  return blamed;
}

}  // namespace

std::optional<Statement> foreign_interpreter(const std::shared_ptr<const FileSystem>& files,
                                             const OpenedObject& program, const std::string& name) {
  const std::string_view interpreter = file_name_of(program.elf.interp);
  const bool is_musls = interpreter.starts_with("ld-musl-");
  if (!is_musls && !interpreter.starts_with("ld-linux") && !interpreter.starts_with("ld64.so")) return std::nullopt;
  if (!loaders_for(*files, program.elf.target, is_musls ? Libc::Musl : Libc::Glibc).empty()) return std::nullopt;
  const std::vector<std::string> others = loaders_for(*files, program.elf.target, is_musls ? Libc::Glibc : Libc::Musl);
  if (others.empty()) return std::nullopt;
  return say(is_musls ? "program-for-musl" : "program-for-glibc", {{"object", name}, {"loader", others.front()}});
}

void add_foreign_libc(const LinkMap& map, Diagnosis& diagnosis) {
  const LoaderRules& rules = map.system->rules;
  MapVersions versions(map);
  std::vector<Problem> found;
  for (const ObjectIndex index : blamed_by(map, diagnosis)) {
    if (!is_foreign(map, index)) continue;
    const std::string name(map.objects[index].name());
    Statement what = built_for_other(rules, name, versions.of(index));
    Problem problem = make_problem(map, ProblemCode::ForeignLibc, name, std::move(what));
    problem.object = index;
    // The loader's own words are those of what comes of it.
    const auto first = std::find_if(diagnosis.problems.begin(), diagnosis.problems.end(),
                                    [](const Problem& other) { return severity_of(other.code) == Severity::Fatal; });
    problem.loader_says = first->loader_says;
    problem.dlerror_says = first->dlerror_says;
    problem.phase = first->phase;
    if (rules.libc == Libc::Musl && map.system->files->status(kGcompat)) {
      problem.evidence.push_back({.what = say("gcompat-is-here", {{"path", kGcompat}}), .path = std::string(kGcompat)});
    }
    found.push_back(std::move(problem));
  }
  diagnosis.problems.insert(diagnosis.problems.begin(), std::make_move_iterator(found.begin()),
                            std::make_move_iterator(found.end()));
}

}  // namespace soresolve
