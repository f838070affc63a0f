// The frameworks in Python's environments: what they were built for, what they get, whether that works.
#include <algorithm>

#include "cuda/cuda_process.h"
#include "doctor/checks.h"
#include "soresolve/cuda.h"
#include "soresolve/diagnose.h"

namespace soresolve {
namespace {

using enum DoctorResult;

/// What is looked into: the library of a framework that brings CUDA in.
struct Subject {
  std::string title;  ///< "torch 2.5.1+cu124"
  std::string file;
  DottedVersion cuda;  ///< that it was built with; empty: not told
  std::vector<std::string> proof;
};

bool exists(const Machine& machine, const std::string& path) { return machine.files->status(path).has_value(); }

/// The release in the name of a package's metadata folder: "onnxruntime_gpu-1.19.2.dist-info".
std::string release_in(const Machine& machine, const std::string& site,
                       std::initializer_list<std::string_view> packages) {
  const auto names = machine.files->list_directory(site);
  if (!names) return {};
  for (const std::string& name : *names) {
    for (const std::string_view package : packages) {
      const std::size_t end = name.find(".dist-info");
      const bool is_it = end != std::string::npos && name.starts_with(package) && name.size() > package.size() &&
                         name[package.size()] == '-';
      if (is_it) return name.substr(package.size() + 1, end - package.size() - 1);
    }
  }
  return {};
}

/// The first file of a folder whose name begins and ends so.
std::string file_like(const Machine& machine, const std::string& folder, std::string_view start, std::string_view end) {
  const auto names = machine.files->list_directory(folder);
  if (!names) return {};
  const auto found = std::find_if(names->begin(), names->end(), [&](const std::string& name) {
    return name.starts_with(start) && name.ends_with(end);
  });
  return found == names->end() ? std::string() : folder + "/" + *found;
}

std::vector<Subject> subjects_in(const Machine& machine, const std::string& site) {
  std::vector<Subject> subjects;
  if (const auto torch = read_torch_build(*machine.files, site)) {
    const std::string gpu = site + "/torch/lib/libtorch_cuda.so";
    const std::string split = site + "/torch/lib/libtorch_cuda_cpp.so";  // 1.9 to 1.12
    const std::string file = exists(machine, gpu)     ? gpu
                             : exists(machine, split) ? split
                                                      : site + "/torch/lib/libtorch_cpu.so";
    subjects.push_back({"torch " + torch->version, file, torch->cuda, {torch->told_by}});
  }
  if (const auto tensorflow = read_tensorflow_build(*machine.files, site)) {
    subjects.push_back({"tensorflow " + tensorflow->version,
                        site + "/tensorflow/libtensorflow_framework.so.2",
                        tensorflow->cuda,
                        {tensorflow->told_by}});
  }
  const std::string provider = site + "/onnxruntime/capi/libonnxruntime_providers_cuda.so";
  if (exists(machine, provider)) {
    subjects.push_back({"onnxruntime-gpu " + release_in(machine, site, {"onnxruntime_gpu"}), provider, {}, {}});
  }
  for (const std::string_view plugin : {"xla_cuda11", "xla_cuda12", "xla_cuda13"}) {
    const std::string file = site + "/jax_plugins/" + std::string(plugin) + "/xla_cuda_plugin.so";
    if (!exists(machine, file)) continue;
    const std::string package = "jax_cuda" + std::string(plugin.substr(8)) + "_plugin";
    subjects.push_back({"jax CUDA plugin " + release_in(machine, site, {package}), file, {}, {}});
  }
  const std::string cupy = file_like(machine, site + "/cupy_backends/cuda/api", "runtime.", ".so");
  if (!cupy.empty()) {
    subjects.push_back(
        {"cupy " + release_in(machine, site, {"cupy", "cupy_cuda11x", "cupy_cuda12x", "cupy_cuda13x"}), cupy, {}, {}});
  }
  return subjects;
}

class FrameworkCheck {
 public:
  FrameworkCheck(const Machine& machine, DoctorCheck& check) : machine_(machine), check_(check) {}

