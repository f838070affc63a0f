// soresolve gpu: the GPU code inside files.
#include "cuda/contracts.h"
#include "cuda/cuda_library.h"
#include "cuda/fatbin.h"
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
  const CudaLibrary* const reported = library ? &*library : nullptr;
  Exit status = code->damage_count == 0 ? Exit::Good : Exit::Problem;
  std::optional<GpuInside> inside;
  if (options.looks_inside) {
    Result<GpuInside> seen = look_inside_gpu_code(**file, shown);
    if (!seen) return report_error(seen.error());
    inside = std::move(seen).value();
    if (inside->differing + inside->damaged != 0) status = Exit::Problem;
  }
  const GpuInside* const looked = inside ? &*inside : nullptr;
  if (question.devices.empty()) print({shown, *code, nullptr, nullptr, reported, looked}, options, form, answers);
  for (const GpuDevice& device : question.devices) {
    const GpuVerdict verdict = judge_gpu_code(question.contracts, *code, device);
    print({shown, *code, &device, &verdict, reported, looked}, options, form, answers);
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
  const std::vector<bool> belongs = map.target_closure();
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

class GpuInvocation final : public Invocation {
 public:
  OptionList options() override;
  std::vector<std::string>* plain_words() override { return &files_; }

  Exit run() override {
    if (const auto exit = complete_files(kGpu, options_.world, files_, typed())) return *exit;
    WorldHere world(options_.world);
    if (!options_.world.json) world.report_driver();
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
      files_option(files_),
      {.names = {"--closure"}, .into = &options_.wants_closure},
      {.names = {"--inside"}, .into = &options_.looks_inside},
      {.names = {"--device"}, .value = "GPU", .into = &options_.device},
      {.names = {"--facts"}, .value = "FILE", .into = own_file(options_.facts)},
  };
  list.push_back(language_option(options_.world.language));
  list.push_back(html_option(options_.world));
  append(list, driver_options(options_.world));
  append(list, world_options(options_.world));
  return list;
}

}  // namespace

const Subcommand kGpu = {"gpu", invoke<GpuInvocation>};

}  // namespace soresolve::tool
