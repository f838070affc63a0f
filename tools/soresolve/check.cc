// soresolve check: will it start?
#include <algorithm>

#include "base/text.h"
#include "cuda/contracts.h"
#include "diagnose/contract_file.h"
#include "diagnose/requirement.h"
#include "input.h"
#include "progress.h"
#include "python/interpreter.h"
#include "python/package_modules.h"
#include "report/layers_report.h"
#include "report/page.h"
#include "soresolve/diagnose.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world/layers.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

struct CheckOptions {
  WorldOptions world;
  DlopenLevel dlopen = DlopenLevel::Known;
  std::string only;  ///< "loader": nothing but what the loader does
  unsigned jobs = 1;
  bool quiet = false;
  bool strict = false;
  bool has_many_files = false;
  std::vector<std::string> requirements;
  std::string contract;
  std::string facts;
  std::string package;  ///< a wheel, instead of FILE
};

/// What is asked for with --require and --contract, and what is known to judge it by.
struct Gate {
  std::vector<Requirement> requirements;
  std::shared_ptr<const GpuContracts> contracts;
};

Result<Gate> read_gate(const CheckOptions& options) {
  Gate gate;
  for (const std::string& text : options.requirements) {
    Result<Requirement> requirement = parse_requirement(text);
    if (!requirement) return Unexpected{std::move(requirement).error()};
    gate.requirements.push_back(std::move(requirement).value());
  }
  // These are the user's own files, not those of --root: relative to the directory that this program runs in.
  const std::unique_ptr<FileSystem> files = host_file_system();
  if (!options.contract.empty()) {
    Result<std::vector<Requirement>> contract = read_contract_file(*files, options.contract, options.contract);
    if (!contract) return Unexpected{std::move(contract).error()};
    for (Requirement& requirement : *contract) gate.requirements.push_back(std::move(requirement));
  }
  if (!options.facts.empty()) {
    Result<GpuContracts> merged = read_contracts_file(*files, options.facts, options.facts, built_in_contracts());
    if (!merged) return Unexpected{std::move(merged).error()};
    gate.contracts = std::make_shared<const GpuContracts>(std::move(merged).value());
  }
  return gate;
}

/// One file: line and proof. Several: a line each, the proof with -v. Quiet: lines of failures only.
CheckForm form_of(const CheckOptions& options) {
  if (!options.has_many_files) return options.quiet ? CheckForm::Line : CheckForm::Whole;
  return options.world.verbose && !options.quiet ? CheckForm::NamedWhole : CheckForm::NamedLine;
}

/// Lines have no counts, and say nothing of what is bound to what.
OwnReferences references_for(const CheckOptions& options) {
  const CheckForm form = form_of(options);
  const bool is_line = form == CheckForm::Line || form == CheckForm::NamedLine;
  return is_line && !options.world.json && options.world.html.empty() ? OwnReferences::Settled : OwnReferences::Counted;
}

/// The proof of a library that is missing, and the drawing of a page, have each search.
bool shows_searches(const CheckOptions& options) {
  return !options.world.html.empty() || (form_of(options) == CheckForm::Whole && !options.world.json);
}

/// Of many files those with nothing to say about are counted; with -v each has its line, and data is about each. While
/// nothing is written a line on a terminal says how far it is.
class FaultlessFiles {
 public:
  explicit FaultlessFiles(const CheckOptions& options)
      : options_(options), are_counted_(options.has_many_files && !options.world.verbose && !options.world.json) {}

  void begin(std::size_t number, std::size_t count) {
    if (count > 1 && line_.is_due()) line_.show(Text::number(number) + " of " + Text::number(count) + " files");
  }
  /// Before something is written.
  void make_way() { line_.clear(); }
  /// Is the file one of them, and so done with?
  bool take(Verdict verdict) {
    const bool is_one = are_counted_ && verdict == Verdict::Works;
    if (is_one) ++count_;
    return is_one;
  }
  /// "497 ok", behind the others.
  void write_count() {
    make_way();
    if (count_ == 0 || options_.quiet) return;
    Page page;
    page.line((Words::number(count_) + Words::phrase({" ok", " 个文件没有问题"})).in(Tone::Good));
    write_page(page, options_.world);
    count_ = 0;
  }

