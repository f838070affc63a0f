// soresolve doctor: the machine as CUDA programs find it.
#include "cuda/contracts.h"
#include "input.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

Output answer_of(DoctorReport report, const WorldOptions& options) {
  const auto facts = std::make_shared<const DoctorReport>(std::move(report));
  return {facts->is_healthy() ? Exit::Good : Exit::Problem, document_of(*facts, detail_of(options)),
          document_of(*facts), facts};
}

}  // namespace

Result<Output> doctor_answer(const WorldOptions& options) {
  DoctorOptions doctor;
  doctor.environment = environment_of(options);
  doctor.contracts = built_in_contracts();
  Result<DoctorReport> report = examine_machine(settings_here(options), doctor);
  if (!report) return Unexpected{std::move(report).error()};
  return answer_of(*std::move(report), options);
}

namespace {

class DoctorInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  WorldOptions options_;
  DoctorOptions doctor_;
  GpuContracts contracts_;  ///< with those of --facts
  std::string facts_;
  std::string print_;
};

OptionList DoctorInvocation::options() {
  OptionList list = {
      {.names = {"--only"}, .value = "NAME", .into = &doctor_.only},
      {.names = {"--search"}, .value = "DIR", .into = &doctor_.search},
      {.names = {"--print"}, .value = "WHAT", .into = &print_, .choices = {"torch-backend"}},
      {.names = {"--facts"}, .value = "FILE", .into = own_file(facts_)},
  };
  list.push_back(language_option(options_.language));
  list.push_back(html_option(options_));
  append(list, driver_options(options_));
  append(list, place_options(options_));
  return list;
}

Exit DoctorInvocation::run() {
  doctor_.environment = environment_of(options_);
  if (!facts_.empty()) {
    // The user's own file, whatever is analysed.
    Result<GpuContracts> merged = read_contracts_file(*host_file_system(), facts_, facts_, doctor_.contracts);
    if (!merged) return report_error(merged.error());
    contracts_ = std::move(merged).value();
    doctor_.contracts = contracts_;
  }
  WorldHere world(options_);
  for (std::string& directory : doctor_.search) {
    Result<std::string> path = world.absolute(directory);
    if (!path) return report_error(path.error());
    directory = std::move(path).value();
  }
  if (!print_.empty()) doctor_.only = {"platform"};  // the word depends on no check
  Result<DoctorReport> report = examine_machine(settings_here(options_), doctor_);
  if (!report) return report_error(report.error());
  if (!print_.empty()) {
    write_out(Text::escaped(report->torch_backend) + "\n");
    return Exit::Good;
  }
  return print(answer_of(*std::move(report), options_), options_, "soresolve doctor").exit;
}

}  // namespace

const Subcommand kDoctor = {"doctor", invoke<DoctorInvocation>};

}  // namespace soresolve::tool
