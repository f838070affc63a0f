// Sources: the CUDA Compatibility guide; what the libraries of 11.2 to 13.2 do when they are loaded
// together; pytorch's torch/backends/cudnn/__init__.py. Rows of tables name theirs.
#include "diagnose/cuda_rules.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "base/pieces.h"
#include "cuda/contracts.h"
#include "cuda/driver.h"
#include "cuda/framework_build.h"
#include "diagnose/diagnosis_input.h"
#include "soresolve/cuda.h"
#include "soresolve/diagnose.h"

namespace soresolve {
namespace {

/// Which release it is, and by what that is known.
Evidence reported(const CudaLibrary& library) {
  const Statement proof =
      library.reported.empty() ? Statement{} : say("in-brackets", {{"text", library.reported.front().proof}});
  const Statement what =
      library.version.empty()
          ? say("library-without-version", {{"path", library.path}, {"proof", proof}})
          : say("library-version", {{"path", library.path}, {"version", library.version.text}, {"proof", proof}});
  const auto offset = library.reported.empty() ? std::nullopt : library.reported.front().offset;
  return {.what = what, .path = library.path, .offset = offset};
}

/// Versions of parts that have to be of one build: what is known of both must agree.
bool disagree(const CudaLibrary& a, const CudaLibrary& b) {
  return !a.version.empty() && !b.version.empty() && !a.version.is_within(b.version) && !b.version.is_within(a.version);
}

class Rules {
 public:
  Rules(CudaProcess& cuda, const CudaContracts& contracts) : cuda_(cuda), contracts_(contracts) {}

  std::vector<Problem> run() {
    judge_blas();
    judge_cudnn();
    judge_driver();
    judge_runtimes();
    for (const InstalledFramework& framework : cuda_.frameworks()) judge_framework(framework);
    return std::move(problems_);
  }

 private:
  Problem& add(ProblemCode kind, const std::string& name, Statement what, ObjectIndex object = kNoObject) {
    problems_.push_back(make_problem(cuda_.map(), kind, name, std::move(what)));
    problems_.back().object = object;
    return problems_.back();
  }

  /// Where there is one.
  [[nodiscard]] Evidence module_says() const {
    const KernelModule& module = *cuda_.module();
    return {.what = say("module-says", {{"path", module.path}, {"version", module.version.text}}), .path = module.path};
  }

  /// libcublas calls private functions of libcublasLt: both are of one build, and so lie side by side.
  void judge_blas() {
    for (const CudaMember* blas : cuda_.of("libcublas")) {
      for (const CudaMember* light : cuda_.of("libcublasLt")) {
        const bool is_same_major =
            blas->name.substr(blas->name.rfind('.')) == light->name.substr(light->name.rfind('.'));
        if (!is_same_major || directory_of(blas->real) == directory_of(light->real)) continue;
        const CudaLibrary& first = cuda_.library(*blas);
        const CudaLibrary& second = cuda_.library(*light);
        if (!disagree(first, second)) continue;
        Problem& problem =
            add(ProblemCode::MixedBuild, light->name,
                say("mixed-blas", {{"blas", first.version.text}, {"light", second.version.text}}), light->object);
        problem.evidence = {reported(first), reported(second)};
      }
    }
  }

  /// All parts of cuDNN that a process has are of one release: the library compares them itself
  /// (CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH).
  void judge_cudnn() {
    std::set<std::uint32_t> majors;
    for (const CudaMember& member : cuda_.members()) {
      if (const auto major_number = cudnn_major(member)) majors.insert(*major_number);
    }
    for (const std::uint32_t major_number : majors) judge_cudnn(major_number);
  }

  void judge_cudnn(std::uint32_t major_number) {
    const CudaMember* surest = nullptr;  // with a version
    const CudaMember* other = nullptr;   // of another version
    const CudaMember* first = nullptr;
    const CudaMember* elsewhere = nullptr;  // in another directory
    for (const CudaMember& member : cuda_.members()) {
      if (cudnn_major(member) != major_number) continue;
      if (first == nullptr)
        first = &member;
      else if (directory_of(member.real) != directory_of(first->real) && elsewhere == nullptr)
        elsewhere = &member;
      const CudaLibrary& library = cuda_.library(member);
      if (library.version.empty()) continue;
      if (surest == nullptr)
        surest = &member;
      else if (other == nullptr && disagree(cuda_.library(*surest), library))
        other = &member;
    }
    if (other != nullptr) {
      const CudaLibrary& one = cuda_.library(*surest);
      const CudaLibrary& two = cuda_.library(*other);
      Problem& problem =
          add(ProblemCode::MixedBuild, other->name,
              say("mixed-cudnn", {{"one", one.version.text}, {"other", two.version.text}}), other->object);
      problem.evidence = {reported(one), reported(two)};
    } else if (elsewhere != nullptr) {
      Problem& problem =
          add(ProblemCode::MixedBuild, elsewhere->name, say("cudnn-in-two-directories"), elsewhere->object);
      problem.evidence = {reported(cuda_.library(*first)), reported(cuda_.library(*elsewhere))};
    }
  }

