// soresolve gpu: the GPU code inside files.
#include "input.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/cuda.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

struct GpuOptions {
  WorldOptions world;
  bool wants_closure = false;
  bool looks_inside = false;
  std::string device;
  std::string facts;
};

/// The answers of one run, for one page of all of them.
class AnswerList {
 public:
  void take(const Document& document) {
    page_.append(document.page());
    data_ += (data_.empty() ? "[" : ",") + to_json(document);
    document.statements([this](const Statement& statement) { statements_.push_back(statement); });
  }
  [[nodiscard]] Document document() const {
    return {[this] { return page_; }, [this](const WritePart& write) { write(data_.empty() ? "[]" : data_ + "]"); },
            [this](const TakeStatement& take) {
      for (const Statement& statement : statements_) take(statement);
            }};
  }

 private:
  Page page_;
  std::string data_;
  std::vector<Statement> statements_;
};

/// What is known, and the devices that are asked about: none, one, or those of this machine.
struct GpuQuestion {
  GpuContracts contracts;
  std::vector<GpuDevice> devices;
};

Result<GpuQuestion> prepare(WorldHere& world, const GpuOptions& options) {
  GpuQuestion question;
  const Result<std::shared_ptr<const FileSystem>> files = world.files();
  if (!files) return Unexpected{files.error()};
  question.contracts = built_in_contracts();
  if (!options.facts.empty()) {
    // The user's own file, whatever is analysed.
    Result<GpuContracts> merged =
        read_contracts_file(*host_file_system(), options.facts, options.facts, question.contracts);
    if (!merged) return Unexpected{std::move(merged).error()};
    question.contracts = std::move(merged).value();
  }
  std::vector<std::string> names;
  if (options.device == "host") {
    Result<std::vector<std::string>> here = list_devices(**files);
    if (!here) return Unexpected{std::move(here).error()};
    names = std::move(here).value();
  } else if (!options.device.empty()) {
    names = {options.device};
  }
  for (const std::string& name : names) {
    Result<GpuDevice> device = find_device(question.contracts, name);
    if (!device) return Unexpected{std::move(device).error()};
    question.devices.push_back(std::move(device).value());
  }
  return question;
}

void print(const GpuReport& report, const GpuOptions& options, GpuForm form, AnswerList& answers) {
  if (options.world.verbose) form = GpuForm::Table;
  const Document document = document_of(report, form, detail_of(options.world));
  if (!options.world.html.empty()) answers.take(document);
  write_document(document, options.world);
}

/// Damage is a problem, and code of which nothing runs on the device; a file without GPU code is none.
Exit answer_file(const FileSystem& files, const std::string& path, const std::string& shown,
                 const GpuQuestion& question, const GpuOptions& options, GpuForm form, AnswerList& answers) {
  Result<std::unique_ptr<File>, Errno> file = files.open(path);
  if (!file) {
    return report_error({ErrorCode::Unreadable, shown, {}, errno_text(file.error(), ErrnoText::FromDlerror)});
  }
  const Result<GpuCode> code = read_gpu_code(**file, shown);
  if (!code) return report_error(code.error());
  const std::optional<CudaLibrary> library = identify_cuda_library(files, path, **file, question.contracts.cuda);
  const CudaLibrary* const told = library ? &*library : nullptr;
  Exit status = code->damage_count == 0 ? Exit::Good : Exit::Problem;
  std::optional<GpuInside> inside;
  if (options.looks_inside) {
    Result<GpuInside> seen = look_inside_gpu_code(**file, shown);
    if (!seen) return report_error(seen.error());
    inside = std::move(seen).value();
    if (inside->differing + inside->damaged != 0) status = Exit::Problem;
  }
  const GpuInside* const looked = inside ? &*inside : nullptr;
  if (question.devices.empty()) print({shown, *code, nullptr, nullptr, told, looked}, options, form, answers);
  for (const GpuDevice& device : question.devices) {
    const GpuVerdict verdict = judge_gpu_code(question.contracts, *code, device);
    print({shown, *code, &device, &verdict, told, looked}, options, form, answers);
    if (code->entries != 0 && !verdict.runs()) status = Exit::Problem;
  }
  return status;
}

/// The file, and all that it loads.
Exit answer_closure(WorldHere& world, const std::string& file, const GpuQuestion& question, const GpuOptions& options,
                    AnswerList& answers) {
  const Result<Resolution> run = world.resolve(file, {.look_for = LookFor::Libraries});
  if (!run) return report_error(run.error());
  const LinkMap& map = run->map();
  Exit status = map.first_fatal() == nullptr ? Exit::Good : Exit::Problem;
  if (const LoadFailure* failure = map.first_fatal()) {
    write_error("soresolve: " + Text::escaped(file) +
                ": not all libraries are found: " + Text::escaped(failure->dlerror_message()) + "\n");
  }
  const std::vector<bool> belongs = map.subject_objects();
  for (ObjectIndex i = 0; i < map.objects.size(); ++i) {
    const LoadedObject& object = map.objects[i];
    const bool is_file =
        object.role == ObjectRole::Library || (object.role == ObjectRole::Main && !map.main_path.empty());
    if (!belongs[i] || !is_file) continue;
    const std::string path = i == 0 ? map.main_path : std::string(object.path);
    status = worse(status, answer_file(*run->system().files, absolute_path(path, run->process().cwd),
                                       std::string(object.name()), question, options, GpuForm::Line, answers));
  }
  return status;
}

}  // namespace