 private:
  const CheckOptions& options_;
  bool are_counted_;
  std::size_t count_ = 0;
  StatusLine line_;
};

/// The interpreter that is asked about, as for imports.
std::string interpreter_of(const WorldOptions& options, WorldHere& world, const FileSystem& files) {
  const ProcessSettings& process = options.process;
  if (const std::string& named = process.exe.empty() ? process.python : process.exe; !named.empty()) {
    const Result<std::string> path = world.absolute(named);
    return !path ? std::string() : process.exe.empty() ? interpreter_in(files, *path) : *path;
  }
  const std::optional<AssumedProgram> found = python_by_name(files, environment_of(options), {});
  return found ? found->path : std::string();
}

/// What --package stands for: its modules as imports, or the libraries of a wheel that has none, in the interpreter.
Result<std::vector<std::string>> parts_of_package(CheckOptions& options) {
  // Of a wheel's records a snapshot has the lines that its own questions came to.
  if (options.world.where.is_recorded) {
    return Unexpected{
        Error{ErrorCode::Unsupported,
              options.package,
              {},
              "is asked of a snapshot, which holds no whole package: --import MODULE asks about what it holds"}};
  }
  WorldHere world(options.world);
  const Result<std::shared_ptr<const FileSystem>> files = world.files();
  if (!files) return Unexpected{files.error()};
  const std::string interpreter = interpreter_of(options.world, world, **files);
  if (interpreter.empty()) {
    const std::string& named = options.world.process.python;
    return Unexpected{Error{ErrorCode::NotFound,
                            named,
                            {},
                            named.empty() ? "no interpreter of Python is found here; --python names one"
                                          : "no interpreter of Python is there"}};
  }
  const PythonEnvironment python = read_python_environment(**files, environment_of(options.world), interpreter);
  std::optional<PackageParts> parts = find_package(**files, python, "/", options.package);
  if (!parts)
    return Unexpected{Error{ErrorCode::NotFound,
                            options.package,
                            {},
                            "no wheel and no module of this name is in sys.path of " + interpreter}};
  if (parts->modules.empty() && parts->libraries.empty())
    return Unexpected{Error{ErrorCode::NotFound, options.package, {}, "has nothing to import and no library"}};
  const bool has_modules = !parts->modules.empty();
  if (has_modules) options.world.process.asked_as = AskedAs::Import;
  ProcessSettings& process = options.world.process;
  if (has_modules ? process.python.empty() && process.exe.empty() : process.exe.empty())
    (has_modules ? process.python : process.exe) = interpreter;
  return has_modules ? std::move(parts->modules) : std::move(parts->libraries);
}

Result<Output> answer_of(WorldHere& world, const CheckOptions& options, const Gate& gate, const std::string& file) {
  const bool is_loader_only = options.only == "loader";
  const Result<Answer> answer = world.ask({.file = file,
                                           .later = is_loader_only ? DlopenLevel::None : options.dlopen,
                                           .cuda = is_loader_only ? JudgeCuda::No : JudgeCuda::Yes,
                                           .requirements = gate.requirements,
                                           .contracts = gate.contracts,
                                           .attempts = shows_searches(options) ? Attempts::Record : Attempts::Discard,
                                           .references = references_for(options),
                                           .jobs = options.jobs});
  if (!answer) return Unexpected{answer.error()};
  const std::optional<Error>& error = answer->unreadable();
  if (error && answer->run() != nullptr) return Unexpected{*error};
  return shown(*answer, {.as = View::As::Check,
                         .form = form_of(options),
                         .detail = detail_of(options.world),
                         .strict = options.strict ? Strict::Yes : Strict::No});
}

