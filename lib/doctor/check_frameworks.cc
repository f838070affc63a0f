// The frameworks in Python's environments: what they were built for, what they get, whether that works.
#include <algorithm>
#include <set>

#include "base/pieces.h"
#include "cuda/contracts.h"
#include "cuda/cuda_process.h"
#include "cuda/framework_build.h"
#include "dlopen/find_dlopens.h"
#include "dlopen/known_file.h"
#include "doctor/checks.h"
#include "doctor/framework_rows.h"
#include "elf/library_name.h"
#include "loader/load.h"
#include "packages/what_brings.h"
#include "remedies/pip_command.h"
#include "soresolve/answer.h"
#include "soresolve/cuda.h"

namespace soresolve {
namespace {

using enum DoctorResult;

class FrameworkCheck {
 public:
  FrameworkCheck(const Machine& machine, DoctorCheck& check) : machine_(machine), check_(check) {}

  void judge(const FoundFramework& found) {
    DoctorFramework framework;
    framework.title = found.title();
    framework.library = found.library;
    framework.cuda = found.cuda;
    framework.cudnn = found.cudnn;
    read_chips(found, framework);
    DoctorItem item{Pass, {}, {}};
    for (const std::string& path : {found.library, found.reported_by}) {
      if (!path.empty()) item.proof.push_back(words_of_others(path));
    }
    const bool has_process = found.row->load == FrameworkLoad::Alone || found.row->load == FrameworkLoad::ByImport;
    if (has_process && !judge_libraries(found, framework, item)) return;
    if (found.row->load == FrameworkLoad::AfterTorch) take_from_torch(found.site, framework);
    framework.uses_cuda = !framework.cuda.empty() || !framework.chips.empty() || !framework.gets_cuda.empty() ||
                          found.row->load == FrameworkLoad::Never;
    const DottedVersion& release =
        framework.cuda.empty() && !framework.gets_cuda.empty() ? framework.gets_cuda.front() : framework.cuda;
    framework.driver = oldest_driver(machine_.contracts(), release);
    judge_driver(release, framework, item);
    judge_code(framework, item);
    // torch of the default index may be a build without CUDA, though a GPU could be used.
    const bool misses_gpu = !framework.uses_cuda && found.row->name == "torch" && machine_.torch_backend() != "cpu";
    if (misses_gpu) item.result = worse(item.result, Warn);
    if ((item.result == Fail || misses_gpu) && framework.commands.empty()) offer_other_build(found, framework);
    add(found, framework, std::move(item));
  }

  /// Packages that carry CUDA's release in their version have to agree with torch (+cu121). Its metadata has it where
  /// the wheel is of PyTorch's index, version.py also where it is of PyPI. torchvision compares the first number alone.
  void judge_companions(const std::string& site) {
    const auto torch = read_torch_build(*machine_.files, site);
    const DottedVersion cuda = torch ? cuda_of_tag(torch->version) : DottedVersion{};
    if (cuda.empty()) return;
    for (const std::string_view name :
         {"torchvision", "torchaudio", "torch_scatter", "torch_sparse", "torch_cluster"}) {
      std::string release = release_in(machine_, site, name);
      if (const auto build = read_companion_build(*machine_.files, site, std::string(name));
          build && cuda_of_tag(release).empty()) {
        release = build->version;
      }
      const DottedVersion other = cuda_of_tag(release);
      const bool is_alike = other == cuda || (name == "torchvision" && other.major_number() == cuda.major_number());
      if (other.empty() || is_alike) continue;
      add_item(
          check_, Warn,
          say("built-for-different-cuda", {{"package", std::string(name) + " " + release}, {"torch", torch->version}}),
          as_statements({site}));
    }
    judge_bitsandbytes(site, *torch);
  }

