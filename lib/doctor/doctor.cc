// Runs the checks in order, each over the same machine and inventory, and keeps what each has seen. The order is that
// of CUDA's own start: device nodes, kernel module, driver, libraries, frameworks. Nothing is executed, and what only
// running hardware shows (ECC errors, a hung GPU) is not checked.
#include "soresolve/doctor.h"

#include <algorithm>
#include <iterator>

#include "base/enum_names.h"
#include "base/pieces.h"
#include "cuda/driver_mount.h"
#include "doctor/checks.h"

namespace soresolve {
namespace {

struct NamedCheck {
  std::string_view name;
  DoctorCheck (*run)(const Machine&, Inventory&);
};
// What comes later needs what comes before.
constexpr NamedCheck kChecks[] = {
    {"platform", check_platform},
    {"device-nodes", check_device_nodes},
    {"kernel-module", check_kernel_module},
    {"gpus", check_gpus},
    {"driver", check_driver},
    {"environment", check_environment},
    {"library-path", check_library_path},
    {"cache", check_cache},
    {"toolkits", check_toolkits},
    {"runtimes", check_runtimes},
    {"cudnn", check_cudnn},
    {"frameworks", check_frameworks},
};

/// What is examined where a host's driver is named: its libraries are laid over once, and every search sees them.
struct Container {
  WorldSettings settings;
  DoctorOptions options;
  std::shared_ptr<const DriverMount> driver;
};

void set_library_path(std::vector<std::string>& entries, const std::string& value) {
  std::erase_if(entries, [](const std::string& entry) { return entry.starts_with("LD_LIBRARY_PATH="); });
  entries.push_back("LD_LIBRARY_PATH=" + value);
}

Result<Container> read_container(const WorldSettings& settings, const DoctorOptions& options) {
  Container container{settings, options, nullptr};
  if (settings.driver.driver.empty() && settings.driver.files == nullptr) return container;
  World world(settings);
  Result<std::shared_ptr<const FileSystem>> files = world.files();
  if (!files) return Unexpected{files.error()};
  container.driver = world.driver();
  container.settings.where.files = std::move(files).value();
  container.settings.driver = {};
  if (const std::optional<std::string>& path = container.driver->library_path) {
    StartSettings& start = container.settings.start;
    set_library_path(start.inherits() ? start.inherited : start.env, *path);
    std::vector<std::string> entries = options.environment.entries();
    set_library_path(entries, *path);
    container.options.environment = Environment(std::move(entries));
  }
  return container;
}

}  // namespace

std::string_view name_of(DoctorResult result) {
  using enum DoctorResult;
  static constexpr auto kNames =
      enum_names<DoctorResult>({{Pass, "pass"}, {Skip, "skip"}, {Warn, "warn"}, {Fail, "fail"}});
  return kNames[result];
}

bool DoctorReport::is_healthy() const {
  return std::none_of(checks.begin(), checks.end(),
                      [](const DoctorCheck& check) { return check.result == DoctorResult::Fail; });
}

DoctorResult worse(DoctorResult a, DoctorResult b) {
  if (a == DoctorResult::Skip) return b;
  if (b == DoctorResult::Skip) return a;
  return std::max(a, b);
}

std::vector<Statement> as_statements(const std::vector<std::string>& lines) {
  std::vector<Statement> statements;
  for (const std::string& line : lines) statements.push_back(words_of_others(line));
  return statements;
}

Statement release_of(const DottedVersion& cuda) {
  return cuda.empty() ? say("release-untold") : say("cuda-release", {{"version", cuda.text}});
}

void note_problem(DoctorCheck& check, ProblemCode code) {
  const bool is_known = std::find(check.problems.begin(), check.problems.end(), code) != check.problems.end();
  if (!is_known) check.problems.push_back(code);
}

DoctorItem& add_item(DoctorCheck& check, DoctorResult result, Statement text, std::vector<Statement> proof) {
  check.items.push_back({result, std::move(text), std::move(proof)});
  check.result = check.items.size() == 1 && check.result == DoctorResult::Pass ? result : worse(check.result, result);
  return check.items.back();
}

const std::vector<std::string_view>& doctor_check_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const NamedCheck& check : kChecks) all.push_back(check.name);
    return all;
  }();
  return names;
}

Result<DoctorReport> examine_machine(const WorldSettings& settings, const DoctorOptions& options) {
  for (const std::string& name : options.only) {
    const auto& names = doctor_check_names();
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string all = joined(names, ", ");
    return Unexpected{Error{ErrorCode::Usage, {}, {}, "there is no check '" + name + "'; there are " + all}};
  }
  const Result<Container> container = read_container(settings, options);
  if (!container) return Unexpected{container.error()};
  Result<Machine> machine = read_machine(container->settings, container->options);
  if (!machine) return Unexpected{machine.error()};
  machine->mount = container->driver;
  Inventory inventory(*machine);
  DoctorReport report;
  report.driver = machine->mount;
  for (const NamedCheck& check : kChecks) {
    const bool is_wanted =
        options.only.empty() || std::find(options.only.begin(), options.only.end(), check.name) != options.only.end();
    if (!is_wanted) continue;
    report.checks.push_back(check.run(*machine, inventory));
    report.checks.back().name = check.name;
  }
  if (!inventory.cut_short().empty() && !report.checks.empty()) {
    add_item(report.checks.back(), DoctorResult::Warn, inventory.cut_short(), {});
  }
  report.torch_backend = machine->torch_backend();
  report.verdict = decide_verdict(*machine, report);
  return report;
}

}  // namespace soresolve
