// Source of what passes over what: glibc elf/dl-load.c:open_path, open_verify.
#include "diagnose/detectors.h"
#include "loader/process.h"
#include "loader/system.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <string>

namespace soresolve {
namespace {

struct BrokenLink {
  std::string path;    ///< the link
  std::string target;  ///< as it is written
  bool is_loop = false;
};

/// Looks along paths for links that make them fail. Each part is looked at once: the paths of a search have most of
/// theirs in common.
class LinkFinder {
 public:
  explicit LinkFinder(const FileSystem& files) : files_(files) {}

  /// The first symbolic link on the way of `path` that leads nowhere, or in a circle; nullopt when it is
  /// not a link that makes the path fail.
  std::optional<BrokenLink> broken_on(const std::string& path) {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
      const std::string part = path.substr(0, end);
      if (!part.empty() && !part.ends_with('/')) {
        const Part& seen = look_at(part);
        if (seen.broken) return seen.broken;
        if (seen.is_absent) return std::nullopt;  // it is simply not there
      }
      if (end == std::string::npos) return std::nullopt;
    }
  }

 private:
  struct Part {
    bool is_absent = false;
    std::optional<BrokenLink> broken;
  };

  const Part& look_at(const std::string& part) {
    const auto [known, is_new] = parts_.try_emplace(part);
    if (!is_new) return known->second;
    const Result<std::string, Errno> target = files_.read_link(part);
    if (!target) {
      known->second.is_absent = target.error() != static_cast<Errno>(EINVAL);
      return known->second;
    }
    const Result<FileStatus, Errno> status = files_.status(part);
    if (!status && (status.error() == static_cast<Errno>(ENOENT) || status.error() == static_cast<Errno>(ELOOP))) {
      known->second.broken = BrokenLink{part, *target, status.error() == static_cast<Errno>(ELOOP)};
    }
    return known->second;
  }

  const FileSystem& files_;
  std::map<std::string, Part> parts_;
};

class InTheWay {
 public:
  explicit InTheWay(const DiagnosisInput& input) : input_(input), links_(*input.map.system->files) {}

  std::vector<Problem> find() {
    for (ObjectIndex i = 0; i < input_.map.objects.size(); ++i) {
      const std::vector<Need>& needs = input_.map.objects[i].needs;
      for (std::uint32_t k = 0; k < needs.size(); ++k) {
        if (needs[k].trace >= input_.map.traces.size() || !concerns(input_, i, needs[k])) continue;
        look_at({i, k}, needs[k]);
      }
    }
    return std::move(problems_);
  }

 private:
  void look_at(NeedRef request, const Need& need) {
    const bool is_found = need.resolution == HowFound::Mapped || need.resolution == HowFound::ByFile;
    for (const Attempt& attempt : input_.map.traces[need.trace].attempts) {
      switch (attempt.outcome) {
        case Outcome::WrongClass:
        case Outcome::WrongMachine:
          // Where nothing else is found the problem on the library tells of them.
          if (is_found) pass_over(request, need, attempt);
          break;
        case Outcome::PermissionDenied: deny(request, need, attempt); break;
        case Outcome::NoSuchFile:
        case Outcome::NoSuchDirectory:
        case Outcome::OpenFailed: look_for_link(request, need, attempt); break;
        default: break;
      }
    }
  }

  [[nodiscard]] std::string absolute(const std::string& path) const {
    return absolute_path(path, input_.map.process->cwd);
  }

  void pass_over(NeedRef request, const Need& need, const Attempt& attempt) {
    const std::string name(need.name);
    add(ProblemCode::ForeignFile, name, request,
        say("foreign-file", {{"library", name}, {"path", input_.map.objects[need.target].path}}),
        {.what = say("path-outcome-step", {{"path", attempt.candidate},
                                           {"outcome", term(name_of(attempt.outcome))},
                                           {"step", term(name_of(attempt.step))}}),
         .path = attempt.candidate});
  }

  void deny(NeedRef request, const Need& need, const Attempt& attempt) {
    const std::string name(need.name);
    const bool is_there = input_.map.system->files->status(absolute(attempt.candidate)).has_value();
    add(ProblemCode::NotReadable, name, request, say("not-readable", {{"library", name}}),
        {.what = say(is_there ? "file-not-readable" : "directory-not-enterable", {{"path", attempt.candidate}}),
         .path = attempt.candidate});
  }

  /// A file that is "not there" although a person sees its name in the directory.
  void look_for_link(NeedRef request, const Need& need, const Attempt& attempt) {
    if (attempt.outcome == Outcome::OpenFailed && attempt.error != static_cast<Errno>(ELOOP)) return;
    // Nobody links into the processor-specific subdirectories, and there are many of them.
    if (attempt.outcome != Outcome::OpenFailed && !attempt.subdirectory.empty()) return;
    const std::string where =
        attempt.outcome == Outcome::NoSuchDirectory ? attempt.directory + attempt.subdirectory : attempt.candidate;
    const std::optional<BrokenLink> broken = links_.broken_on(absolute(where));
    if (!broken) return;
    const BrokenLink& link = *broken;
    // A directory that is gone concerns all that is searched in it: told once.
    const bool is_file = link.path == absolute(attempt.candidate);
    const Statement tail = attempt.outcome == Outcome::OpenFailed ? say("stops-at-loop") : Statement{};
    const Statement what = is_file ? say(link.is_loop ? "link-in-circle" : "link-nowhere",
                                         {{"path", link.path}, {"library", need.name}, {"tail", tail}})
                                   : say(link.is_loop ? "directory-link-in-circle" : "directory-link-nowhere",
                                         {{"path", link.path}, {"tail", tail}});
    add(ProblemCode::BrokenLink, link.path, request, what,
        {.what = say("link-target", {{"path", link.path}, {"target", link.target}}), .path = link.path});
  }

  /// Joins what is the same for a further needer.
  void add(ProblemCode kind, const std::string& name, NeedRef request, const Statement& what,
           const Evidence& evidence) {
    auto same = std::find_if(problems_.begin(), problems_.end(),
                             [&](const Problem& problem) { return problem.code == kind && problem.name == name; });
    if (same == problems_.end()) {
      problems_.push_back(make_problem(input_.map, kind, name, what));
      same = problems_.end() - 1;
    }
    const bool is_known_request = std::any_of(same->requests.begin(), same->requests.end(), [&](const NeedRef& known) {
      return known.needer == request.needer && known.need == request.need;
    });
    if (!is_known_request) same->requests.push_back(request);
    if (std::find(same->evidence.begin(), same->evidence.end(), evidence) == same->evidence.end()) {
      same->evidence.push_back(evidence);
    }
  }

  const DiagnosisInput& input_;
  LinkFinder links_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> find_files_in_the_way(const DiagnosisInput& input) { return InTheWay(input).find(); }

}  // namespace soresolve