  /// 9 of libcudnn_ops.so.9.
  static std::optional<std::uint32_t> cudnn_major(const CudaMember& member) {
    if (!member.family.starts_with("libcudnn")) return std::nullopt;
    const std::size_t so = member.name.find(".so.");
    const auto version =
        so == std::string::npos ? std::nullopt : leading_version(std::string_view(member.name).substr(so + 4));
    return version ? std::optional(version->major_number()) : std::nullopt;
  }

  void judge_driver() {
    if (cuda_.driver() == nullptr) {
      if (cuda_.of("libcudart").empty()) return;
      Problem& problem = add(ProblemCode::DriverMissing, "libcuda.so.1", say("driver-missing"));
      if (cuda_.module()) {
        problem.evidence = {
            {.what = say("module-loaded", {{"version", cuda_.module()->version.text}, {"path", cuda_.module()->path}}),
             .path = cuda_.module()->path}};
      }
      return;
    }
    const DriverLibrary& driver = *cuda_.driver();
    const std::string& path = driver.library.path;
    if (driver.stub) {
      if (!cuda_.of("libcuda").empty()) return;  // others tell of what is in the process
      Problem& problem = add(ProblemCode::StubLibrary, "libcuda.so.1", say("stub-driver", {{"path", path}}));
      problem.evidence = {{.what = *driver.stub, .path = path}};
      return;
    }
    const bool is_compat = driver.is_in_compat_folder || driver.compatibility.has_value();
    if (is_compat) judge_compat(driver);
    const bool is_other = cuda_.module() && !driver.version.empty() && !(driver.version == cuda_.module()->version);
    if (!is_compat && is_other) {
      Problem& problem =
          add(ProblemCode::DriverMismatch, "libcuda.so.1",
              say("driver-mismatch", {{"library", driver.version.text}, {"module", cuda_.module()->version.text}}));
      problem.evidence = {reported(driver.library),
                          {.what = words_of_others(cuda_.module()->path), .path = cuda_.module()->path}};
    }
  }

  void judge_compat(const DriverLibrary& driver) {
    const DottedVersion module = cuda_.module() ? cuda_.module()->version : DottedVersion{};
    std::string_view fit;
    switch (judge_forward_compatibility(driver, module, contracts_)) {
      case CompatFit::Accepted: fit = "compat-accepted"; break;
      case CompatFit::Needless: fit = "compat-needless"; break;
      case CompatFit::Refused: fit = "compat-refused"; break;
      case CompatFit::Unknown: fit = "compat-unknown"; break;
    }
    Problem& problem =
        add(ProblemCode::ForwardCompat, "libcuda.so.1",
            say("forward-compatible", {{"path", driver.library.path}, {"fit", say(fit, {{"driver", module.text}})}}));
    if (driver.compatibility && !driver.compatibility->driver_branches.empty()) {
      const std::string list = joined(driver.compatibility->driver_branches, " ",
                                      [](std::uint32_t branch) { return std::to_string(branch); });
      problem.evidence.push_back(
          {.what = say("accepts-branches", {{"branches", list}, {"offset", driver.compatibility->file_offset}}),
           .path = driver.library.path,
           .offset = driver.compatibility->file_offset});
    }
    if (cuda_.module()) problem.evidence.push_back(module_says());
  }

