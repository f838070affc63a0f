// soresolve check: will it start?
#include <algorithm>

#include "base/text.h"
#include "cuda/contracts.h"
#include "diagnose/contract_file.h"
#include "input.h"
#include "large_pages.h"
#include "progress.h"
#include "report/layers_report.h"
#include "report/page.h"
#include "soresolve/diagnose.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world/layers.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

/// What is judged beyond the loader's part.
enum class Judged : std::uint8_t { LoaderOnly, Cuda };

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
};

/// What is asked for with --require and --contract, and what is known to judge it by.
struct Gate {
  std::vector<Requirement> requirements;
  GpuContracts contracts;
};

bool is_good(const CheckReport& report) { return verdict_of(report) != Verdict::Fails; }

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
  if (!gate.requirements.empty() || !options.facts.empty()) gate.contracts = built_in_contracts();
  if (!options.facts.empty()) {
    Result<GpuContracts> merged = read_contracts_file(*files, options.facts, options.facts, gate.contracts);
    if (!merged) return Unexpected{std::move(merged).error()};
    gate.contracts = std::move(merged).value();
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
  bool take(const CheckReport& report) {
    const bool is_one = are_counted_ && verdict_of(report) == Verdict::Works;
    if (is_one) ++count_;
    return is_one;
  }
  /// "497 ok", behind the others.
  void tell() {
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

void print(const CheckReport& report, const CheckOptions& options, FaultlessFiles& faultless) {
  if (options.quiet && is_good(report)) return;
  if (faultless.take(report)) return;
  faultless.make_way();
  write_document(document_of(report, form_of(options), detail_of(options.world)), options.world);
}

/// What a process opens later counts, whether or not it is checked: cuDNN's parts are nowhere else.
Result<std::vector<RequirementVerdict>> judge(const Resolution& run, const Gate& gate) {
  return judge_requirements(run.map(), run.dlopens(DlopenLevel::Known), gate.contracts, gate.requirements);
}

/// What `options` want to know of it, all but the requirements. Errors: what cannot be read of it.
Result<CheckReport> report_of(const Resolution& run, DlopenLevel level, Judged judged) {
  if (!run.check()) return Unexpected{run.check().error()};
  const CheckedDlopens& later = run.checked_dlopens(level);
  if (later.unchecked) return Unexpected{*later.unchecked};
  CheckReport report{run.map(), *run.check(), run.file(), later.dlopens};
  report.import = run.import();
  if (judged == Judged::Cuda) report.cuda = find_call_problems(run.map(), *run.check(), report.dlopens);
  return report;
}

template <class Done>
Exit answer(WorldHere& world, const CheckOptions& options, const Gate& gate, const std::string& file,
            FaultlessFiles& faultless, Done done) {
  const Attempts attempts = options.world.html.empty() ? Attempts::Discard : Attempts::Record;
  const Result<Resolution> run =
      world.resolve(file, {.attempts = attempts, .jobs = options.jobs, .references = references_for(options)});
  if (!run) faultless.make_way();
  if (!run && run.error().code == ErrorCode::NotDynamic) {
    return report_not_dynamic(options.has_many_files ? Text::escaped(file) + ": " : "\t", run.error());
  }
  if (!run) {
    Exit written = Exit::Good;
    const Exit told =
        answer_failure(world, RefusalReport::Command::Check, file, run.error(), [&](const RefusalReport& report) {
          const bool is_short = options.quiet || (options.has_many_files && !options.world.verbose);
          const Document whole = document_of(report, detail_of(options.world));
          written = write_html_file(whole, options.world, page_title("check", options.world, file));
          write_document(is_short ? line_of(report) : whole, options.world);
        });
    return done(worse(told, written));
  }
  prepare_heap(run->map());
  const bool is_loader_only = options.only == "loader";
  Result<CheckReport> report = report_of(*run, is_loader_only ? DlopenLevel::None : options.dlopen,
                                         is_loader_only ? Judged::LoaderOnly : Judged::Cuda);
  if (!report) {
    faultless.make_way();
    return report_error(report.error());
  }
  if (!gate.requirements.empty()) {
    Result<std::vector<RequirementVerdict>> verdicts = judge(*run, gate);
    if (!verdicts) {
      faultless.make_way();
      return report_error(verdicts.error());
    }
    report->requirements = std::move(verdicts).value();
  }
  report->strict = options.strict ? Strict::Yes : Strict::No;
  const Exit written =
      write_html_file(document_with_map(*report), options.world, page_title("check", options.world, file));
  print(*report, options, faultless);
  return done(worse(written, is_good(*report) ? Exit::Good : Exit::Problem));
}

}  // namespace

Result<Told> tell_check(WorldHere& world, const WorldOptions& options, const std::string& file) {
  const Result<Resolution> run = world.resolve(file);
  if (!run) return told_refusal(world, RefusalReport::Command::Check, options, file, run.error());
  const Result<CheckReport> report = report_of(*run, DlopenLevel::Known, Judged::Cuda);
  if (!report) return Unexpected{report.error()};
  const Document document = document_of(*report, CheckForm::Whole, detail_of(options));
  Told told;
  told.exit = is_good(*report) ? Exit::Good : Exit::Problem;
  told.is_left_to_process = verdict_of(*report) == Verdict::Depends;
  if (options.json)
    told.data = to_json(document);
  else
    told.page = document.page();
  return told;
}

namespace {

class CheckInvocation final : public Invocation {
 public:
  OptionList options() override;
  std::vector<std::string>* plain_words() override { return &files_; }

  Exit run() override {
    if (const auto exit = complete_files(kCheck, options_.world, files_, typed())) return *exit;
    if (const auto exit = refuse_many_pages("check", options_.world, files_.size())) return *exit;
    options_.has_many_files = files_.size() > 1;
    if (is_by_layers_) return tell_layers();
    WorldHere world(options_.world);
    const Result<Gate> gate = read_gate(options_);
    if (!gate) return report_error(gate.error());
    FaultlessFiles faultless(options_);
    for_each_file(files_, Headings::None, [&](const std::string& file, auto done) {
      const bool is_last = &file == &files_.back();
      faultless.begin(static_cast<std::size_t>(&file - files_.data()) + 1, files_.size());
      const Exit exit = answer(world, options_, *gate, file, faultless, [&](Exit last) {
        if (is_last) faultless.tell();
        return done(last);
      });
      if (is_last) faultless.tell();
      return exit;
    });
  }

 private:
  Exit tell_layers();

  CheckOptions options_;
  bool is_by_layers_ = false;
  std::vector<std::string> files_;
};

/// --layers: which layer broke it.
Exit CheckInvocation::tell_layers() {
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
  return list;
}

}  // namespace

const Subcommand kCheck = {"check", invoke<CheckInvocation>};

}  // namespace soresolve::tool
