// The driver's library, and what the environment does to it.
#include <algorithm>

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

void advise_on_lost_driver(const Machine& machine, DoctorCheck& check) {
  for (const std::string& path : other_places(machine)) {
    const std::string directory(directory_of(path));
    const std::string setting = "LD_LIBRARY_PATH=" + directory;
    const bool is_right = machine.find("libcuda.so.1", {setting}) == path;
    check.items.push_back({Warn, path + " is there, and no search leads to it", {}});
    check.advice.push_back(
        {"let the search reach it",
         {"export " + setting + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"},
         is_right,
         is_right ? "with it libcuda.so.1 is " + path : "it was tried, and something else is found"});
  }
  if (!check.advice.empty()) return;
  if (machine.platform == PlatformKind::Container) {
    check.advice.push_back({"start the container with access to the GPU, which brings the driver's libraries in",
                            {"docker run --gpus all …"},
                            false,
                            "that is the host's to do"});
  } else {
    check.advice.push_back({"install the driver: libcuda.so.1 is part of it, never of a toolkit, a wheel or conda",
                            {},
                            false,
                            "it depends on the distribution"});
  }
}

void judge_compat(const Machine& machine, DoctorCheck& check) {
  const DottedVersion module = machine.module ? machine.module->version : DottedVersion{};
  const DriverLibrary& driver = *machine.driver;
  switch (judge_forward_compatibility(driver, module, machine.contracts())) {
    case CompatFit::Accepted:
      add_item(
          check, Warn,
          "it is a forward-compatible library (cuda-compat), made for this host: on boards of data centres; others "
          "give error 804");
      break;
    case CompatFit::Needless:
      add_item(
          check, Warn,
          "it is a forward-compatible library (cuda-compat), and the host's driver knows as much: not needed, and on "
          "boards other "
          "than those of data centres it gives error 804");
      break;
    case CompatFit::Refused:
      add_item(check, Fail,
               "it is a forward-compatible library (cuda-compat) that does not accept this host: error 803");
      break;
    case CompatFit::Unknown:
      add_item(check, Warn,
               "it is a forward-compatible library (cuda-compat); whether the host suits it cannot be told");
      break;
  }
}

}  // namespace

DoctorCheck check_driver(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = "every CUDA runtime opens libcuda.so.1 by this name; what the loader finds then is the driver";
  if (machine.system == nullptr) {
    check.result = Skip;
    check.seen = "no loader is here, so nothing can be searched";
    return check;
  }
  if (!machine.driver) {
    check.result = Fail;
    check.seen =
        "libcuda.so.1 is nowhere in a plain program's search: CUDA calls fail with error 35 (driver version is "
        "insufficient)";
    advise_on_lost_driver(machine, check);
    return check;
  }
  const DriverLibrary& driver = *machine.driver;
  check.seen = machine.driver_path;
  if (driver.stub) {
    check.result = Fail;
    check.seen += " is a stub for the link editor: every call fails with error 34";
    check.items.push_back({Fail, *driver.stub, {}});
    check.advice.push_back(
        {"take the directory of stubs off the search path (LD_LIBRARY_PATH, /etc/ld.so.conf.d)", {}, false, ""});
    return check;
  }
  check.seen += driver.version.empty() ? ": its version is not in its name" : ": driver " + driver.version.text;
  if (!driver.cuda.empty()) {
    check.seen += ", knows CUDA up to " + driver.cuda.text;
    add_item(check, Pass, "CUDA " + driver.cuda.text + " is what cuDriverGetVersion answers", {driver.cuda_proof});
  }
  const bool is_compat = driver.is_in_compat_folder || driver.compatibility;
  if (is_compat) judge_compat(machine, check);
  if (!is_compat && machine.module && !driver.version.empty() && !(driver.version == machine.module->version)) {
    add_item(check, Fail,
             "the kernel module is of " + machine.module->version.text +
                 ": calls fail with error 803, NVML with a version mismatch",
             {machine.module->path});
    check.advice.push_back(
        {"after an update of the driver: restart, so that its module is loaded; else remove the library of the other "
         "version",
         {},
         false,
         "it takes the running kernel"});
  }
  const std::string management = machine.find_real("libnvidia-ml.so.1");
  const bool is_other = !management.empty() && !driver.version.empty() &&
                        management.find(".so." + driver.version.text) == std::string::npos;
  if (is_other) {
    add_item(check, Warn, management + " is of another driver than libcuda (nvidia-smi uses it)");
  }
  return check;
}

DoctorCheck check_environment(const Machine& machine, Inventory&) {
  DoctorCheck check;
  check.why = "variables can hide GPUs or the driver from programs that are otherwise in order";
  const Environment& environment = machine.options.environment;
  const auto visible = environment.value("CUDA_VISIBLE_DEVICES");
  if (visible && (visible->empty() || *visible == "-1" || *visible == "NoDevFiles")) {
    add_item(check, Fail,
             "CUDA_VISIBLE_DEVICES='" + std::string(*visible) + "' hides every GPU: error 100 (no device)");
    check.advice.push_back(
        {"let programs see the GPUs", {"unset CUDA_VISIBLE_DEVICES"}, false, "it takes a GPU to see"});
  } else if (visible) {
    add_item(check, Pass, "CUDA_VISIBLE_DEVICES=" + std::string(*visible) + " restricts what programs see");
  }
  const auto injected = environment.value("NVIDIA_VISIBLE_DEVICES");
  if (injected && (injected->empty() || *injected == "void" || *injected == "none")) {
    add_item(check, machine.platform == PlatformKind::Container ? Fail : Warn,
             "NVIDIA_VISIBLE_DEVICES='" + std::string(*injected) + "' tells the container toolkit to bring no GPU in");
  }
  const auto capabilities = environment.value("NVIDIA_DRIVER_CAPABILITIES");
  const bool lacks_compute =
      capabilities && capabilities->find("compute") == std::string_view::npos && *capabilities != "all";
  if (lacks_compute) {
    add_item(check, Fail,
             "NVIDIA_DRIVER_CAPABILITIES='" + std::string(*capabilities) +
                 "' is without compute: libcuda is not brought into the container");
    check.advice.push_back({"ask for it when the container starts",
                            {"docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility …"},
                            false,
                            "that is the host's to do"});
  }
  if (const auto preload = environment.value("LD_PRELOAD"); preload && !preload->empty()) {
    add_item(check, Warn, "LD_PRELOAD=" + std::string(*preload) + " brings objects into every program");
  }
  check.seen = check.items.empty() ? "nothing in it hides a GPU"
                                   : std::to_string(check.items.size()) +
                                         (check.items.size() == 1 ? " variable counts" : " variables count");
  return check;
}

}  // namespace soresolve
