// Compares each CUDA library that the process has with the pins in the metadata of the packages that are loaded. The
// release is by the file itself (read_cuda_library) and by the wheel whose RECORD lists it; the CUDA that it is for, by
// find_cuda_release(). A newer release for the same CUDA fits: CUDA keeps its interfaces within a major release (CUDA
// Compatibility guide, "Minor version compatibility").
#include "diagnose/cuda_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/path.h"
#include "cuda/cuda_release.h"
#include "cuda/wheel_file.h"
#include "diagnose/diagnosis_input.h"
#include "loader/process.h"
#include "packages/package_records.h"
#include "packages/what_brings.h"
#include "packages/wheel_requirements.h"

namespace soresolve {
namespace {

/// A library of the process, with what is known of where it is from.
struct Part {
  const CudaMember& member;
  const CudaLibrary& library;
  std::string version;  ///< as exact as it is known
  std::uint32_t cuda = 0;
};

/// The packages that objects of the process lie in, by their site directories.
std::map<std::string, std::set<std::string>> loaded_packages(const LinkMap& map) {
  std::map<std::string, std::set<std::string>> packages;
  for (const LoadedObject& object : map.objects) {
    const std::string path = without_dots(absolute_path(object.path, map.process->cwd));
    for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
      const std::size_t at = path.find(folder);
      if (at == std::string::npos) continue;
      const std::size_t start = at + folder.size();
      const std::size_t end = path.find('/', start);
      if (end == std::string::npos) continue;
      packages[path.substr(0, start - 1)].insert(normalised_wheel_name(path.substr(start, end - start)));
    }
  }
  return packages;
}

class PinnedParts {
 public:
  explicit PinnedParts(CudaProcess& cuda) : cuda_(cuda), files_(*cuda.map().system->files) {}

  std::vector<Problem> run() {
    for (const auto& [site, packages] : loaded_packages(cuda_.map())) {
      for (const WheelRequirement& required : read_wheel_requirements(files_, site)) {
        // A package is loaded under its own name, or a part of it: onnxruntime of onnxruntime-gpu.
        const bool is_loaded = std::any_of(packages.begin(), packages.end(), [&](const std::string& package) {
          return required.package == package || required.package.starts_with(package + "-");
        });
        if (is_loaded) judge(required);
      }
    }
    return std::move(problems_);
  }

 private:
  Part part_of(const CudaMember& member) {
    const CudaLibrary& library = cuda_.library(member);
    Part part{member, library, library.version.text};
    if (const auto wheel = find_wheel_of(files_, member.real)) {
      part.version = wheel->version;
    }
    if (const auto& release = cuda_.cuda_release(member)) part.cuda = release->version.major_number();
    return part;
  }

  void judge(const WheelRequirement& required) {
    const auto pinned = leading_version(required.version);
    if (!pinned) return;
    for (const CudaMember& member : cuda_.members()) {
      if (!is_in_wheel(member.name, required.wheel)) continue;
      const Part part = part_of(member);
      const std::uint32_t cuda = cuda_major_of_wheel(required.wheel);
      const bool is_other_cuda = cuda != 0 && part.cuda != 0 && part.cuda != cuda;
      const auto version = leading_version(part.version);
      const std::size_t parts = version ? std::min(version->parts.size(), pinned->parts.size()) : 0;
      const bool is_older = parts != 0 && version->first(parts) < pinned->first(parts);
      if (!is_other_cuda && !is_older) continue;
      // One line for all parts of a set.
      if (!reported_.insert(required.wheel).second) return;
      add(required, part, is_other_cuda);
      return;
    }
  }

