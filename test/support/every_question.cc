// Asks each question as the commands do, and checks only what holds for every input: JSON parses, text drives no
// terminal, a refusal has a path and a place. Whether an answer is right is judged elsewhere (test/differential,
// test/machine).
#include "support/every_question.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "cuda/contracts.h"
#include "cuda/cuda_library.h"
#include "cuda/driver.h"
#include "cuda/fatbin.h"
#include "diagnose/diagnose.h"
#include "diagnose/requirement.h"
#include "dlopen/find_dlopens.h"
#include "remedies/find_remedies.h"
#include "report/bindings_report.h"
#include "report/page.h"
#include "soresolve/cuda.h"
#include "soresolve/diagnose.h"
#include "soresolve/doctor.h"
#include "soresolve/remedies.h"
#include "soresolve/report.h"
#include "symbols/floor.h"
#include "symbols/unused_needs.h"

namespace soresolve::test {
namespace {

/// One file in one world, asked as the commands do it.
class Asker {
 public:
  Asker(const WorldSettings& settings, const std::string& file, const QuestionLimits& limits)
      : settings_(settings), world_(settings), file_(file), limits_(limits) {}

  EveryAnswer ask(Question question) {
    switch (question) {
      case Question::Check: check(); break;
      case Question::Why: explain(); break;
      case Question::Bindings: list_bindings(); break;
      case Question::Symvers: tell_versions(); break;
      case Question::Gpu: look_for_gpu_code(); break;
      case Question::Doctor: examine(); break;
    }
    return std::move(answer_);
  }

 private:
  void expect_json(std::string_view question, const std::string& text) {
    ++answer_.answered;
    if (!nlohmann::json::accept(text)) break_rule(question, "its JSON is none");
  }
  void expect_text(std::string_view question, std::string_view text) {
    ++answer_.answered;
    if (!is_harmless_text(text)) break_rule(question, "its text could drive a terminal");
  }
  void expect_document(std::string_view question, const Document& document) {
    const auto is_wanted = [&](std::size_t form) { return limits_.form > 2 || limits_.form == form; };
    if (is_wanted(0)) expect_json(question, to_json(document));
    if (limits_.form == 0) return;
    const Page page = document.page();
    for (const auto& [form, language] : {std::pair{1u, Language::English}, std::pair{2u, Language::Chinese}}) {
      if (!is_wanted(form)) continue;
      expect_text(question, to_text(page, {.language = language, .reader = TextOptions::Reader::Terminal}));
    }
  }
  void break_rule(std::string_view question, std::string_view rule) {
    answer_.broken.push_back(std::string(question) + ": " + std::string(rule));
  }
  void refuse(std::string_view question, const Error& error) { judge_refusal(question, error, answer_); }

  /// The file in its world; nothing if it has none, which is an answer.
  std::optional<Resolution> resolve(std::string_view question, Attempts attempts = Attempts::Discard) {
    Result<Resolution> run = world_.resolve(file_, {.attempts = attempts});
    for (const Error& warning : world_.take_warnings()) refuse(question, warning);
    if (run) return std::move(run).value();
    if (run.error().code != ErrorCode::NotDynamic) refuse(question, run.error());
    return std::nullopt;
  }

  /// ldd, tree, check
  void check() {
    const std::optional<Resolution> run = resolve("check");
    if (!run) return;
    const LinkMap& map = run->map();
    ++answer_.answered;
    static_cast<void>(ldd_text(map));  // the loader's own bytes
    expect_document("ldd", document_of(LddReport{map, file_}));
    const Dlopens later = find_dlopens(map, DlopenLevel::Strings);
    expect_document("tree", document_of(TreeReport{map, file_, later}));
    const std::optional<Answer> answer =
        answer_to("check", {.file = file_, .later = DlopenLevel::Strings, .requirements = requirements()});
    if (!answer) return;
    if (!answer->run()->check()) return refuse("check", answer->run()->check().error());
    if (answer->unreadable()) refuse("check --dlopen", *answer->unreadable());
    expect_document("check", view(*answer, {.as = View::As::Check, .detail = Detail::Full}));
  }

  /// Of a file that is walked.
  std::optional<Answer> answer_to(std::string_view question, const soresolve::Question& asked) {
    Result<Answer> answer = soresolve::ask(world_, asked);
    if (answer) return std::move(answer).value();
    refuse(question, answer.error());
    return std::nullopt;
  }

  static std::vector<Requirement> requirements() {
    std::vector<Requirement> all;
    for (const char* text :
         {"cuda=12.1", "cudnn>=8.9", "driver>=530.30.02", "device=sm_80", "framework=torch", "glibc>=2.17"}) {
      all.push_back(std::move(parse_requirement(text)).value());
    }
    return all;
  }

  /// why
  void explain() {
    if (!resolve("why", Attempts::Discard)) return;
    const std::optional<Answer> answer = answer_to("why", {.file = file_, .attempts = Attempts::Record});
    if (!answer) return;
    const RemedyOptions fixes = {.fix_for = limits_.fix_for, .max_entries = limits_.candidate_entries};
    expect_document("why", view(*answer, {.as = View::As::Why, .detail = Detail::Full, .fixes = fixes}));
  }

