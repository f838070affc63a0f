// soresolve confirm: the CUDA libraries that were resolved, loaded and made to compute in other processes.
#include <algorithm>

#include "base/path.h"
#include "confirm_import.h"
#include "confirm_plan.h"
#include "confirm_report.h"
#include "confirm_runtimes.h"
#include "host/host.h"
#include "probe.h"
#include "python/python_environment.h"
#include "report/json_parts.h"
#include "report/page.h"
#include "report/statement_json.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

struct ConfirmOptions {
  WorldOptions world;
  ConfirmRequest request;
};

Error usage_error(std::string message) { return {ErrorCode::Usage, {}, {}, std::move(message)}; }

/// What is loaded is loaded here: a world that is not this machine's own cannot be confirmed.
std::optional<Error> refuse_other_worlds(const WorldOptions& options) {
  if (!options.where.root.empty() || options.where.is_recorded)
    return usage_error("--root: what lies in another root cannot be loaded here; run soresolve in it");
  if (options.live.pid != 0 || !options.live.core.empty())
    return usage_error("--pid, --core: a process of its own is made for the libraries; give FILE and --exe");
  if (!options.machine.cpu.empty() || !options.machine.glibc.empty() || options.start.secure != AtSecure::AsStarted ||
      !options.start.user.empty() || !options.start.cwd.empty()) {
    return usage_error(
        "--cpu, --glibc, --user, --secure, --no-secure and --cwd shape a world that is not this one, and nothing can "
        "be loaded in it");
  }
  return std::nullopt;
}

/// torch's extension module in an environment: a prefix, a folder of packages, or an interpreter.
Result<std::string> torch_of(const FileSystem& files, const std::string& environment) {
  std::vector<std::string> folders = {environment};
  const std::string bin = environment.substr(0, environment.rfind('/'));
  for (const std::string& prefix : {environment, bin.substr(0, bin.rfind('/'))}) {
    const std::string lib = prefix + "/lib";
    const Result<std::vector<std::string>, Errno> names = files.list_directory(lib);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (name.starts_with("python3")) folders.push_back(lib + "/" + name + "/site-packages");
    }
  }
  for (const std::string& folder : folders) {
    const Result<std::vector<std::string>, Errno> names = files.list_directory(folder + "/torch");
    if (!names) continue;
    for (const std::string& name : *names) {
      if (name.starts_with("_C.") && name.ends_with(".so")) return folder + "/torch/" + name;
    }
  }
  return Unexpected{
      Error{ErrorCode::NotFound,
            environment,
            {},
            "no torch/_C….so is in it: give a virtual environment, a conda environment, its interpreter, or a "
            "site-packages folder"}};
}

/// As long as all its processes may take, one after the other, and some time for itself.
double patience_for(const Json& plan, const ConfirmOptions& options) {
  constexpr double kOwn = 10;
  return kOwn + static_cast<double>(plan.value("groups", Json::array()).size()) * (options.request.timeout_s + 1);
}

/// FILE does not load, whatever its CUDA libraries do.
Json broken_answer(Json answer, const Statement& why) {
  answer["verdict"] = "failed";
  answer["text"] = sentence(why, Language::English);
  answer["says"] = statements_json({why});
  return answer;
}

/// Of this program's own parts.
Exit report_failure(const Error& error) {
  report_error(error);
  return Exit::Failure;
}

/// What the probe has answered, or what is said where there is nothing to ask it.
struct Computed {
  Json answer;
  Exit exit = Exit::Failure;
};

/// There is nothing to load: FILE does not load itself, or the question is not one about CUDA.
Computed nothing_computed(const ConfirmPlan& plan, const ConfirmOptions& options) {
  Json answer = nothing_to_confirm(say(options.request.wants_all ? "no-cuda-library-in-reach" : "no-cuda-library"));
  if (plan.broken) answer = broken_answer(std::move(answer), say("closure-broken", {{"message", *plan.broken}}));
  return {std::move(answer), plan.broken ? Exit::Problem : Exit::Usage};
}