  void add(const WheelRequirement& required, const Part& part, bool is_other_cuda) {
    const Statement release = part.version.empty() ? Statement{} : say("pin-release", {{"version", part.version}});
    Problem problem = make_problem(
        cuda_.map(), ProblemCode::FrameworkBuild, part.member.name,
        say(is_other_cuda ? "pin-other-cuda" : "pin-older",
            {{"package", required.package + " " + required.release},
             {"wheel", required.wheel + "==" + required.version},
             {"library", part.member.name},
             {"release", release},
             {"cuda", part.cuda == 0 ? Statement{} : say("pin-cuda", {{"cuda", std::uint64_t{part.cuda}}})}}));
    problem.object = part.member.object;
    problem.wheels = {required.wheel + "==" + required.version};
    problem.evidence.push_back({.what = say("pin-file", {{"path", part.member.path}}), .path = part.member.path});
    problem.evidence.push_back(
        {.what =
             say("pin-line", {{"path", required.metadata}, {"line", required.line}, {"wheel", problem.wheels.front()}}),
         .path = required.metadata,
         .line = required.line});
    problems_.push_back(std::move(problem));
  }

  CudaProcess& cuda_;
  const FileSystem& files_;
  std::set<std::string> reported_;
  std::vector<Problem> problems_;
};

/// What extensions are built for, by wheel; each is also the name of its directory.
constexpr std::string_view kFrameworks[] = {"torch", "tensorflow", "jaxlib"};

/// The version in the name of its dist-info directory; empty: it is not installed there.
std::string installed_version(const FileSystem& files, const std::string& site, std::string_view wheel) {
  const Result<std::vector<std::string>, Errno> names = files.list_directory(site);
  for (const std::string& name : names ? *names : std::vector<std::string>{}) {
    const std::optional<WheelName> installed = wheel_name_of(name);
    if (installed && normalised_wheel_name(installed->name) == wheel) return installed->version;
  }
  return {};
}

/// "2.6.0+cu124" is a build of "2.6.0".
bool is_build_of(std::string_view installed, std::string_view pinned) {
  return installed == pinned || installed.substr(0, installed.find('+')) == pinned.substr(0, pinned.find('+'));
}

}  // namespace

// An extension registers its operators with the framework that it was built for: torchvision 0.21 with torch 2.6.0. The
// loader may find nothing wrong with another one, and the registration fails later.
std::vector<Problem> find_other_frameworks(const LinkMap& map) {
  std::vector<Problem> problems;
  for (const auto& [site, found] : loaded_packages(map)) {
    std::set<std::string> packages = found;
    const bool has_framework = std::any_of(std::begin(kFrameworks), std::end(kFrameworks),
                                           [&](std::string_view one) { return packages.contains(std::string(one)); });
    if (!has_framework) continue;
    // It may have loaded nothing of its own: torchvision goes on without its operators.
    const std::string_view import = map.import;
    if (!import.empty()) packages.insert(normalised_wheel_name(import.substr(0, import.find('.'))));
    for (const WheelRequirement& required : read_wheel_requirements(*map.system->files, site)) {
      const bool is_framework =
          std::find(std::begin(kFrameworks), std::end(kFrameworks), required.wheel) != std::end(kFrameworks);
      if (!is_framework || !packages.contains(required.wheel) || !packages.contains(required.package)) continue;
      const std::string installed = installed_version(*map.system->files, site, required.wheel);
      if (installed.empty() || is_build_of(installed, required.version)) continue;
      const std::string wheel = required.wheel + "==" + required.version;
      Problem problem = make_problem(map, ProblemCode::FrameworkBuild, required.wheel,
                                     say("pin-other-framework", {{"package", required.package + " " + required.release},
                                                                 {"wheel", wheel},
                                                                 {"framework", required.wheel + " " + installed}}));
      problem.evidence.push_back(
          {.what = say("pin-line", {{"path", required.metadata}, {"line", required.line}, {"wheel", wheel}}),
           .path = required.metadata,
           .line = required.line});
      problems.push_back(std::move(problem));
    }
  }
  return problems;
}

std::vector<Problem> find_pinned_elsewhere(CudaProcess& cuda) { return PinnedParts(cuda).run(); }

}  // namespace soresolve