  void judge(const Subject& subject) {
    World world(machine_.settings);
    const Result<Resolution> run = world.resolve(subject.file, {.attempts = Attempts::Record});
    if (!run) {
      add_item(check_, Fail, say("name-reason", {{"name", subject.title}, {"reason", run.error().to_string()}}),
               as_statements(subject.proof));
      return;
    }
    const LinkMap& map = run->map();
    const Dlopens& dlopens = run->dlopens(DlopenLevel::Known);
    CudaProcess cuda(map, dlopens, machine_.contracts());
    const Diagnosis diagnosis =
        diagnose(map, subject.file, {}, dlopens, [&]() -> const Result<Check>& { return run->check(); });
    DoctorItem item{Pass, {}, as_statements(subject.proof)};
    judge_problems(diagnosis, item);
    judge_code(subject, item);
    item.text = say("framework-seen", {{"framework", subject.title},
                                       {"built", built_for(subject)},
                                       {"runtimes", runtimes_of(cuda)},
                                       {"cudnn", cudnn_of(cuda)},
                                       {"end", item.result == Pass ? say("libraries-fit") : Statement{}}});
    add_item(check_, item.result, std::move(item.text), std::move(item.proof));
  }

  /// Packages that carry CUDA's release in their version have to agree with torch (+cu121).
  void judge_companions(const std::string& site) {
    const auto torch = read_torch_build(*machine_.files, site);
    const std::string tag = torch ? cuda_tag(torch->version) : std::string();
    if (tag.empty()) return;
    for (const std::string_view name :
         {"torchvision", "torchaudio", "torch_scatter", "torch_sparse", "torch_cluster"}) {
      const std::string release = release_in(machine_, site, {name});
      const std::string other = cuda_tag(release);
      if (other.empty() || other == tag) continue;
      add_item(
          check_, Warn,
          say("built-for-different-cuda", {{"package", std::string(name) + " " + release}, {"torch", torch->version}}),
          as_statements({site}));
    }
    judge_bitsandbytes(site, *torch);
  }

 private:
  /// "cu121" of "0.15.2+cu121".
  static std::string cuda_tag(const std::string& version) {
    const std::size_t plus = version.find("+cu");
    return plus == std::string::npos ? std::string() : version.substr(plus + 1);
  }

  /// bitsandbytes picks libbitsandbytes_cudaNNN.so by torch's CUDA.
  void judge_bitsandbytes(const std::string& site, const InstalledFramework& torch) {
    const std::string folder = site + "/bitsandbytes";
    if (!exists(machine_, folder) || torch.cuda.parts.size() < 2) return;
    const std::string file = "libbitsandbytes_cuda" + std::to_string(torch.cuda.major_number()) +
                             std::to_string(torch.cuda.minor_number()) + ".so";
    const std::string title = "bitsandbytes " + release_in(machine_, site, {"bitsandbytes"});
    if (exists(machine_, folder + "/" + file))
      add_item(check_, Pass, say("has-for-torch", {{"package", title}, {"file", file}, {"version", torch.cuda.text}}));
    else
      add_item(check_, Warn,
               say("has-not-for-torch", {{"package", title}, {"file", file}, {"version", torch.cuda.text}}),
               as_statements({folder}));
  }

  static Statement built_for(const Subject& subject) {
    return subject.cuda.empty() ? Statement{} : say("built-for-cuda", {{"version", subject.cuda.text}});
  }

  static std::vector<Statement> runtimes_of(CudaProcess& cuda) {
    std::vector<Statement> runtimes;
    for (const CudaMember* runtime : cuda.of("libcudart")) {
      const DottedVersion& release = cuda.library(*runtime).cuda;
      if (release.empty()) continue;
      runtimes.push_back(say(runtimes.empty() ? "gets-cuda" : "and-version", {{"version", release.text}}));
    }
    return runtimes;
  }

  static Statement cudnn_of(CudaProcess& cuda) {
    const bool is_first = runtimes_of(cuda).empty();
    for (const CudaMember& member : cuda.members()) {
      if (!member.family.starts_with("libcudnn")) continue;
      const DottedVersion& version = cuda.library(member).version;
      if (version.empty()) continue;
      return say(is_first ? "gets-cudnn" : "comma-cudnn", {{"version", version.text}});
    }
    return {};
  }