Result<Computed> read_answer(const ConfirmPlan& plan, const ProbeAnswer& probe, const ConfirmOptions& options) {
  Json answer = Json::parse(probe.text, nullptr, false);
  if (!answer.is_object() || (probe.exit_status != 4 && (probe.exit_status < 0 || probe.exit_status > 2))) {
    return Unexpected{Error{ErrorCode::Unreadable,
                            options.request.probe,
                            {},
                            "gave no answer (exit status " + std::to_string(probe.exit_status) + ")"}};
  }
  auto status = static_cast<Exit>(probe.exit_status);
  if (plan.broken && status != Exit::Problem) {
    const auto says = answer.find("says");
    std::optional<std::vector<Statement>> reported;
    if (says != answer.end()) reported = read_statements(*says);
    answer = broken_answer(std::move(answer), reported && reported->size() == 1
                                                  ? say("closure-broken-libraries",
                                                        {{"message", *plan.broken}, {"answer", reported->front()}})
                                                  : say("closure-broken", {{"message", *plan.broken}}));
    status = Exit::Problem;
  }
  return Computed{std::move(answer), status};
}

/// Makes the libraries of the plan compute.
Result<Computed> compute(const ConfirmPlan& plan, const ConfirmOptions& options) {
  if (plan.plan.is_null()) return nothing_computed(plan, options);
  const Result<ProbeAnswer> answer =
      run_probe(options.request.probe, dump(plan.plan), patience_for(plan.plan, options));
  if (!answer) return Unexpected{answer.error()};
  return read_answer(plan, *answer, options);
}

Exit confirm(const std::string& file, const ConfirmOptions& options) {
  const Result<ConfirmPlan> plan = plan_confirmation(options.world, file, options.request);
  if (!plan) return report_error(plan.error());
  const Result<Computed> computed = compute(*plan, options);
  if (!computed) return report_failure(computed.error());
  write_document(confirm_document(file, *plan, computed->answer, detail_of(options.world)), options.world);
  return computed->exit;
}

/// One after the other, the worst of them last: not confirmed, failed, no question, no answer.
Exit worse_confirmation(Exit a, Exit b) {
  const auto weight = [](Exit exit) { return exit == Exit::NotConfirmed ? 5 : static_cast<int>(exit) * 10; };
  return weight(a) < weight(b) ? b : a;
}

/// The import itself; and its CUDA libraries, where a driver is here for them.
Exit confirm_module(const std::string& module, ConfirmOptions& options) {
  const Result<ImportConfirmation> import = confirm_import(options.world, module, options.request.timeout_s);
  if (!import) return report_error(import.error());
  Exit status = import->agrees() ? Exit::Good : Exit::Problem;
  ConfirmPlan plan;
  Json answer;
  const bool passes = import->real.has_ended && import->real.exception.empty();
  if (passes && !has_gpu_driver()) {
    const std::vector<std::string>& files = import->real.files;
    const bool has_cuda = std::any_of(files.begin(), files.end(),
                                      [](const std::string& file) { return is_cuda_library(file_name_of(file)); });
    if (has_cuda) plan.notes.push_back(say("import-without-driver"));
  } else if (passes) {
    const Result<std::string> probe = find_probe();
    if (!probe) return report_failure(probe.error());
    options.request.probe = *probe;
    Result<ConfirmPlan> planned = plan_confirmation(options.world, module, options.request);
    if (!planned) return report_error(planned.error());
    if (!planned->plan.is_null()) {
      plan = *std::move(planned);
      Result<Computed> computed = compute(plan, options);
      if (!computed) return report_failure(computed.error());
      answer = std::move(computed->answer);
      status = worse_confirmation(status, computed->exit);
    }
  }
  write_document(confirm_document(*import, plan, answer, detail_of(options.world)), options.world);
  return status;
}

Statement runtime_head(const RuntimeHere& runtime, const ConfirmPlan& plan) {
  const std::string version = plan.libraries.empty() ? std::string() : plan.libraries.back().version;
  return version.empty() ? say("runtime-head", {{"what", runtime.what}})
                         : say("runtime-head-release", {{"what", runtime.what}, {"version", version}});
}