  /// bindings
  void list_bindings() {
    const std::optional<Resolution> run = resolve("bindings");
    if (!run) return;
    const LinkMap& map = run->map();
    const Result<Bindings>& bindings = run->bindings();
    if (!bindings) return refuse("bindings", bindings.error());
    BindingsReport report{map, *bindings, file_};
    std::size_t left = limits_.listed_bindings;
    report.list = [left](const SymbolBinding&) mutable { return left != 0 && left-- != 0; };
    report.unused = find_unused_needs(map, *bindings, Needers::All);
    Result<std::vector<Floor>> floors = find_floors(map, *bindings);
    if (floors) {
      report.floors = std::move(floors).value();
    } else {
      refuse("bindings --floor", floors.error());
    }
    expect_document("bindings", document_of(report));
  }

  /// symvers
  void tell_versions() {
    Result<OpenedLibrary> opened = world_.open_library(file_);
    if (!opened) return refuse("symvers", opened.error());
    const Result<VersionedLibrary> library =
        read_versioned_library(*opened->object.file, opened->object.elf, opened->path);
    if (!library) return refuse("symvers", library.error());
    const std::vector<NeedAnswer> needs = {answer_need(*library, "11.0"), answer_need(*library, "GLIBC_2.34"),
                                           answer_need(*library, "f@V1")};
    const std::vector<ForAnswer> needers = {answer_for(*library, *library)};
    const SymversReport report{*library, needs, needers};
    expect_document("symvers", document_of(report, Detail::Full));
    const LibraryDiff diff = compare_libraries(*library, *library);
    expect_document("symvers OLD NEW", document_of(LibraryDiffReport{*library, *library, diff}, Detail::Full));
  }

  /// gpu, gpu --inside, gpu --device
  void look_for_gpu_code() {
    const Result<std::shared_ptr<const FileSystem>> files = world_.files();
    if (!files) return refuse("gpu", files.error());
    const std::string path = world_.absolute(file_);
    const Result<std::unique_ptr<File>, Errno> file = (*files)->open(path);
    if (!file) return;
    const Result<GpuCode> code = read_gpu_code(**file, file_);
    if (!code) return refuse("gpu", code.error());
    for (const Error& damage : code->damages) refuse("gpu", damage);
    const Result<GpuInside> inside = look_inside_gpu_code(**file, file_);
    if (!inside) return refuse("gpu --inside", inside.error());
    const std::optional<CudaLibrary> library = read_cuda_library(**files, path);
    const std::optional<DriverLibrary> driver =
        read_driver_library(**files, path, built_in_contracts().cuda, Certainty::OwnText);
    if (driver.has_value() && !library.has_value()) break_rule("gpu", "a driver is a CUDA library");
    const Result<GpuDevice> device = find_device(built_in_contracts(), "sm_89");
    const GpuVerdict verdict = judge_gpu_code(built_in_contracts(), *code, *device);
    const GpuReport report{file_, *code, &*device, &verdict, library ? &*library : nullptr, &*inside};
    expect_document("gpu", document_of(report, GpuForm::Table, Detail::Full));
    expect_document("gpu", document_of(report, GpuForm::Line));
  }

  /// doctor
  void examine() {
    DoctorOptions options;
    options.environment = Environment(settings_.start.env);
    options.contracts = built_in_contracts();
    const Result<DoctorReport> report = examine_machine(settings_, options);
    if (!report) return refuse("doctor", report.error());
    expect_document("doctor", document_of(*report, Detail::Full));
  }

  const WorldSettings& settings_;
  World world_;
  const std::string& file_;
  const QuestionLimits& limits_;
  EveryAnswer answer_;
};

/// The bytes of one character of UTF-8 at the beginning of `text`; 0 if there is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80       ? 1
                             : byte(0) >> 5 == 6  ? 2
                             : byte(0) >> 4 == 14 ? 3
                             : byte(0) >> 3 == 30 ? 4
                                                  : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 2) return 0;
  }
  return length;
}

}  // namespace

bool is_harmless_text(std::string_view text) {
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    if ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7f) return false;
    const std::size_t bytes = character_bytes(text);
    // C1 controls are two bytes long.
    if (bytes == 0 || (first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0)) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

void judge_refusal(std::string_view question, const Error& error, EveryAnswer& answer) {
  const bool is_inside_a_file = error.code == ErrorCode::Truncated || error.code == ErrorCode::Malformed;
  if (error.path.empty() && error.code != ErrorCode::Usage)
    answer.broken.push_back(std::string(question) + ": a refusal without a path: " + error.message);
  if (error.message.empty()) answer.broken.push_back(std::string(question) + ": a refusal without a reason");
  if (is_inside_a_file && !error.offset) {
    answer.broken.push_back(std::string(question) + ": a refusal without a place: " + error.to_string());
  }
  answer.refusals.push_back(error);
}

EveryAnswer ask(const WorldSettings& settings, const std::string& file, Question question,
                const QuestionLimits& limits) {
  return Asker(settings, file, limits).ask(question);
}

}  // namespace soresolve::test