 private:
  /// bitsandbytes picks libbitsandbytes_cudaNNN.so by torch's CUDA.
  void judge_bitsandbytes(const std::string& site, const InstalledFramework& torch) {
    const std::string folder = site + "/bitsandbytes";
    if (!machine_.files->status(folder) || torch.cuda.parts.size() < 2) return;
    const std::string release = release_in(machine_, site, "bitsandbytes");
    const std::string title = "bitsandbytes " + release;
    const auto known = leading_version(release);
    const bool takes_nearest = known && *known >= *leading_version("0.50");
    const std::string file =
        numbered_for_cuda(*machine_.files, folder, "libbitsandbytes_cuda", torch.cuda, takes_nearest);
    const bool is_there = machine_.files->status(folder + "/" + file).has_value();
    add_item(check_, is_there ? Pass : Warn,
             say(is_there ? "has-for-torch" : "has-not-for-torch",
                 {{"package", title}, {"file", file}, {"version", torch.cuda.text}}),
             is_there ? std::vector<Statement>{} : as_statements({folder}));
  }

  /// Everything is said of it; its kernels and its driver in a line of their own.
  void add(const FoundFramework& found, DoctorFramework& framework, DoctorItem item) {
    framework.result = item.result;
    if (!framework.uses_cuda) {
      item.text = say("framework-without-cuda", {{"framework", framework.title}});
    } else if (found.row->load == FrameworkLoad::Never) {
      item.text = say("framework-compiles", {{"framework", framework.title}});
    } else {
      const bool is_judged = item.result == Pass && found.row->load != FrameworkLoad::AfterTorch;
      item.text = say("framework-seen", {{"framework", framework.title},
                                         {"built", built_for(framework)},
                                         {"runtimes", runtimes_of(framework)},
                                         {"cudnn", cudnn_of(framework)},
                                         {"end", is_judged ? say("libraries-fit") : Statement{}}});
    }
    const Statement needs = needs_of(framework);
    const bool has_proof_shown = item.result == Warn || item.result == Fail;
    if (has_proof_shown && !needs.empty()) item.proof.insert(item.proof.begin(), needs);
    add_item(check_, item.result, std::move(item.text), std::move(item.proof));
    if (!has_proof_shown && !needs.empty()) add_item(check_, Pass, say("indented", {{"text", needs}}));
    if (!framework.commands.empty()) {
      check_.advice.push_back({say("mend-framework", {{"framework", framework.title}}), framework.commands, false, {}});
    }
    check_.frameworks.push_back(std::move(framework));
  }

  /// The driver that it takes, and the chips that it has code for.
  static Statement needs_of(const DoctorFramework& framework) {
    const NameList chips{framework.chips, 0};
    if (framework.driver.empty())
      return framework.chips.empty() ? Statement{} : say("has-code-for", {{"chips", chips}});
    if (framework.chips.empty()) return say("needs-driver", {{"version", framework.driver.text}});
    return say("needs-driver-and-has-code", {{"version", framework.driver.text}, {"chips", chips}});
  }

  static Statement built_for(const DoctorFramework& framework) {
    if (framework.cuda.empty()) return {};
    if (framework.cudnn.empty()) return say("built-for-cuda", {{"version", framework.cuda.text}});
    return say("built-for-cuda-and-cudnn", {{"version", framework.cuda.text}, {"cudnn", framework.cudnn.text}});
  }

  static std::vector<Statement> runtimes_of(const DoctorFramework& framework) {
    std::vector<Statement> runtimes;
    for (const DottedVersion& release : framework.gets_cuda) {
      runtimes.push_back(say(runtimes.empty() ? "gets-cuda" : "and-version", {{"version", release.text}}));
    }
    return runtimes;
  }

  static Statement cudnn_of(const DoctorFramework& framework) {
    if (framework.gets_cudnn.empty()) return {};
    return say(framework.gets_cuda.empty() ? "gets-cudnn" : "comma-cudnn", {{"version", framework.gets_cudnn.text}});
  }

  /// It runs with what torch has loaded.
  void take_from_torch(const std::string& site, DoctorFramework& framework) const {
    const auto torch = read_torch_build(*machine_.files, site);
    if (torch && torch->is_for_cuda) framework.gets_cuda.push_back(torch->cuda);
  }