/// A line for what one runtime came to.
Exit confirm_runtime(const RuntimeHere& runtime, const ConfirmOptions& options) {
  if (options.world.json) return confirm(runtime.path, options);
  const auto write_line = [&](Words words, std::size_t indent) {
    Page page;
    page.line(std::move(words), indent);
    write_page(page, options.world);
  };
  constexpr std::size_t kIndent = 2;
  const Words path = Words::foreign(runtime.path);
  const Result<ConfirmPlan> plan = plan_confirmation(options.world, runtime.path, options.request);
  if (!plan) {
    write_line(path + say("runtime-head-error", {{"what", runtime.what}, {"error", plan.error().to_string()}}), 0);
    return Exit::Usage;
  }
  write_line(path + runtime_head(runtime, *plan), 0);
  if (plan->plan.is_null()) {
    write_line(say("no-cuda-runtime-file"), kIndent);
    return Exit::Failure;
  }
  const Result<ProbeAnswer> answer =
      run_probe(options.request.probe, dump(plan->plan), patience_for(plan->plan, options));
  const Json reported = answer ? Json::parse(answer->text, nullptr, false) : Json();
  if (!reported.is_object()) {
    write_line(say("probe-is-silent"), kIndent);
    return Exit::Failure;
  }
  write_page(runtime_answer_page(reported), options.world);
  return static_cast<Exit>(answer->exit_status);
}

Exit confirm_each_runtime(const ConfirmOptions& options) {
  const Result<std::vector<RuntimeHere>> runtimes = list_runtimes(options.world);
  if (!runtimes) return report_error(runtimes.error());
  if (runtimes->empty()) {
    Page page;
    page.line(say("no-cuda-runtime-here"));
    write_page(page, options.world);
    return Exit::Usage;
  }
  Exit status = Exit::Good;
  for (const RuntimeHere& runtime : *runtimes) status = worse_confirmation(status, confirm_runtime(runtime, options));
  return status;
}

}  // namespace

namespace {

class ConfirmInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  ConfirmOptions options_;
  std::string file_;
  bool wants_each_runtime_ = false;
};

OptionList ConfirmInvocation::options() {
  OptionList list = {
      {.names = {"FILE"}, .into = &file_},
      {.names = {"--all"}, .into = &options_.request.wants_all},
      {.names = {"--each-runtime"}, .into = &wants_each_runtime_},
      {.names = {"--device"}, .value = "N", .into = &options_.request.device, .range = ValueRange{0, 1023}},
      {.names = {"--timeout"}, .value = "S", .into = &options_.request.timeout_s, .range = ValueRange{0.1, 86400}},
  };
  append(list, world_options(options_.world));
  list.push_back(language_option(options_.world.language));
  return list;
}

Exit ConfirmInvocation::run() {
  if (const auto error = refuse_other_worlds(options_.world)) return report_error(*error);
  const ProcessSettings& process = options_.world.process;
  const bool is_import = process.asked_as == AskedAs::Import;
  // --python alone means the torch in there.
  const bool is_torch = !is_import && !process.python.empty();
  const int asked = (file_.empty() ? 0 : 1) + (is_torch ? 1 : 0) + (is_import ? 1 : 0) + (wants_each_runtime_ ? 1 : 0);
  if (asked != 1) {
    return report_error(usage_error(asked == 0
                                        ? "confirm: FILE, --import MODULE, --python ENV or --each-runtime is required"
                                        : "FILE, --import MODULE, --python ENV and --each-runtime exclude each other"));
  }
  if (is_import) return confirm_module(options_.world.import_module, options_);
  if (is_torch) {
    WorldHere opener(options_.world);
    const Result<std::shared_ptr<const FileSystem>> tree = opener.files();
    if (!tree) return report_error(tree.error());
    const Result<std::string> environment = opener.absolute(process.python);
    if (!environment) return report_error(environment.error());
    Result<std::string> torch = torch_of(**tree, *environment);
    if (!torch) return report_error(torch.error());
    file_ = std::move(torch).value();
    // A folder of packages: the process is one of any Python.
    if (interpreter_in(**tree, *environment).empty()) options_.world.process.python.clear();
  }
  const Result<std::string> probe = find_probe();
  if (!probe) return report_failure(probe.error());
  options_.request.probe = *probe;
  return wants_each_runtime_ ? confirm_each_runtime(options_) : confirm(file_, options_);
}

}  // namespace

const Subcommand kConfirm = {"confirm", invoke<ConfirmInvocation>};

}  // namespace soresolve::tool
