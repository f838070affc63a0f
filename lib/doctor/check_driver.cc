// The driver's library, and what the environment does to it.
#include <algorithm>

#include "cuda/contracts.h"
#include "cuda/driver.h"
#include "doctor/checks.h"

#include "base/path.h"
#include "loader/system.h"
#include "packages/host_driver.h"
#include "packages/package_owner.h"

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

/// To be typed as root, below the root where there is one; empty: that is an image, in which nothing can be typed.
CommandText as_root(const Machine& machine, const CommandText& command) {
  const TreeSettings& where = machine.settings.where;
  if (where.root.empty()) return "sudo " + command;
  const bool is_directory = where.place == nullptr || where.place->kind == PlaceKind::Directory;
  return is_directory ? "sudo chroot " + shell_path(where.root) + " " + command : CommandText();
}

/// Files of a driver that have no bytes, in the directories that are searched: in an image that was built where the
/// NVIDIA runtime was the default, they are what is left of its mounts.
std::vector<std::string> empty_driver_files(const Machine& machine) {
  std::vector<std::string> directories = machine.system->rules.system_dirs;
  directories.insert(directories.end(), {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"});
  std::vector<std::string> found;
  std::vector<FileId> seen;
  for (const std::string& directory : directories) {
    const Result<std::vector<std::string>, Errno> names = machine.files->list_directory(directory);
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (!is_of_driver(name)) continue;
      std::string path = path_in(directory, name);
      const Result<FileStatus, Errno> status = machine.files->status(path);
      const bool is_empty = status && status->kind == FileKind::Regular && status->size_bytes == 0;
      if (!is_empty || std::find(seen.begin(), seen.end(), status->id) != seen.end()) continue;
      seen.push_back(status->id);
      found.push_back(std::move(path));
    }
  }
  return found;
}

/// Is the driver missing because its files here are empty?
bool is_emptied(const Machine& machine, DoctorCheck& check) {
  const std::vector<std::string> files = empty_driver_files(machine);
  const auto driver = std::find_if(
      files.begin(), files.end(), [](const std::string& path) { return file_name_of(path).starts_with("libcuda.so"); });
  if (driver == files.end()) return false;
  check.seen = say("driver-file-empty", {{"file", *driver}});
  check.items.push_back({Fail, say("driver-file-empty", {{"file", *driver}}), as_statements(files)});
  CommandText removes("rm");
  for (const std::string& path : files) removes += " " + shell_path(path);
  DoctorAdvice advice{say("delete-empty-files"), {}, false, say("takes-root")};
  if (CommandText command = as_root(machine, removes); !command.empty()) advice.commands.push_back(std::move(command));
  check.advice.push_back(std::move(advice));
  return true;
}

/// In WSL only the library of Windows' driver reaches the GPU: a package of the distribution that has one before it is
/// to go (NVIDIA's "CUDA on WSL User Guide").
void judge_wsl(const Machine& machine, DoctorCheck& check) {
  constexpr std::string_view kOfWindows = "/usr/lib/wsl/";
  const std::string right = std::string(kOfWindows) + "lib/libcuda.so.1";
  if (machine.platform != PlatformKind::Wsl || !machine.files->status(right)) return;
  const std::string real = machine.find_real("libcuda.so.1");
  const Result<std::string, Errno> real_right = machine.files->real_path(right);
  if (real.starts_with(kOfWindows) || (real_right && real == *real_right)) return;
  const std::optional<PackageOwner> owner = PackageOwners(machine.files).owner_of(machine.driver_path);
  const Statement of_package = owner ? say("of-package", {{"package", full_name_of(*owner)}}) : Statement();
  add_item(check, Fail,
           say("driver-hides-windows", {{"path", machine.driver_path}, {"package", of_package}, {"right", right}}));
  CommandText removes;
  if (owner && owner->by == PackageRecord::Dpkg) removes = "apt-get remove " + shell_word(owner->name);
  if (owner && owner->by == PackageRecord::Rpm) removes = "dnf remove " + shell_word(owner->name);
  DoctorAdvice advice{say("remove-linux-driver"), {}, false, say("takes-root")};
  CommandText command = removes.empty() ? CommandText() : as_root(machine, removes);
  if (!command.empty()) advice.commands.push_back(std::move(command));
  check.advice.push_back(std::move(advice));
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
    if (is_emptied(machine, check)) return check;
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
  judge_wsl(machine, check);
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