  /// The major version of CUDA in the names of the libraries that it wants, here or not ("libcublas.so.12"); empty
  /// where names are of several.
  DottedVersion named_cuda(const LinkMap& map, const Dlopens& dlopens) const {
    std::set<std::uint32_t> majors;
    const auto take = [&](std::string_view name) {
      std::set<std::uint32_t> own;
      for (const CudaLibraryName& known : machine_.contracts().libraries) {
        if (known.soname != name) continue;
        own.insert({known.from.major_number(), known.to.major_number()});
      }
      if (own.size() == 1) majors.insert(*own.begin());  // libcurand.so.10 is of three
    };
    for (const LoadedObject& object : map.objects) take(object.requested_name);
    for (const Dlopen& dlopen : dlopens.list) take(dlopen.shown().name);
    return majors.size() == 1 ? *leading_version(std::to_string(*majors.begin())) : DottedVersion{};
  }

  /// What its process loads, and what is wrong with that. False: it cannot be asked, and that is said.
  bool judge_libraries(const FoundFramework& found, DoctorFramework& framework, DoctorItem& item) {
    const Result<Answer> answer = ask_about(found);
    if (!answer || answer->run() == nullptr) {
      const Error& error = answer ? *answer->refused_as() : answer.error();
      add_item(check_, Fail, say("name-reason", {{"name", framework.title}, {"reason", error.to_string()}}),
               std::move(item.proof));
      return false;
    }
    const LinkMap& map = answer->run()->map();
    const Dlopens& dlopens = answer->later();
    CudaProcess cuda(map, dlopens, machine_.contracts());
    for (const CudaMember* runtime : cuda.of("libcudart")) {
      const DottedVersion& release = cuda.library(*runtime).cuda;
      if (!release.empty()) framework.gets_cuda.push_back(release);
    }
    if (!found.row->opens.empty()) {
      const Dlopens named = find_dlopens(map, DlopenLevel::Strings);
      if (framework.cuda.empty()) framework.cuda = named_cuda(map, named);
      judge_opened(found, named, framework, item);
    }
    if (framework.cuda.empty() && framework.gets_cuda.empty()) framework.cuda = named_cuda(map, dlopens);
    for (const CudaMember& member : cuda.members()) {
      const bool is_cudnn = member.family.starts_with("libcudnn") && framework.gets_cudnn.empty();
      if (is_cudnn) framework.gets_cudnn = cuda.library(member).version;
    }
    judge_problems(answer->diagnosis(), framework, item);
    const PythonImport* const import = answer->run()->import();
    if (import != nullptr && !import->exception.empty() && item.result != Fail)
      fail(framework, item, say("import-fails", {{"module", import->module}, {"exception", import->exception}}));
    // What only fixes a part is no advice about a framework.
    const Remedy* const fix = item.result == Fail ? answer->first_fix() : nullptr;
    if (fix != nullptr && fix->verdict != RemedyVerdict::Partly && fix->foreign.empty())
      framework.commands = fix->commands;
    judge_families(found, map, framework, item);
    return true;
  }

  /// Its library, or the import of its module where that opens others first.
  [[nodiscard]] Result<Answer> ask_about(const FoundFramework& found) const {
    World world(machine_.settings);
    const std::size_t lib = found.site.rfind("/lib/python3");
    if (found.row->load == FrameworkLoad::ByImport && lib != std::string::npos) {
      ProcessSettings process;
      process.asked_as = AskedAs::Import;
      process.python = found.site.substr(0, lib);
      Result<Answer> answer = ask(
          world, {.file = std::string(found.row->name), .process = std::move(process), .attempts = Attempts::Record});
      if (answer && answer->run() != nullptr) return answer;
    }
    // Without its interpreter the file alone is judged.
    return ask(world, {.file = found.library, .attempts = Attempts::Record});
  }