Output print_one(Result<Output> answer, const CheckOptions& options, const std::string& file,
                 FaultlessFiles& faultless) {
  const bool is_left_out = answer && answer->exit == Exit::Good && (options.quiet || faultless.take(answer->verdict));
  if (is_left_out) answer->document = {};
  if (!is_left_out) faultless.make_way();
  if (!answer && answer.error().code == ErrorCode::NotDynamic) {
    return {.exit = report_not_dynamic(options.has_many_files ? Text::escaped(file) + ": " : "\t", answer.error())};
  }
  return print(std::move(answer), options.world, page_title("check", options.world, file));
}

class CheckInvocation final : public Invocation {
 public:
  OptionList options() override;
  std::vector<std::string>* plain_words() override { return &files_; }

  Exit run() override {
    if (!options_.package.empty()) {
      const bool is_asked_twice = !files_.empty() || options_.world.process.asked_as == AskedAs::Import;
      if (is_asked_twice) return refuse_usage("check", "--package stands instead of FILE and --import");
      Result<std::vector<std::string>> parts = parts_of_package(options_);
      if (!parts) return report_error(parts.error());
      files_ = *std::move(parts);
    } else if (const auto exit = complete_files(kCheck, options_.world, files_, typed()))
      return *exit;
    if (const auto exit = refuse_many_pages("check", options_.world, files_.size())) return *exit;
    options_.has_many_files = files_.size() > 1;
    if (is_by_layers_) return print_layers();
    if (options_.has_many_files) options_.world.where.known = make_known_tree();
    WorldHere world(options_.world);
    const Result<Gate> gate = read_gate(options_);
    if (!gate) return report_error(gate.error());
    FaultlessFiles faultless(options_);
    answer_each(files_, Headings::None, [&](const std::string& file) {
      faultless.begin(static_cast<std::size_t>(&file - files_.data()) + 1, files_.size());
      Output answer = print_one(answer_of(world, options_, *gate, file), options_, file, faultless);
      if (&file == &files_.back()) faultless.write_count();
      return answer;
    });
  }

 private:
  Exit print_layers();

  CheckOptions options_;
  bool is_by_layers_ = false;
  std::vector<std::string> files_;
};

/// --layers: which layer broke it.
Exit CheckInvocation::print_layers() {
  Exit worst = Exit::Good;
  for (const std::string& file : files_) {
    const DlopenLevel later = options_.only.empty() ? options_.dlopen : DlopenLevel::None;
    const Result<LayerHistory> history = judge_layers(settings_here(options_.world), file, later);
    if (!history) return report_error(history.error());
    const Document document = document_of(*history);
    worst = worse(worst, write_html_file(document, options_.world, page_title("check", options_.world, history->file)));
    write_document(document, options_.world);
    const bool is_good =
        !history->layers.empty() && !history->fails_since && history->layers.back().state != LayerState::Absent;
    worst = worse(worst, is_good ? Exit::Good : Exit::Problem);
  }
  return worst;
}

OptionList CheckInvocation::options() {
  OptionList list = {
      files_option(files_),
      {.names = {"-q", "--quiet"}, .into = &options_.quiet},
      strict_option(options_.strict),
      {.names = {"--layers"}, .into = &is_by_layers_},
      only_option(options_.only),
      language_option(options_.world.language),
      html_option(options_.world),
      dlopen_option(options_.dlopen),
      {.names = {"--require"}, .value = "NAME=V", .into = &options_.requirements},
      {.names = {"--contract"}, .value = "FILE", .into = own_file(options_.contract)},
      {.names = {"--facts"}, .value = "FILE", .into = own_file(options_.facts)},
      jobs_option(options_.jobs),
  };
  append(list, driver_options(options_.world));
  append(list, world_options(options_.world));
  list.push_back({.names = {"--package"}, .value = "NAME", .into = &options_.package});
  return list;
}

}  // namespace

const Subcommand kCheck = {"check", invoke<CheckInvocation>};

}  // namespace soresolve::tool