  /// The driver that counts: of the library, or where that is not known of the kernel module.
  void judge_runtimes() {
    DottedVersion driver;
    DottedVersion driver_cuda;
    Evidence proof;
    if (cuda_.driver() != nullptr && !cuda_.driver()->stub) {
      driver = cuda_.driver()->version;
      driver_cuda = cuda_.driver()->cuda;
      proof = reported(cuda_.driver()->library);
      if (!driver_cuda.empty()) {
        proof.what = say("driver-supports",
                         {{"driver", proof.what}, {"cuda", driver_cuda.text}, {"proof", cuda_.driver()->cuda_proof}});
      }
    } else if (cuda_.module()) {
      driver = cuda_.module()->version;
      proof = module_says();
    }
    if (driver.empty() && driver_cuda.empty()) return;
    for (const CudaMember* runtime : cuda_.of("libcudart")) {
      const CudaLibrary& library = cuda_.library(*runtime);
      const RuntimeVerdict verdict = judge_runtime(contracts_, library.cuda, driver, driver_cuda);
      if (verdict.fit != RuntimeFit::Refused) continue;
      Problem& problem =
          add(ProblemCode::DriverTooOld, runtime->name,
              say("driver-too-old", {{"cuda", library.cuda.text},
                                     {"driver", driver.empty() ? say("driver-of-cuda", {{"cuda", driver_cuda.text}})
                                                               : say("driver-of-version", {{"version", driver.text}})},
                                     {"needs", verdict.needs}}),
              runtime->object);
      problem.evidence = {reported(library), proof, {.what = say("the-rule", {{"source", verdict.source}})}};
    }
  }

  /// What the framework was built for, against what is there.
  void judge_framework(const InstalledFramework& framework) {
    if (framework.cuda.empty()) return;
    const std::string name = framework.name + " " + framework.version;
    for (const CudaMember* runtime : cuda_.of("libcudart")) {
      // libcudart.so.12: the major version is in the name, whatever else there is to know.
      const std::size_t so = runtime->name.find(".so.");
      const auto named = so == std::string::npos ? std::nullopt : leading_version(runtime->name.substr(so + 4));
      if (!named || named->major_number() == framework.cuda.major_number()) continue;
      const CudaLibrary& library = cuda_.library(*runtime);
      const std::string release = library.cuda.empty() ? named->text : library.cuda.text;
      Problem& problem =
          add(ProblemCode::FrameworkBuild, runtime->name,
              say("framework-other-cuda", {{"framework", name}, {"cuda", framework.cuda.text}, {"runtime", release}}),
              runtime->object);
      problem.evidence = {{.what = words_of_others(framework.reported_by), .path = framework.reported_by},
                          reported(library)};
    }
    judge_cudnn_of(framework, name);
  }

  /// torch refuses a cuDNN of an older minor version than the one it was compiled with.
  void judge_cudnn_of(const InstalledFramework& framework, const std::string& name) {
    const std::vector<const FrameworkBuild*> builds =
        find_builds(contracts_, framework.name, framework.release, framework.cuda);
    if (builds.empty() || builds.front()->cudnn.empty()) return;
    const DottedVersion& built = builds.front()->cudnn;
    for (const CudaMember& member : cuda_.members()) {
      if (cudnn_major(member) != built.major_number()) continue;
      const DottedVersion& version = cuda_.library(member).version;
      if (version.parts.size() < 2 || version.first(2) >= built.first(2)) continue;
      Problem& problem =
          add(ProblemCode::FrameworkBuild, member.name,
              say("framework-older-cudnn", {{"framework", name}, {"cudnn", built.text}, {"version", version.text}}),
              member.object);
      problem.evidence = {reported(cuda_.library(member)),
                          {.what = say("the-build", {{"source", builds.front()->source}})}};
      return;
    }
  }

  CudaProcess& cuda_;
  const CudaContracts& contracts_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> judge_cuda_process(CudaProcess& cuda, const CudaContracts& contracts) {
  return Rules(cuda, contracts).run();
}

std::vector<Problem> find_cuda_problems(const LinkMap& map, const Dlopens& dlopens) {
  std::vector<Problem> problems = find_driver_problems(map, dlopens);
  std::vector<Problem> frameworks = find_other_frameworks(map);
  std::move(frameworks.begin(), frameworks.end(), std::back_inserter(problems));
  if (!has_cuda(map, dlopens)) return problems;
  const CudaContracts& contracts = built_in_contracts().cuda;
  CudaProcess cuda(map, dlopens, contracts);
  std::vector<Problem> judged = judge_cuda_process(cuda, contracts);
  std::move(judged.begin(), judged.end(), std::back_inserter(problems));
  std::vector<Problem> pinned = find_pinned_elsewhere(cuda);
  std::vector<Problem> others = find_of_other_cuda(cuda, dlopens, pinned);
  std::move(pinned.begin(), pinned.end(), std::back_inserter(problems));
  std::move(others.begin(), others.end(), std::back_inserter(problems));
  return problems;
}

}  // namespace soresolve
