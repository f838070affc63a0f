// Sources of the signs: systemd's detect-virt (containers), Microsoft's WSL documentation (/dev/dxg,
// /usr/lib/wsl), NVIDIA's Jetson Linux (/etc/nv_tegra_release), NixOS manual (/run/opengl-driver).
#include "doctor/machine.h"

#include <algorithm>

#include "base/small_file.h"
#include "cuda/contracts.h"
#include "cuda/driver.h"
#include "doctor/torch_backend.h"
#include "loader/process.h"
#include "loader/system.h"

namespace soresolve {
namespace {

constexpr std::uint64_t kMaxTextBytes = 64 << 10;
constexpr const char* kDriverName = "libcuda.so.1";

bool exists(const FileSystem& files, std::string_view path) { return files.status(path).has_value(); }

bool has_text(const FileSystem& files, std::string_view path, std::initializer_list<std::string_view> words) {
  const std::optional<std::string> text = read_small_file(files, path, kMaxTextBytes);
  return text && std::any_of(words.begin(), words.end(),
                             [&](std::string_view word) { return text->find(word) != std::string::npos; });
}

void recognise_platform(Machine& machine) {
  const FileSystem& files = *machine.files;
  const auto is = [&](PlatformKind kind, std::string sign) {
    machine.platform = kind;
    machine.platform_sign = std::move(sign);
  };
  if (exists(files, "/dev/dxg")) return is(PlatformKind::Wsl, "/dev/dxg is there");
  if (has_text(files, "/proc/sys/kernel/osrelease", {"microsoft", "Microsoft"})) {
    return is(PlatformKind::Wsl, "the kernel's release names Microsoft");
  }
  if (exists(files, "/etc/nv_tegra_release")) return is(PlatformKind::Jetson, "/etc/nv_tegra_release is there");
  if (exists(files, "/.dockerenv")) return is(PlatformKind::Container, "/.dockerenv is there");
  if (exists(files, "/run/.containerenv")) return is(PlatformKind::Container, "/run/.containerenv is there");
  if (machine.options.environment.value("container"))
    return is(PlatformKind::Container, "the variable container is set");
  if (has_text(files, "/proc/1/cgroup", {"docker", "kubepods", "containerd", "lxc"})) {
    return is(PlatformKind::Container, "/proc/1/cgroup names a container");
  }
  if (exists(files, "/etc/NIXOS")) return is(PlatformKind::NixOs, "/etc/NIXOS is there");
}

bool is_node(std::string_view name) {
  constexpr std::string_view kTegra[] = {"nvhost-gpu", "nvmap", "nvgpu"};
  return name.starts_with("nvidia") || name == "dxg" ||
         std::find(std::begin(kTegra), std::end(kTegra), name) != std::end(kTegra);
}

void list_nodes(Machine& machine) {
  const auto names = machine.files->list_directory("/dev");
  machine.has_dev = names && !names->empty();
  if (!names) return;
  std::copy_if(names->begin(), names->end(), std::back_inserter(machine.nodes), is_node);
}

void list_gpus(Machine& machine) {
  const Result<std::vector<std::string>> names = list_devices(*machine.files);
  if (!names) return;
  for (const std::string& name : *names) {
    Result<GpuDevice> device = find_device(machine.options.contracts, name);
    machine.gpus.push_back({name, device ? std::optional(std::move(device).value()) : std::nullopt});
  }
}

}  // namespace

DottedVersion Machine::driver_version() const {
  if (driver && !driver->version.empty()) return driver->version;
  return module ? module->version : DottedVersion{};
}

DottedVersion Machine::driver_cuda() const {
  if (driver && !driver->cuda.empty()) return driver->cuda;
  const DriverBranch* const branch = driver_version().empty() ? nullptr : find_branch(contracts(), driver_version());
  return branch == nullptr ? DottedVersion{} : branch->cuda;
}

bool Machine::has_driver() const { return driver && !driver->stub; }

std::string Machine::torch_backend() const {
  if (platform == PlatformKind::Jetson || !has_driver()) return "cpu";
  std::vector<ComputeCapability> chips;
  for (const ShownGpu& gpu : gpus) {
    if (gpu.device) chips.push_back(gpu.device->capability);
  }
  return find_torch_backend(options.contracts, driver_version(), driver_cuda(), chips);
}

std::string Machine::find(const std::string& name, const std::vector<std::string>& env) const {
  if (system == nullptr) return {};
  WorldSettings changed = settings;
  changed.process = {.opened_by = OpenedBy::None};
  std::vector<std::string>& entries = settings.start.inherits() ? changed.start.inherited : changed.start.env;
  entries.insert(entries.end(), env.begin(), env.end());
  World world(changed);
  const Result<OpenedLibrary> library = world.open_library(name, BareName::Library);
  return library ? absolute_path(library->path, cwd) : std::string();
}

std::string Machine::find_real(const std::string& name, const std::vector<std::string>& env) const {
  const std::string path = find(name, env);
  const Result<std::string, Errno> real = path.empty() ? Result<std::string, Errno>(path) : files->real_path(path);
  return real ? *real : std::string();
}

Result<Machine> read_machine(const WorldSettings& settings, const DoctorOptions& options) {
  Machine machine{options, settings, {}, {}, {}, {}, PlatformKind::Plain, {}, {}, false, {}, {}, {}, {}};
  World world(settings);
  Result<std::shared_ptr<const FileSystem>> files = world.files();
  if (!files) return Unexpected{files.error()};
  machine.files = *files;
  machine.cwd = world.cwd();
  if (Result<std::shared_ptr<const System>> system = world.system())
    machine.system = std::move(system).value();
  else
    machine.loader_problem = system.error().to_string();
  recognise_platform(machine);
  list_nodes(machine);
  machine.module = read_kernel_module(*machine.files);
  list_gpus(machine);
  if (machine.system != nullptr) machine.driver_path = machine.find(kDriverName);
  if (!machine.driver_path.empty()) {
    machine.driver = read_driver_library(*machine.files, machine.driver_path, machine.contracts(), Certainty::OwnText);
  }
  return machine;
}

std::vector<std::string> library_path_of(const Environment& environment) {
  std::vector<std::string> elements;
  const auto value = environment.value("LD_LIBRARY_PATH");
  if (!value || value->empty()) return elements;
  std::string_view rest = *value;
  while (true) {
    const std::size_t end = rest.find_first_of(":;");
    elements.emplace_back(rest.substr(0, end));
    if (end == std::string_view::npos) return elements;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace soresolve
