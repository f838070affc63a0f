// The driver's library, and what the environment does to it.
#include <algorithm>

#include "cuda/contracts.h"
#include "cuda/driver.h"
#include "doctor/checks.h"

#include "base/path.h"

namespace soresolve {
namespace {

using enum DoctorResult;

/// Places of drivers outside the loader's search, by platform.
std::vector<std::string> other_places(const Machine& machine) {
  std::vector<std::string> found;
  for (const std::string_view directory :
       {"/usr/lib/wsl/lib", "/run/opengl-driver/lib", "/usr/lib/aarch64-linux-gnu/nvidia",
        "/usr/lib/aarch64-linux-gnu/tegra", "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/local/nvidia/lib64",
        "/usr/lib/nvidia", "/usr/lib64/nvidia"}) {
    const std::string path = std::string(directory) + "/libcuda.so.1";
    if (machine.files->status(path)) found.push_back(path);
  }
  return found;
}

void advise_on_missing_driver(const Machine& machine, DoctorCheck& check) {
  for (const std::string& path : other_places(machine)) {
    const std::string directory(directory_of(path));
    const std::string setting = "LD_LIBRARY_PATH=" + directory;
    const bool is_right = machine.find("libcuda.so.1", {setting}) == path;
    check.items.push_back({Warn, say("driver-out-of-search", {{"path", path}}), {}});
    check.advice.push_back(
        {say("let-search-reach-it"),
         {"export LD_LIBRARY_PATH=" + shell_word(directory) + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"},
         is_right,
         is_right ? say("with-it-is", {{"library", "libcuda.so.1"}, {"path", path}}) : say("something-else-found")});
  }
  if (!check.advice.empty()) return;
  if (machine.platform == PlatformKind::Container) {
    check.advice.push_back({say("give-container-driver"), {"docker run --gpus all …"}, false, say("hosts-to-do")});
  } else {
    check.advice.push_back({say("install-driver"), {}, false, say("depends-on-distribution")});
  }
}

void judge_compat(const Machine& machine, DoctorCheck& check) {
  const DottedVersion module = machine.module ? machine.module->version : DottedVersion{};
  const DriverLibrary& driver = *machine.driver;
  note_problem(check, ProblemCode::ForwardCompat);
  switch (judge_forward_compatibility(driver, module, machine.contracts())) {
    case CompatFit::Accepted: add_item(check, Warn, say("compat-for-this-host")); break;
    case CompatFit::Needless: add_item(check, Warn, say("compat-not-needed")); break;
    case CompatFit::Refused: add_item(check, Fail, say("compat-refuses-host")); break;
    case CompatFit::Unknown: add_item(check, Warn, say("compat-host-unknown")); break;
  }
}

}  // namespace

DoctorCheck check_driver(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = say("why-driver");
  if (machine.system == nullptr) {
    check.result = Skip;
    check.seen = say("no-loader-to-search");
    return check;
  }
  if (!machine.driver) {
    check.result = Fail;
    check.seen = say("driver-nowhere");
    note_problem(check, ProblemCode::DriverMissing);
    advise_on_missing_driver(machine, check);
    return check;
  }
  const DriverLibrary& driver = *machine.driver;
  if (driver.stub) {
    check.result = Fail;
    check.seen = say("driver-is-stub", {{"path", machine.driver_path}});
    check.items.push_back({Fail, *driver.stub, {}});
    note_problem(check, ProblemCode::StubLibrary);
    check.advice.push_back({say("take-stubs-off"), {}, false, {}});
    return check;
  }
  Statement cuda;
  if (!driver.cuda.empty()) {
    cuda = say("knows-cuda", {{"version", driver.cuda.text}});
    add_item(check, Pass, say("driver-answers-cuda", {{"version", driver.cuda.text}}), {driver.cuda_proof});
  }
  const Statement version =
      driver.version.empty() ? say("driver-version-untold") : say("driver-version", {{"version", driver.version.text}});
  check.seen = say("driver-seen", {{"path", machine.driver_path}, {"version", version}, {"cuda", cuda}});
  const bool is_compat = driver.is_in_compat_folder || driver.compatibility;
  if (is_compat) judge_compat(machine, check);
  if (!is_compat && machine.module && !driver.version.empty() && !(driver.version == machine.module->version)) {
    add_item(check, Fail, say("module-of-other-version", {{"version", machine.module->version.text}}),
             {words_of_others(machine.module->path)});
    note_problem(check, ProblemCode::DriverMismatch);
    check.advice.push_back({say("restart-after-update"), {}, false, say("takes-running-kernel")});
  }
  const std::string management = machine.find_real("libnvidia-ml.so.1");
  const bool is_other = !management.empty() && !driver.version.empty() &&
                        management.find(".so." + driver.version.text) == std::string::npos;
  if (is_other) {
    add_item(check, Warn, say("management-of-other-driver", {{"path", management}}));
  }
  return check;
}

DoctorCheck check_environment(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = say("why-environment");
  const Environment& environment = machine.options.environment;
  const auto visible = environment.value("CUDA_VISIBLE_DEVICES");
  if (visible && (visible->empty() || *visible == "-1" || *visible == "NoDevFiles")) {
    add_item(check, Fail, say("hides-every-gpu", {{"value", *visible}}));
    check.advice.push_back({say("let-programs-see"), {"unset CUDA_VISIBLE_DEVICES"}, false, say("takes-gpu-to-see")});
  } else if (visible) {
    add_item(check, Pass, say("restricts-gpus", {{"value", *visible}}));
  }
  const auto injected = environment.value("NVIDIA_VISIBLE_DEVICES");
  if (injected && (injected->empty() || *injected == "void" || *injected == "none")) {
    add_item(check, machine.platform == PlatformKind::Container ? Fail : Warn,
             say("brings-no-gpu-in", {{"value", *injected}}));
  }
  const auto capabilities = environment.value("NVIDIA_DRIVER_CAPABILITIES");
  const bool lacks_compute =
      capabilities && !capabilities->empty() && capabilities->find("compute") == std::string_view::npos &&
      capabilities->find("video") == std::string_view::npos && *capabilities != "all";  // video brings compute in
  if (lacks_compute) {
    add_item(check, Fail, say("without-compute", {{"value", *capabilities}}));
    check.advice.push_back({say("ask-for-compute"),
                            {"docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility …"},
                            false,
                            say("hosts-to-do")});
  }
  const bool lacks_utility = capabilities && !capabilities->empty() && *capabilities != "all" &&
                             capabilities->find("utility") == std::string_view::npos;
  if (lacks_utility) add_item(check, Warn, say("without-utility", {{"value", *capabilities}}));
  if (const auto preload = environment.value("LD_PRELOAD"); preload && !preload->empty()) {
    add_item(check, Warn, say("preload-everywhere", {{"value", *preload}}));
    note_problem(check, ProblemCode::PreloadInEffect);
  }
  check.seen = check.items.empty() ? say("nothing-hides-gpu") : say("variables-count", {{"count", check.items.size()}});
  return check;
}

}  // namespace soresolve