  void judge_problems(const Diagnosis& diagnosis, DoctorItem& item) const {
    for (const Problem& problem : diagnosis.problems) {
      const Severity severity = severity_of(problem.code);
      const bool is_fatal = severity == Severity::Fatal;
      // What follows from the driver is told by its own check; what may surprise is for `why`.
      const bool matters = is_fatal || problem.code == ProblemCode::MixedBuild ||
                           problem.code == ProblemCode::FrameworkBuild || problem.code == ProblemCode::DriverTooOld ||
                           problem.code == ProblemCode::TwoCopies || problem.code == ProblemCode::DlopenMissing ||
                           problem.code == ProblemCode::StubLibrary;
      if (!matters) continue;
      note_problem(check_, problem.code);
      item.result = worse(item.result, is_fatal || problem.code == ProblemCode::DriverTooOld ? Fail : Warn);
      item.proof.push_back(say("problem-of-code", {{"code", code_of(problem.code)}, {"problem", problem.what}}));
      if (!problem.dlerror_says.empty() && is_fatal)
        item.proof.push_back(say("import-error", {{"text", problem.dlerror_says}}));
      for (const Evidence& each : problem.evidence) item.proof.push_back(say("indented", {{"text", each.what}}));
    }
    if (const Dlopen* lost = first_lost_dlopen(diagnosis.dlopens)) {
      item.proof.push_back(say("loads-all-the-same", {{"library", lost->shown().name}}));
    }
  }

  /// Has the library code for the GPUs here, and can the driver compile what is only PTX?
  void judge_code(const Subject& subject, DoctorItem& item) const {
    const bool has_known = std::any_of(machine_.gpus.begin(), machine_.gpus.end(),
                                       [](const ShownGpu& gpu) { return gpu.device.has_value(); });
    const auto file =
        has_known ? machine_.files->open(subject.file) : Result<std::unique_ptr<File>, Errno>(Unexpected{Errno::None});
    if (!file) return;
    const Result<GpuCode> code = read_gpu_code(**file, subject.file);
    if (!code || code->entries == 0) return;
    for (const ShownGpu& gpu : machine_.gpus) {
      if (!gpu.device) continue;
      const GpuVerdict verdict = judge_gpu_code(machine_.options.contracts, *code, *gpu.device);
      const auto needed = parse_dotted(verdict.needs_driver_of_cuda);
      const DottedVersion driver = machine_.driver_cuda();
      if (!verdict.runs()) {
        item.result = Fail;
        item.proof.push_back(
            say("no-code-runs", {{"gpu", gpu.name}, {"capability", gpu.device->capability.to_string()}}));
      } else if (verdict.native == 0 && needed && !driver.empty() && driver < *needed) {
        item.result = Fail;
        item.proof.push_back(
            say("ptx-needs-newer-driver", {{"gpu", gpu.name}, {"needed", needed->text}, {"known", driver.text}}));
      } else if (verdict.native == 0) {
        item.result = worse(item.result, Warn);
        item.proof.push_back(say("ptx-compiled-at-start", {{"gpu", gpu.name}}));
      }
    }
  }

  const Machine& machine_;
  DoctorCheck& check_;
};

}  // namespace

DoctorCheck check_frameworks(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why = say("why-frameworks");
  FrameworkCheck frameworks(machine, check);
  for (const std::string& site : inventory.sites()) {
    for (Subject& subject : subjects_in(machine, site)) {
      subject.proof.insert(subject.proof.begin(), subject.file);
      frameworks.judge(subject);
    }
    frameworks.judge_companions(site);
  }
  check.seen = check.items.empty()
                   ? say("environments-none", {{"count", inventory.sites().size()}})
                   : say("environments-findings", {{"count", inventory.sites().size()}, {"found", check.items.size()}});
  if (check.items.empty()) check.result = Skip;
  return check;
}

}  // namespace soresolve
