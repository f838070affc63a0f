// soresolve doctor: the machine as CUDA programs find it.
#include "input.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

extern char** environ;

namespace soresolve::tool {
namespace {

/// The whole environment that is asked about: what is given, or one's own, but not that of another root.
Environment environment_of(const WorldOptions& options) {
  Environment environment;
  const bool is_own = options.env.empty() && !options.clean_env && options.root.empty();
  if (options.is_recorded) {
    for (const std::string& entry : options.inherited)
      if (is_own) environment.add(entry);
  } else {
    for (char** entry = environ; is_own && *entry != nullptr; ++entry) environment.add(*entry);
  }
  for (const std::string& entry : options.env) environment.add(entry);
  return environment;
}

}  // namespace

namespace {

constexpr Example kDoctorExamples[] = {
    {"soresolve doctor", {"Everything, in order.", "按顺序检查全部项目。"}},
    {"soresolve doctor --only runtimes --only driver",
     {"Which CUDA runtime to take with this driver, and how.", "这个驱动该用哪个 CUDA 运行时，怎么用。"}},
    {"soresolve doctor --print torch-backend",
     {"The name of PyTorch's index for this driver and GPU, for pip install --index-url.",
      "适合这个驱动和 GPU 的 PyTorch 索引名，用于 pip install --index-url。"}},
    {"soresolve doctor --root /srv/image --search /opt/venv", {"An image before it ships.", "发布前检查镜像。"}},
};

class DoctorInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  WorldOptions options_;
  DoctorOptions doctor_;
  std::string facts_;
  std::string print_;
};

OptionList DoctorInvocation::options() {
  OptionList list = {
      {.names = {"--only"},
       .value = "NAME",
       .into = &doctor_.only,
       .description = {"this check only; repeatable", "只做这项检查；可重复"}},
      {.names = {"--search"},
       .value = "DIR",
       .into = &doctor_.search,
       .description = {"a further Python environment, toolkit or directory of such; repeatable",
                       "另外的 Python 环境、CUDA 工具包，或存放它们的目录；可重复"}},
      {.names = {"--print"},
       .value = "WHAT",
       .into = &print_,
       .description =
           {"one word and nothing else; torch-backend: the index of PyTorch's wheels that run here by driver "
            "and GPUs (cu118, cu126, cu128, cu130), or cpu",
            "只输出一个词；torch-backend：按驱动和 GPU，本机可用的 PyTorch wheel 索引"
            "（cu118、cu126、cu128、cu130），或 cpu"},
       .choices = {"torch-backend"}},
      {.names = {"--facts"},
       .value = "FILE",
       .into = own_file(facts_),
       .description = {"rows that replace or extend what is known of CUDA (form: lib/cuda/contracts.json)",
                       "替换或补充内置 CUDA 资料的数据（格式见 lib/cuda/contracts.json）"}},
  };
  list.push_back(language_option(options_.language));
  list.push_back(html_option(options_));
  append(list, driver_options(options_));
  append(list, place_options(options_));
  return list;
}

Exit DoctorInvocation::run() {
  doctor_.environment = environment_of(options_);
  doctor_.contracts = built_in_contracts();
  if (!facts_.empty()) {
    // The user's own file, whatever is analysed.
    Result<GpuContracts> merged = read_contracts_file(*host_file_system(), facts_, facts_, doctor_.contracts);
    if (!merged) return report_error(merged.error());
    doctor_.contracts = std::move(merged).value();
  }
  WorldHere world(options_);
  for (std::string& directory : doctor_.search) {
    Result<std::string> path = world.absolute(directory);
    if (!path) return report_error(path.error());
    directory = std::move(path).value();
  }
  if (!print_.empty()) doctor_.only = {"platform"};  // the word depends on no check
  const Result<DoctorReport> report = examine_machine(settings_here(options_), doctor_);
  if (!report) return report_error(report.error());
  if (!print_.empty()) {
    write_out(Text::escaped(report->torch_backend) + "\n");
    return Exit::Good;
  }
  const Exit written = write_html_file(document_of(*report), options_, "soresolve doctor");
  write_document(document_of(*report, detail_of(options_)), options_);
  return worse(written, report->is_healthy() ? Exit::Good : Exit::Problem);
}

}  // namespace

Result<Told> tell_doctor(const WorldOptions& options) {
  DoctorOptions doctor;
  doctor.environment = environment_of(options);
  doctor.contracts = built_in_contracts();
  const Result<DoctorReport> report = examine_machine(settings_here(options), doctor);
  if (!report) return Unexpected{report.error()};
  const Document document = document_of(*report, detail_of(options));
  Told told;
  told.exit = report->is_healthy() ? Exit::Good : Exit::Problem;
  if (options.json)
    told.data = to_json(document);
  else
    told.page = document.page();
  return told;
}

const Subcommand kDoctor = {
    "doctor",
    {"the machine: driver, CUDA runtimes and which to take, cuDNN, frameworks of Python",
     "检查机器：驱动、各 CUDA 运行时及该用哪个、cuDNN、Python 框架"},
    {"The machine, in the order in which things depend on each other: device nodes, kernel module, driver, toolkits, "
     "CUDA runtimes and which to take, cuDNN, frameworks of Python. Nothing is loaded or executed.",
     "按依赖的先后检查机器：设备节点、内核模块、驱动、工具包、各 CUDA 运行时及该用哪个、cuDNN、Python 框架。"
     "不加载也不执行任何东西。"},
    kDoctorExamples,
    invoke<DoctorInvocation>};

}  // namespace soresolve::tool
