// Sources: the CUDA Compatibility guide; what the libraries of 11.2 to 13.2 do when they are loaded
// together; pytorch's torch/backends/cudnn/__init__.py. Rows of tables name theirs.
#include "diagnose/cuda_rules.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "diagnose/scene.h"
#include "soresolve/diagnose.h"
#include "soresolve/gpu_contracts.h"

namespace soresolve {
namespace {

std::string told(const CudaLibrary& library) {
  std::string text = library.path;
  if (!library.version.empty()) text += ": " + library.version.text;
  if (!library.told.empty()) text += " (" + library.told.front().proof + ")";
  if (library.version.empty()) text += ": nothing tells its version";
  return text;
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
  Problem& add(ProblemCode kind, const std::string& name, std::string text, ObjectIndex object = kNoObject) {
    problems_.push_back(make_problem(kind, name, std::move(text)));
    problems_.back().object = object;
    return problems_.back();
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
        Problem& problem = add(ProblemCode::MixedBuild, light->name,
                               "libcublas " + first.version.text + " runs with libcublasLt " + second.version.text +
                                   ": they call each other's private functions and have to be of one build",
                               light->object);
        problem.proof = {told(first), told(second)};
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
              "parts of two releases of cuDNN come together, " + one.version.text + " and " + two.version.text +
                  ": cuDNN refuses that (CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, or a missing symbol)",
              other->object);
      problem.proof = {told(one), told(two)};
    } else if (elsewhere != nullptr) {
      Problem& problem =
          add(ProblemCode::MixedBuild, elsewhere->name,
              "parts of cuDNN come from two directories; if these are of two releases, cuDNN refuses them "
              "(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH)",
              elsewhere->object);
      problem.proof = {told(cuda_.library(*first)), told(cuda_.library(*elsewhere))};
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
      Problem& problem = add(ProblemCode::DriverMissing, "libcuda.so.1",
                             "no driver is in reach: the CUDA runtime opens libcuda.so.1 by that name, nothing that it "
                             "searches has it, and calls fail with error 35 (driver version is insufficient)");
      if (cuda_.module()) {
        problem.proof = {"the kernel module of driver " + cuda_.module()->version.text + " is loaded (" +
                         cuda_.module()->path + "): in a container the driver's libraries have not been passed in"};
      }
      return;
    }
    const DriverLibrary& driver = *cuda_.driver();
    const std::string& path = driver.library.path;
    if (driver.stub) {
      if (!cuda_.of("libcuda").empty()) return;  // others tell of what is in the process
      Problem& problem = add(ProblemCode::StubLibrary, "libcuda.so.1",
                             path +
                                 ", which the CUDA runtime gets for its driver, is a stub to link against: each call "
                                 "fails with error 34 (driver is a stub library)");
      problem.proof = {*driver.stub};
      return;
    }
    const bool is_compat = driver.is_in_compat_folder || driver.compatibility.has_value();
    if (is_compat) judge_compat(driver);
    const bool is_other = cuda_.module() && !driver.version.empty() && !(driver.version == cuda_.module()->version);
    if (!is_compat && is_other) {
      Problem& problem = add(ProblemCode::DriverMismatch, "libcuda.so.1",
                             "the driver's library is of " + driver.version.text + ", its loaded kernel module of " +
                                 cuda_.module()->version.text +
                                 ": calls fail with error 803 (unsupported display driver / "
                                 "cuda driver combination)");
      problem.proof = {told(driver.library), cuda_.module()->path};
    }
  }

  void judge_compat(const DriverLibrary& driver) {
    const DottedVersion module = cuda_.module() ? cuda_.module()->version : DottedVersion{};
    std::string text = driver.library.path + " is a forward-compatible driver library (cuda-compat)";
    switch (judge_forward_compatibility(driver, module, contracts_)) {
      case CompatFit::Accepted:
        text += ": it is made for hosts of this branch; it works on boards of data centres only, others give error 804";
        break;
      case CompatFit::Needless:
        text += ", but the host's driver " + module.text +
                " knows as much: it is not needed, and on boards other than those "
                "of data centres it gives error 804";
        break;
      case CompatFit::Refused:
        text += " that does not accept the host's driver " + module.text + ": calls fail with error 803";
        break;
      case CompatFit::Unknown:
        text +=
            ": it works above kernel modules that it lists, on boards of data centres; others give error 803 or 804";
        break;
    }
    Problem& problem = add(ProblemCode::ForwardCompat, "libcuda.so.1", std::move(text));
    if (driver.compatibility && !driver.compatibility->driver_branches.empty()) {
      std::string list = "it accepts the branches";
      for (const std::uint32_t branch : driver.compatibility->driver_branches) list += " " + std::to_string(branch);
      problem.proof.push_back(list + " (its note at file offset " + std::to_string(driver.compatibility->file_offset) +
                              ")");
    }
    if (cuda_.module()) problem.proof.push_back(cuda_.module()->path + " says " + module.text);
  }

  /// The driver that counts: of the library, or where that is not known of the kernel module.
  void judge_runtimes() {
    DottedVersion driver;
    DottedVersion driver_cuda;
    std::string proof;
    if (cuda_.driver() != nullptr && !cuda_.driver()->stub) {
      driver = cuda_.driver()->version;
      driver_cuda = cuda_.driver()->cuda;
      proof = told(cuda_.driver()->library);
      if (!driver_cuda.empty())
        proof += "; it knows CUDA " + driver_cuda.text + " (" + cuda_.driver()->cuda_proof + ")";
    } else if (cuda_.module()) {
      driver = cuda_.module()->version;
      proof = cuda_.module()->path + " says " + driver.text;
    }
    if (driver.empty() && driver_cuda.empty()) return;
    for (const CudaMember* runtime : cuda_.of("libcudart")) {
      const CudaLibrary& library = cuda_.library(*runtime);
      const RuntimeVerdict verdict = judge_runtime(contracts_, library.cuda, driver, driver_cuda);
      if (verdict.fit != RuntimeFit::Refused) continue;
      Problem& problem =
          add(ProblemCode::DriverTooOld, runtime->name,
              "the runtime is of CUDA " + library.cuda.text + ", and the driver" +
                  (driver.empty() ? " knows CUDA " + driver_cuda.text : ", " + driver.text + ",") +
                  " is too old for it: calls fail with error 35 (driver version is insufficient); it takes " +
                  verdict.needs,
              runtime->object);
      problem.proof = {told(library), proof, "the rule: " + verdict.source};
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
              name + " was built for CUDA " + framework.cuda.text + ", and a runtime of CUDA " + release +
                  " is in its process: it belongs to something that was built for another CUDA",
              runtime->object);
      problem.proof = {framework.told_by, told(library)};
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
      Problem& problem = add(ProblemCode::FrameworkBuild, member.name,
                             name + " was compiled with cuDNN " + built.text + " and gets " + version.text +
                                 ": it refuses one of an older minor version (cuDNN version incompatibility)",
                             member.object);
      problem.proof = {told(cuda_.library(member)), "the build: " + builds.front()->source};
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
  if (!has_cuda(map, dlopens)) return {};
  const CudaContracts& contracts = built_in_contracts().cuda;
  CudaProcess cuda(map, dlopens, contracts);
  return judge_cuda_process(cuda, contracts);
}

}  // namespace soresolve