  /// Those of one family that a release of CUDA has: "libcufft.so.11"; empty: none is known.
  [[nodiscard]] std::string soname_of(std::string_view family, std::uint32_t cuda) const {
    std::string name;
    for (const CudaLibraryName& known : machine_.contracts().libraries) {
      const bool is_of_it = known.from.major_number() <= cuda && cuda <= known.to.major_number();
      if (is_of_it && library_family(known.soname) == family) name = known.soname;  // the newest
    }
    if (!name.empty()) return name;
    if (family == "libcudnn") return cuda < 12 ? "libcudnn.so.8" : "libcudnn.so.9";
    return family == "libnccl" ? "libnccl.so.2" : std::string();
  }

  /// CUDA libraries that it opens by name: in the wheels of NVIDIA beside it, or where the loader finds them.
  void judge_families(const FoundFramework& found, const LinkMap& map, DoctorFramework& framework, DoctorItem& item) {
    if (found.row->families.empty() || framework.cuda.empty()) return;
    const std::uint32_t major = framework.cuda.major_number();
    LoneSearcher searcher(map);
    Missed missed;
    std::uint64_t count = 0;
    for (const std::string_view family : words_in(found.row->families)) {
      const std::string name = soname_of(family, major);
      if (name.empty()) continue;
      ++count;
      const std::string folder = folder_in_wheels(found.site, name);
      if (!folder.empty() && finds_wheels(found)) continue;
      if (is_found(searcher.search(map.subject_root(), name, PastFirst::Stop).outcome)) continue;
      missed.names.push_back(name);
      if (folder.empty())
        missed.absent.push_back(name);
      else if (std::find(missed.folders.begin(), missed.folders.end(), folder) == missed.folders.end())
        missed.folders.push_back(folder);
    }
    if (missed.names.empty()) return;
    const Statement text =
        say("opens-of-all",
            {{"found", count - missed.names.size()}, {"count", count}, {"libraries", NameList{missed.names, 0}}});
    note_problem(check_, ProblemCode::DlopenMissing);
    // The first one is of this release of CUDA alone; the names of others are those of several.
    const std::string first = soname_of(words_in(found.row->families).front(), major);
    item.result = worse(item.result, missed.names.front() == first ? Fail : Warn);
    item.proof.push_back(text);
    if (framework.problem.empty()) framework.problem = text;
    if (framework.commands.empty()) framework.commands = commands_for(found, map, std::move(missed), major);
  }

  /// CUDA libraries that a framework opens by name and does not get.
  struct Missed {
    std::vector<std::string> names;
    std::vector<std::string> absent;   ///< those in no wheel here
    std::vector<std::string> folders;  ///< of the wheels that have the others, where the loader does not look
  };

