// soresolve doctor: the machine as CUDA programs find it.
#include <CLI/CLI.hpp>

#include "command.h"
#include "soresolve/report_doctor.h"

extern char** environ;

namespace soresolve::tool {
namespace {

/// The whole environment that is asked about: what is given, or one's own, but not that of another root.
Environment environment_of(const WorldOptions& options) {
  Environment environment;
  const bool is_own = options.env.empty() && !options.clean_env && options.root.empty();
  for (char** entry = environ; is_own && *entry != nullptr; ++entry) environment.add(*entry);
  for (const std::string& entry : options.env) environment.add(entry);
  return environment;
}

}  // namespace

Exit run_doctor(int argc, char** argv) {
  WorldOptions options;
  DoctorOptions doctor;
  std::string facts;
  CLI::App app(
      "The machine, in the order in which things depend on each other: device nodes, kernel module, driver, toolkits, "
      "CUDA "
      "runtimes and which to take, cuDNN, frameworks of Python. Nothing is loaded or executed.",
      "doctor");
  app.add_option("--only", doctor.only, "this check only; repeatable")->type_name("NAME")->allow_extra_args(false);
  app.add_option("--search", doctor.search, "a further Python environment, toolkit or directory of such; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--facts", facts, "rows that replace or extend what is known of CUDA (form: lib/cuda/contracts.json)")
      ->type_name("FILE");
  add_place_options(app, options);
  add_examples(app, {
                        {"soresolve doctor", "Everything, in order."},
                        {"soresolve doctor --only runtimes --only driver",
                         "Which CUDA runtime to take with this driver, and how."},
                        {"soresolve doctor --root /srv/image --search /opt/venv", "An image before it ships."},
                    });
  if (const auto exit = parse_arguments(app, argc, argv)) return *exit;
  doctor.environment = environment_of(options);
  doctor.contracts = built_in_contracts();
  if (!facts.empty()) {
    // The user's own file, whatever is analysed.
    Result<GpuContracts> merged = read_contracts_file(*host_file_system(), facts, facts, doctor.contracts);
    if (!merged) return report_error(merged.error());
    doctor.contracts = std::move(merged).value();
  }
  WorldHere world(options);
  for (std::string& directory : doctor.search) {
    Result<std::string> path = world.absolute(directory);
    if (!path) return report_error(path.error());
    directory = std::move(path).value();
  }
  const Result<DoctorReport> report = examine_machine(settings_here(options), doctor);
  if (!report) return report_error(report.error());
  const Colour colour = wants_colour(options) ? Colour::Always : Colour::Never;
  write_out(options.json ? doctor_json(*report)
                         : doctor_text(*report, colour, options.verbose ? Detail::Full : Detail::Folded));
  return report->is_healthy() ? Exit::Good : Exit::Problem;
}

}  // namespace soresolve::tool
