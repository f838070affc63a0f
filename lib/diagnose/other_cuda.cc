// For which CUDA a file is built, its DT_NEEDED entries say, or the names that it opens (a row of known loaders): most
// SONAMEs of CUDA are of one major release. For which CUDA the others are made, find_cuda_release() says.
#include "diagnose/cuda_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cuda/cuda_library.h"
#include "cuda/cuda_release.h"
#include "diagnose/diagnosis_input.h"
#include "elf/library_name.h"
#include "packages/what_brings.h"
#include "soresolve/command_text.h"

namespace soresolve {
namespace {

/// A file that uses CUDA, and what it uses.
struct CudaUser {
  std::string name;
  std::string sure;  ///< a name that tells its CUDA
  std::uint32_t cuda = 0;
  bool is_of_several = false;
  std::vector<std::string> unsure;  ///< names that do not
};

/// A library that it gets, and what says of which CUDA that is.
struct Got {
  const CudaMember* member;
  const ReportedVersion* release;
};

class OtherCuda {
 public:
  OtherCuda(CudaProcess& cuda, const std::vector<Problem>& reported) : cuda_(cuda) {
    for (const Problem& problem : reported) reported_.insert(problem.name);
  }

  std::vector<Problem> run(const Dlopens& dlopens) {
    for (const LoadedObject& object : cuda_.map().objects) {
      CudaUser user{.name = std::string(object.name())};
      for (const NeedEntry& need : object.elf.needs) add(user, need.name);
      judge(user);
    }
    std::map<std::string, CudaUser> openers;
    for (const Dlopen& opened : dlopens.list) {
      // Of several names of which none is there it is not known which one would be right.
      if (opened.source != DlopenSource::Known || (!opened.is_good() && opened.choices.size() != 1)) continue;
      if (opened.opener.ends_with(".py")) continue;  // a source is built for nothing
      CudaUser& user = openers[opened.opener];
      user.name = opened.opener;
      add(user, opened.shown().name);
    }
    for (const auto& [path, user] : openers) judge(user);
    return std::move(problems_);
  }

 private:
  void add(CudaUser& user, std::string_view name) const {
    if (!is_cuda_family(library_family(name))) return;
    const std::uint32_t number = cuda_.cuda_major_of_name(name);
    if (number == 0) {
      user.unsure.emplace_back(name);
      return;
    }
    user.is_of_several = user.is_of_several || (user.cuda != 0 && user.cuda != number);
    if (user.cuda == 0) user.sure = name;
    user.cuda = number;
  }

  /// One problem for what it gets of one release of CUDA.
  void judge(const CudaUser& user) {
    if (user.cuda == 0 || user.is_of_several) return;
    std::map<std::string, std::vector<Got>> by_release;
    for (const CudaMember& member : cuda_.members()) {
      const bool is_used = std::find(user.unsure.begin(), user.unsure.end(), member.name) != user.unsure.end();
      if (!is_used || reported_.contains(member.name)) continue;
      const std::optional<ReportedVersion>& release = cuda_.cuda_release(member);
      if (!release || release->version.major_number() == user.cuda) continue;
      reported_.insert(member.name);
      by_release[release->version.text].push_back({&member, &*release});
    }
    for (const auto& [release, got] : by_release) tell(user, release, got);
  }

  void tell(const CudaUser& user, const std::string& release, const std::vector<Got>& got) {
    std::string names;
    std::vector<std::string> wheels;
    std::vector<Evidence> evidence;
    for (const auto& [member, reported] : got) {
      names += (names.empty() ? "" : ", ") + member->name;
      if (std::string wheel = wheel_for_cuda(member->name, user.cuda); !wheel.empty()) {
        wheels.push_back(std::move(wheel));
      }
      evidence.push_back(
          {.what = say("made-for-cuda", {{"path", member->path}, {"cuda", release}, {"proof", reported->proof}}),
           .path = member->path,
           .offset = reported->offset});
    }
    Problem problem = make_problem(cuda_.map(), ProblemCode::FrameworkBuild, got.front().member->name,
                                   say("of-other-cuda", {{"user", user.name},
                                                         {"cuda", std::uint64_t{user.cuda}},
                                                         {"sure", user.sure},
                                                         {"library", names},
                                                         {"other", release}}));
    problem.object = got.front().member->object;
    problem.wheels = std::move(wheels);
    problem.evidence = std::move(evidence);
    problems_.push_back(std::move(problem));
  }

  CudaProcess& cuda_;
  std::set<std::string> reported_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> find_of_other_cuda(CudaProcess& cuda, const Dlopens& dlopens,
                                        const std::vector<Problem>& reported) {
  return OtherCuda(cuda, reported).run(dlopens);
}

}  // namespace soresolve
