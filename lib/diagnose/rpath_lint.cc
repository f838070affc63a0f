// Entries of RPATH and RUNPATH that do no good: directories that are not there, twice the same, the loader's own
// default ones, places of build machines, stubs. Source: glibc 2.36 elf/dl-load.c:fillin_rpath; the build places from
// the tools that make them (kBuildPlaces). A build place that exists here is the user's own work and no fault, but for
// temporary directories, in which anyone can make it anew.
#include "diagnose/detectors.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "diagnose/rpath_entries.h"

namespace soresolve {
namespace {

struct BuildPlace {
  std::string_view part;
  bool is_start;              ///< of the directory; else anywhere in it
  bool is_everybodys;         ///< anyone can make it
  std::string_view sentence;  ///< why
};
constexpr BuildPlace kBuildPlaces[] = {
    {"_h_env_placehold", false, false, "build-place-conda"},  // conda-build pads its prefix with it
    {"/conda-bld/", false, false, "build-place-conda"},
    {"/feedstock_root/", false, false, "build-place-conda"},
    {"/builddir/", true, false, "build-place-rpm"},       // mock
    {"/root/rpmbuild/", true, false, "build-place-rpm"},  // rpmbuild's _topdir
    {"/build/", true, false, "build-place-debian"},       // sbuild, pbuilder
    {"/__w/", true, false, "build-place-ci"},             // GitHub Actions, in a container
    {"/github/workspace/", true, false, "build-place-ci"},
    {"/tmp/", true, true, "build-place-temporary"},
    {"/var/tmp/", true, true, "build-place-temporary"},
    {"/home/", true, false, "build-place-home"},
    {"/root/", true, false, "build-place-home"},
};

const BuildPlace* build_place(std::string_view directory) {
  const auto* const found =
      std::find_if(std::begin(kBuildPlaces), std::end(kBuildPlaces), [&](const BuildPlace& place) {
        return place.is_start ? directory.starts_with(place.part)
                              : directory.find(place.part) != std::string_view::npos;
      });
  return found == std::end(kBuildPlaces) ? nullptr : found;
}

class RpathLint {
 public:
  explicit RpathLint(const DiagnosisInput& input) : input_(input) {}

  std::vector<Problem> find() {
    for (const RpathTag& tag : read_rpaths(input_.map)) {
      if (tag.is_void) continue;  // rpath-void is the problem
      for (const RpathEntry& entry : tag.entries) look_at(tag, entry);
    }
    return std::move(problems_);
  }

 private:
  void look_at(const RpathTag& tag, const RpathEntry& entry) {
    if (entry.directory.empty() || !entry.directory.starts_with('/')) return;
    if (entry.same_as) {
      const std::string& first = tag.entries[*entry.same_as].written;
      return add(ProblemCode::RpathDuplicate, tag, entry,
                 say("rpath-duplicate", {{"entry", entry.written}, {"directory", entry.normal}, {"first", first}}));
    }
    if (entry.normal.ends_with("/stubs")) {
      return add(ProblemCode::RpathStubs, tag, entry, say("rpath-stubs", {{"entry", entry.written}}));
    }
    const bool is_missing = entry.state == RpathState::Missing || entry.state == RpathState::NoDirectory;
    // What $ORIGIN expands to is where the file lies now, not where it was built.
    const bool is_fixed = entry.written.find("ORIGIN") == std::string::npos;
    const BuildPlace* const place = is_fixed ? build_place(entry.normal + "/") : nullptr;
    if (place != nullptr && (is_missing || place->is_everybodys)) {
      add(ProblemCode::RpathBuild, tag, entry,
          say("rpath-build", {{"entry", entry.written}, {"place", say(place->sentence)}}));
    } else if (is_missing) {
      add(ProblemCode::RpathMissing, tag, entry,
          entry.state == RpathState::Missing
              ? say("rpath-missing", {{"entry", entry.written}, {"directory", entry.normal}})
              : say("rpath-no-directory", {{"entry", entry.written}, {"directory", entry.normal}}));
    }
    if (entry.is_default) add(ProblemCode::RpathDefault, tag, entry, say("rpath-default", {{"entry", entry.written}}));
  }

  /// The same directory in many files is one problem.
  void add(ProblemCode code, const RpathTag& tag, const RpathEntry& entry, Statement what) {
    const auto [known, is_new] = known_.try_emplace({code, entry.normal}, problems_.size());
    if (is_new) {
      problems_.push_back(make_problem(input_.map, code, entry.normal, std::move(what)));
      problems_.back().object = tag.owner;
    }
    const std::string_view name = input_.map.objects[tag.owner].name();
    Evidence evidence{.what = say("tag-of", {{"tag", name_of(tag.step)}, {"object", name}}), .path = tag.path};
    std::vector<Evidence>& all = problems_[known->second].evidence;
    if (std::find(all.begin(), all.end(), evidence) == all.end()) all.push_back(std::move(evidence));
  }

  const DiagnosisInput& input_;
  std::vector<Problem> problems_;
  std::map<std::pair<ProblemCode, std::string>, std::size_t> known_;
};

}  // namespace

std::vector<Problem> find_rpath_lint(const DiagnosisInput& input) {
  return input.asked.empty() ? RpathLint(input).find() : std::vector<Problem>();
}

}  // namespace soresolve