  [[nodiscard]] std::vector<CommandText> commands_for(const FoundFramework& found, const LinkMap& map, Missed missed,
                                                      std::uint32_t major) const {
    std::vector<CommandText> commands;
    CommandText install = pip_install(map);
    if (!found.row->extra.empty()) {
      std::string extra(found.row->extra);
      extra.replace(extra.find("{major}"), 7, std::to_string(major));
      commands.push_back(install + shell_word(extra + (found.version.empty() ? "" : "==" + found.version)));
      return commands;
    }
    std::vector<std::string> wheels;
    for (const std::string& name : missed.absent) {
      const std::string wheel = wheel_of(name, major);
      if (wheel.empty() || std::find(wheels.begin(), wheels.end(), wheel) != wheels.end()) continue;
      install += (wheels.empty() ? CommandText() : " ") + shell_word(wheel);
      const std::optional<WheelFolder> folder = folder_of_wheel(wheel);
      if (folder && !finds_wheels(found)) missed.folders.push_back(found.site + "/" + folder->path);
      wheels.push_back(wheel);
    }
    if (!wheels.empty()) commands.push_back(std::move(install));
    if (missed.folders.empty()) return commands;
    CommandText search = "export LD_LIBRARY_PATH=";
    for (const std::string& folder : missed.folders)
      search += (&folder == &missed.folders.front() ? CommandText() : ":") + shell_path(folder);
    commands.push_back(search + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
    return commands;
  }

  /// The wheel that has it, that of this release of CUDA before others; empty: none is known.
  static std::string wheel_of(const std::string& name, std::uint32_t major) {
    const std::optional<WhatBrings> brings = what_brings(name);
    const std::string suffix = "-cu" + std::to_string(major);
    std::string wheel;
    for (const std::string& one : brings ? brings->wheels : std::vector<std::string>()) {
      const bool is_better =
          wheel.empty() || (one.find(suffix) != std::string::npos && wheel.find(suffix) == std::string::npos);
      if (is_better) wheel = one;
    }
    return wheel;
  }

  /// Does this release look into the wheels of NVIDIA by itself?
  static bool finds_wheels(const FoundFramework& found) {
    const auto since = leading_version(found.row->wheels_since);
    const auto version = leading_version(found.version);
    return !since || !version || *version >= *since;
  }

  /// The folder of the wheel in `site` that has it; empty: none has.
  [[nodiscard]] std::string folder_in_wheels(const std::string& site, const std::string& name) const {
    const auto parts = machine_.files->list_directory(site + "/nvidia");
    for (const std::string& part : parts ? *parts : std::vector<std::string>()) {
      std::string folder = site + "/nvidia/" + part + "/lib";
      if (machine_.files->status(folder + "/" + name)) return folder;
    }
    return {};
  }

  /// A library that it opens by a name among its strings, when CUDA is used first.
  void judge_opened(const FoundFramework& found, const Dlopens& named, DoctorFramework& framework, DoctorItem& item) {
    for (const Dlopen& dlopen : named.list) {
      const std::string& name = dlopen.shown().name;
      if (dlopen.is_found || library_family(name) != found.row->opens) continue;
      const Statement text = say("opened-at-first-use", {{"library", name}});
      note_problem(check_, ProblemCode::DlopenMissing);
      item.result = worse(item.result, Warn);
      item.proof.push_back(text);
      if (framework.problem.empty()) framework.problem = text;
      // No RPATH leads to the wheels of NVIDIA, so it takes both: the wheel and the search.
      const std::string folder = found.site + (name.ends_with(".so.13") ? "/nvidia/cu13/lib" : "/nvidia/cublas/lib");
      const std::optional<WhatBrings> package = what_brings(name);
      if (package && !package->commands.empty() && !machine_.files->status(folder + "/" + name))
        framework.commands.push_back(package->commands.front());
      framework.commands.push_back("export LD_LIBRARY_PATH=" + shell_word(folder) +
                                   "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
    }
  }

  /// torch has builds for other drivers and chips; which of them runs here is known.
  void offer_other_build(const FoundFramework& found, DoctorFramework& framework) const {
    if (found.row->name != "torch") return;
    const std::string backend = machine_.torch_backend();
    if (backend == "cpu") return;
    framework.commands = {"pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/" +
                          shell_word(backend)};
  }

  /// The chips that it has code for, "sm_90", and PTX, "compute_90".
  void read_chips(const FoundFramework& found, DoctorFramework& framework) {
    const auto file = machine_.files->open(found.code);
    if (found.code.empty() || !file) return;
    Result<GpuCode> code = read_gpu_code(**file, found.code);
    if (!code || code->entries == 0) return;
    for (const GpuTargetSum& sum : code->targets) {
      const std::string chip = name_of(sum.target);
      const bool is_known = std::find(framework.chips.begin(), framework.chips.end(), chip) != framework.chips.end();
      const bool is_code = sum.target.kind == kGpuCubin || sum.target.kind == kGpuPtx;
      if (is_code && !is_known) framework.chips.push_back(chip);
    }
    code_ = std::move(code).value();
  }

  /// What a driver that is too old answers, whichever runtime is loaded: some are linked statically.
  void judge_driver(const DottedVersion& release, DoctorFramework& framework, DoctorItem& item) {
    const RuntimeVerdict verdict =
        judge_runtime(machine_.contracts(), release, machine_.driver_version(), machine_.driver_cuda());
    if (verdict.fit != RuntimeFit::Refused) return;
    note_problem(check_, ProblemCode::DriverTooOld);
    item.result = Fail;
    framework.is_driver_too_old = true;
    const Statement text = say("driver-too-old-for", {{"driver", machine_.driver_version().text},
                                                      {"known", machine_.driver_cuda().text},
                                                      {"framework", framework.title},
                                                      {"needed", framework.driver.text}});
    item.proof.push_back(text);
    framework.problem = text;
  }

  void judge_problems(const Diagnosis& diagnosis, DoctorFramework& framework, DoctorItem& item) const {
    for (const Problem& problem : diagnosis.problems) {
      const Severity severity = severity_of(problem.code);
      const bool is_fatal = severity == Severity::Fatal;
      // What follows from the driver is reported by its own check; what may surprise is for `why`.
      const bool matters = is_fatal || problem.code == ProblemCode::MixedBuild ||
                           problem.code == ProblemCode::FrameworkBuild || problem.code == ProblemCode::DriverTooOld ||
                           problem.code == ProblemCode::TwoCopies || problem.code == ProblemCode::DlopenMissing ||
                           problem.code == ProblemCode::StubLibrary;
      if (!matters) continue;
      note_problem(check_, problem.code);
      const DoctorResult result = is_fatal || problem.code == ProblemCode::DriverTooOld ? Fail : Warn;
      const bool is_first = framework.problem.empty() || (result == Fail && item.result != Fail);
      if (is_first) framework.problem = problem.what;
      item.result = worse(item.result, result);
      item.proof.push_back(say("problem-of-code", {{"code", code_of(problem.code)}, {"problem", problem.what}}));
      if (!problem.dlerror_says.empty() && is_fatal)
        item.proof.push_back(say("import-error", {{"text", problem.dlerror_says}}));
      for (const Evidence& each : problem.evidence) item.proof.push_back(say("indented", {{"text", each.what}}));
    }
    if (const Dlopen* missing = first_missing_dlopen(diagnosis.dlopens)) {
      item.proof.push_back(say("loads-all-the-same", {{"library", missing->shown().name}}));
    }
  }

  /// Has the library code for the GPUs here, and can the driver compile what is only PTX?
  void judge_code(DoctorFramework& framework, DoctorItem& item) const {
    if (framework.chips.empty()) return;
    for (const ShownGpu& gpu : machine_.gpus) {
      if (!gpu.device) continue;
      const GpuVerdict verdict = judge_gpu_code(machine_.options.contracts, code_, *gpu.device);
      const auto needed = parse_dotted(verdict.needs_driver_of_cuda);
      const DottedVersion driver = machine_.driver_cuda();
      if (!verdict.runs()) {
        fail(framework, item,
             say("no-code-runs", {{"gpu", gpu.name}, {"capability", gpu.device->capability.to_string()}}));
      } else if (verdict.native == 0 && needed && !driver.empty() && driver < *needed) {
        fail(framework, item,
             say("ptx-needs-newer-driver", {{"gpu", gpu.name}, {"needed", needed->text}, {"known", driver.text}}));
      } else if (verdict.native == 0) {
        item.result = worse(item.result, Warn);
        item.proof.push_back(say("ptx-compiled-at-start", {{"gpu", gpu.name}}));
      }
    }
  }

  static void fail(DoctorFramework& framework, DoctorItem& item, Statement problem) {
    item.result = Fail;
    if (framework.problem.empty()) framework.problem = problem;
    item.proof.push_back(std::move(problem));
  }

  const Machine& machine_;
  DoctorCheck& check_;
  GpuCode code_;  ///< of the framework that is judged
};

}  // namespace

DoctorCheck check_frameworks(const Machine& machine, Inventory& inventory) {
  DoctorCheck check;
  check.why = say("why-frameworks");
  FrameworkCheck frameworks(machine, check);
  for (const std::string& site : inventory.sites()) {
    for (const FoundFramework& found : find_frameworks(machine, site)) frameworks.judge(found);
    frameworks.judge_companions(site);
  }
  check.seen = check.items.empty() ? say("environments-none", {{"count", inventory.sites().size()}})
                                   : say("environments-findings",
                                         {{"count", inventory.sites().size()}, {"found", check.frameworks.size()}});
  if (check.items.empty()) check.result = Skip;
  return check;
}

}  // namespace soresolve