namespace {

constexpr Example kGpuExamples[] = {
    {"soresolve gpu libtorch_cuda.so", {"For which chips is there code in it?", "里面有哪些芯片的代码？"}},
    {"soresolve gpu --device sm_89 --closure ./train",
     {"Can an RTX 4090 run all of it?", "RTX 4090 能运行其中的全部代码吗？"}},
};

class GpuInvocation final : public Invocation {
 public:
  OptionList options() override;
  std::vector<std::string>* plain_words() override { return &files_; }

  Exit run() override {
    if (const auto exit = complete_files(kGpu, options_.world, files_, typed())) return *exit;
    WorldHere world(options_.world);
    if (!options_.world.json) world.tell_driver();
    const Result<GpuQuestion> question = prepare(world, options_);
    if (!question) return report_error(question.error());
    // Of one file a table, of several a line each.
    const GpuForm shown = files_.size() == 1 ? GpuForm::Table : GpuForm::Line;
    AnswerList answers;
    Exit status = Exit::Good;
    for (const std::string& file : files_) {
      if (options_.wants_closure || options_.world.process.asked_as == AskedAs::Import) {
        status = worse(status, answer_closure(world, file, *question, options_, answers));
        continue;
      }
      const Result<std::shared_ptr<const FileSystem>> tree = world.files();
      if (!tree) return report_error(tree.error());
      const Result<std::string> path = world.absolute(file);
      if (!path) return report_error(path.error());
      status = worse(status, answer_file(**tree, *path, file, *question, options_, shown, answers));
    }
    return worse(status, write_html_file(answers.document(), options_.world, title()));
  }

 private:
  [[nodiscard]] std::string title() const {
    std::string title = "soresolve gpu";
    if (!options_.device.empty()) title += " --device " + options_.device;
    if (options_.wants_closure) title += " --closure";
    for (const std::string& file : files_) title += " " + file;
    return title;
  }

  GpuOptions options_;
  std::vector<std::string> files_;
};

OptionList GpuInvocation::options() {
  OptionList list = {
      files_option(files_, {"files of any kind; with --closure programs, libraries or library names",
                            "任意类型的文件；加 --closure 时为程序、共享库或库名"}),
      {.names = {"--closure"},
       .into = &options_.wants_closure,
       .description = {"FILE and all libraries that it loads", "FILE 以及它加载的所有库"}},
      {.names = {"--inside"},
       .into = &options_.looks_inside,
       .description =
           {"unpack the beginning of each piece (lz4, zstd) and compare what it says of itself with its header",
            "解压每段代码的开头（lz4、zstd），把其中的信息与头部对照"}},
      {.names = {"--device"},
       .value = "GPU",
       .into = &options_.device,
       .description =
           {"can it run there? A compute capability (8.9, sm_89), a board (\"RTX 4090\"), or host: the "
            "GPUs of this machine, as its driver shows them",
            "能在这上面运行吗？可以是计算能力（8.9、sm_89）、显卡型号（\"RTX 4090\"），或 host：驱动所见的本机 GPU"}},
      {.names = {"--facts"},
       .value = "FILE",
       .into = own_file(options_.facts),
       .description = {"rows that replace or extend what is known of chips (form: lib/cuda/contracts.json)",
                       "替换或补充内置芯片资料的数据（格式见 lib/cuda/contracts.json）"}},
  };
  list.push_back(language_option(options_.world.language));
  list.push_back(html_option(options_.world));
  append(list, driver_options(options_.world));
  append(list, world_options(options_.world));
  return list;
}

}  // namespace

const Subcommand kGpu = {
    "gpu",
    {"the GPU code inside: for which chips, as what", "文件里的 GPU 代码：面向哪些芯片，是什么形式"},
    {"The GPU code inside files: for which chips natively, as PTX to be compiled by the driver, or "
     "as LTO-IR to be linked at run time. One file: a table; several: a line each (-v: tables).",
     "文件里的 GPU 代码：为哪些芯片提供原生代码，哪些是由驱动编译的 PTX，哪些是运行时链接的 LTO-IR。"
     "一个文件时输出表格，多个文件时每个一行（加 -v 输出表格）。"},
    kGpuExamples,
    invoke<GpuInvocation>};

}  // namespace soresolve::tool
