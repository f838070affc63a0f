// soresolve scan: every program and module of a tree, each in its own process.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "base/number_text.h"
#include "base/small_file.h"
#include "base/text.h"
#include "input.h"
#include "packed_places.h"
#include "progress.h"
#include "report/page.h"
#include "report/survey_reader.h"
#include "result_file.h"
#include "soresolve/report.h"
#include "soresolve/survey.h"
#include "subcommand.h"
#include "survey/layer_survey.h"
#include "survey/policy.h"
#include "survey/who.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

/// Set by SIGINT: the survey ends, and what is known is printed.
std::atomic<bool> is_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);
extern "C" void note_interrupt(int) { is_interrupted.store(true, std::memory_order_relaxed); }

enum class ScanFormat : std::uint8_t { Text, JsonLines, Sarif, Junit, Github, Dot, Html };

struct ScanOptions {
  WorldOptions world;
  ScanFormat format = ScanFormat::Text;
  std::string output;
  std::string anchor;
  std::string only;
  std::string baseline;
  std::string new_baseline;
  std::string config;
  DlopenLevel dlopen = DlopenLevel::Known;
  unsigned memory_mib = 0;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool strict = false;
  bool allows_empty = false;
  bool quiet = false;
  bool has_no_fixes = false;
  bool tells_progress = false;
  bool by_layers = false;
};

/// How far a scan is, for a program that reads the JSON Lines: records of their own before the first line of the
/// answer, at most ten a second, and one each where all files are found and where all are judged.
class ProgressRecords {
 public:
  void note(const SurveyProgress& now) {
    const bool is_turn = last_.is_finding && !now.is_finding;
    // Threads come one at a time, not in the order of their numbers.
    last_ = {now.files, std::max(last_.judged, now.judged), now.is_finding};
    const Clock::time_point time = Clock::now();
    if (is_turn || time - written_ >= std::chrono::milliseconds(100)) write(time);
  }
  void finish() {
    last_.is_finding = false;
    write(Clock::now());
  }

 private:
  using Clock = std::chrono::steady_clock;
  void write(Clock::time_point time) {
    written_ = time;
    write_json(R"({"type":"progress","files":)" + std::to_string(last_.files) + R"(,"judged":)" +
               std::to_string(last_.judged) + R"(,"is_finding":)" + (last_.is_finding ? "true" : "false") + "}\n");
  }
  SurveyProgress last_ = {};
  Clock::time_point written_ = Clock::now();
};

/// "Dockerfile:12", "Dockerfile".
std::optional<ResultAnchor> parse_anchor(const std::string& text) {
  ResultAnchor anchor;
  const std::size_t colon = text.rfind(':');
  anchor.file = text.substr(0, colon);
  if (colon == std::string::npos) return anchor;
  anchor.line = parse_number<decltype(anchor.line)>(text.substr(colon + 1)).value_or(0);
  if (anchor.line == 0 || anchor.file.empty()) return std::nullopt;
  return anchor;
}

/// The text of a file of the user's own. Errors: Unreadable, LimitReached.
Result<std::string> read_own_file(const std::string& path) {
  const std::unique_ptr<FileSystem> files = host_file_system();
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return read_text_file(*files, absolute.string(), path);
}

constexpr const char* kConfigName = "soresolve.toml";

/// Is `path` one of these directories and files, or below one? All without links.
bool is_inside(const std::filesystem::path& path, const std::vector<std::filesystem::path>& places) {
  return std::any_of(places.begin(), places.end(), [&](const std::filesystem::path& place) {
    return std::mismatch(place.begin(), place.end(), path.begin(), path.end()).first == place.end();
  });
}

/// Nobody else than who asks and the superuser decides how something is judged, as git has it for its own configuration
/// (safe.directory): in /tmp anybody can lay a file above the working directory. Under sudo the user who called it is
/// the one who asks.
bool is_of_stranger(const std::filesystem::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return true;
  const char* const caller = ::geteuid() == 0 ? std::getenv("SUDO_UID") : nullptr;
  const auto sudo = parse_number<uid_t>(caller == nullptr ? "" : caller);
  const bool is_own = status.st_uid == 0 || status.st_uid == ::geteuid() || (sudo && status.st_uid == *sudo);
  return !is_own || (status.st_mode & S_IWOTH) != 0;
}

/// The file that says what counts where no option names one, and those that have no say: nothing in what is judged
/// decides how it is judged.
struct FoundConfig {
  std::string path;  ///< the nearest soresolve.toml from the working directory upwards; empty: there is none
  std::vector<std::string> inside;
  std::vector<std::string> strangers;  ///< that others may have written
};

/// `judged`: places and roots of this machine, as they were named.
FoundConfig find_config(const std::vector<std::string>& judged) {
  FoundConfig found;
  std::error_code error;
  std::vector<std::filesystem::path> places;
  for (const std::string& name : judged) {
    places.push_back(std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error));
    const std::filesystem::path candidate = std::filesystem::path(name) / kConfigName;
    if (std::filesystem::is_regular_file(candidate, error)) found.inside.push_back(candidate.string());
  }
  const std::filesystem::path start = std::filesystem::current_path(error);
  if (error) return found;
  for (std::filesystem::path at = start;; at = at.parent_path()) {
    const std::filesystem::path candidate = at / kConfigName;
    if (std::filesystem::is_regular_file(candidate, error) &&
        !is_inside(std::filesystem::weakly_canonical(candidate, error), places)) {
      if (!is_of_stranger(candidate)) {
        found.path = at == start ? kConfigName : candidate.string();
        return found;
      }
      found.strangers.push_back(candidate.string());
    }
    if (at == at.root_path() || at.empty()) return found;
  }
}

SurveyDay today() {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return {static_cast<int>(day.year()), static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day())};
}

/// What does not count, and what a policy demands.
struct Excuses {
  SurveyPolicy policy;
  SurveyBaseline baseline;
  std::vector<std::string> inside;     ///< files of that name that have no say, since they lie in what is judged
  std::vector<std::string> strangers;  ///< likewise, since others may have written them
};

Result<Excuses> read_excuses(const ScanOptions& options, const std::vector<std::string>& places) {
  Excuses excuses;
  std::string config = options.config;
  if (config.empty()) {
    FoundConfig found = find_config(options.world.where.root.empty() ? places : std::vector{options.world.where.root});
    config = std::move(found.path);
    excuses.inside = std::move(found.inside);
    excuses.strangers = std::move(found.strangers);
  }
  if (!config.empty() && config != "none") {
    const Result<std::string> text = read_own_file(config);
    if (!text) return Unexpected{text.error()};
    Result<SurveyPolicy> policy = parse_policy(*text, config);
    if (!policy) return Unexpected{std::move(policy).error()};
    excuses.policy = std::move(policy).value();
  }
  if (!options.baseline.empty()) {
    const Result<std::string> text = read_own_file(options.baseline);
    if (!text) return Unexpected{text.error()};
    Result<SurveyBaseline> baseline = parse_baseline(*text, options.baseline);
    if (!baseline) return Unexpected{std::move(baseline).error()};
    excuses.baseline = std::move(baseline).value();
  }
  return excuses;
}

class ScanInvocation final : public Invocation {
 public:
  OptionList options() override;
  std::vector<std::string>* plain_words() override { return &places_; }
  Exit run() override;

 private:
  [[nodiscard]] SurveyOptions survey_options(const Excuses& excuses) const;
  /// What a process has loaded is judged, and no tree is searched.
  [[nodiscard]] bool is_of_process() const { return options_.world.live.pid != 0 || !options_.world.live.core.empty(); }
  Result<Survey> judge(const std::vector<std::string>& places, SurveyOptions options) const;
  std::optional<Error> apply_excuses(Survey& found, const Excuses& excuses) const;
  void add_to_page(SurveyReport& report, SurveyOptions options);
  std::optional<Error> add_layers(SurveyReport& report, const std::vector<std::string>& places,
                                  const SurveyOptions& options);
  std::optional<Error> write(const SurveyReport& report, const ResultAnchor& anchor) const;
  void write_as(const SurveyReport& report, const ResultAnchor& anchor,
                const std::function<void(std::string_view)>& write) const;

  ScanOptions options_;
  std::vector<std::string> places_;
  std::string title_;  ///< of a page
  std::optional<SurveySizes> sizes_;
  std::optional<Unused> unused_;
  std::optional<LayerSurvey> layers_;
};

void ScanInvocation::write_as(const SurveyReport& report, const ResultAnchor& anchor,
                              const std::function<void(std::string_view)>& write) const {
  switch (options_.format) {
    case ScanFormat::Text:
      return write(to_text(document_of(report, detail_of(options_.world)), text_options(options_.world)));
    case ScanFormat::JsonLines: return document_of(report).data(write);
    case ScanFormat::Sarif: return write_sarif(report, anchor, write);
    case ScanFormat::Junit: return write_junit(report, write);
    case ScanFormat::Github: return write_annotations(report, anchor, write);
    case ScanFormat::Dot: return write_dot(report, write);
    case ScanFormat::Html:
      return write_html(document_of(report), {title_, language_of(options_.world.language), DataForm::Lines}, write);
  }
}

/// The survey, with what shows its progress.
Result<Survey> ScanInvocation::judge(const std::vector<std::string>& places, SurveyOptions options) const {
  std::signal(SIGINT, note_interrupt);
  SurveyBar bar;
  ProgressRecords records;
  options.progress = [&](const SurveyProgress& now) {
    bar.show(now);
    if (options_.tells_progress) records.note(now);
  };
  const WorldSettings settings = settings_here(options_.world);
  Result<Survey> found = is_of_process() ? survey_process(settings, options) : survey(settings, places, options);
  bar.clear();
  if (found && options_.tells_progress) records.finish();
  return found;
}

SurveyOptions ScanInvocation::survey_options(const Excuses& excuses) const {
  SurveyOptions options;
  options.jobs = options_.jobs;
  options.dlopens = options_.only.empty() ? options_.dlopen : DlopenLevel::None;
  options.judges_cuda = options_.only.empty();
  options.fixes = options_.has_no_fixes ? SurveyFixes::None : SurveyFixes::Tried;
  options.demands = std::make_shared<const SurveyDemands>(excuses.policy.demands);
  options.max_resident_bytes = std::size_t{options_.memory_mib} << 20;
  options.stop = &is_interrupted;
  return options;
}

/// Takes away what the policy and the baseline excuse, after the new baseline was written: that has all causes.
std::optional<Error> ScanInvocation::apply_excuses(Survey& found, const Excuses& excuses) const {
  if (!options_.new_baseline.empty() && !found.is_interrupted && !found.is_out_of_memory) {
    const std::string text = baseline_of(found);
    auto error = write_result_file(options_.new_baseline,
                                   [&](const std::function<void(std::string_view)>& write) { write(text); });
    if (error) return error;
  }
  const bool has_excuses = !excuses.policy.path.empty() || !excuses.baseline.path.empty();
  if (has_excuses) apply_policy(found, excuses.policy, excuses.baseline, today());
  for (const std::string& file : excuses.inside) {
    found.remarks.push_back(say("policy-inside", {{"file", file}, {"typed", shell_path(file)}}));
  }
  for (const std::string& file : excuses.strangers) {
    found.remarks.push_back(say("policy-of-stranger", {{"file", file}, {"typed", shell_path(file)}}));
  }
  return std::nullopt;
}

/// What a page shows beside the report. They stay here, and the report points to them.
void ScanInvocation::add_to_page(SurveyReport& report, SurveyOptions options) {
  const bool wants_page = options_.format == ScanFormat::Html || !options_.world.html.empty();
  if (!wants_page || is_of_process() || report.survey.is_interrupted || report.survey.is_out_of_memory) return;
  options.progress = {};
  const WorldSettings settings = settings_here(options_.world);
  if (Result<SurveySizes> got = sizes_of(report.survey, settings, options)) sizes_ = *std::move(got);
  if (Result<Unused> got = find_unused(report.survey, settings, options)) unused_ = *std::move(got);
  if (!sizes_ || !unused_ || is_interrupted) return;
  report.sizes = &*sizes_;
  report.unused = &*unused_;
}

/// --layers: what each layer of the image did. It stays here, and the report points to it.
std::optional<Error> ScanInvocation::add_layers(SurveyReport& report, const std::vector<std::string>& places,
                                                const SurveyOptions& options) {
  if (!options_.by_layers || report.survey.is_interrupted || report.survey.is_out_of_memory) return std::nullopt;
  Result<LayerSurvey> layers = survey_layers(settings_here(options_.world), places, options, report.survey);
  if (!layers) return std::move(layers).error();
  layers_ = std::move(*layers);
  report.layers = &*layers_;
  return std::nullopt;
}

/// Errors: a file cannot be written.
std::optional<Error> ScanInvocation::write(const SurveyReport& report, const ResultAnchor& anchor) const {
  const bool is_reported = !options_.quiet || !is_good(report);
  const auto page = [&] { return document_of(report, detail_of(options_.world)); };
  if (!options_.output.empty()) {
    auto error = write_result_file(options_.output, [&](const std::function<void(std::string_view)>& write_part) {
      write_as(report, anchor, write_part);
    });
    if (error) return error;
    if (is_reported) write_page(page().page(), options_.world);
  } else if (options_.format != ScanFormat::Text) {
    write_as(report, anchor, [](std::string_view part) { write_json(part); });
  } else if (!is_reported) {
    write_page(suppressed_page(report), options_.world);
  } else {
    write_document(page(), options_.world);
  }
  return std::nullopt;
}

Exit ScanInvocation::run() {
  if (options_.world.json) options_.format = ScanFormat::JsonLines;
  if (options_.format == ScanFormat::JsonLines) answer_errors_in_json("scan");
  if (places_.empty() && options_.world.where.root.empty() && !is_of_process()) {
    return refuse_missing(kScan, "PLACE or --root is required");
  }
  if (!places_.empty() && is_of_process()) {
    return refuse_usage("scan", "--pid and --core are about what a process has loaded: no PLACE goes with them");
  }
  const std::optional<ResultAnchor> anchor = parse_anchor(options_.anchor);
  if (!anchor) return refuse_usage("scan", "--anchor takes FILE or FILE:LINE");
  if (options_.tells_progress && options_.format != ScanFormat::JsonLines) {
    return refuse_usage("scan", "--progress requires --json");
  }
  if (const auto exit = name_input(kScan, options_.world, places_)) return *exit;
  title_ = "soresolve scan";
  if (!options_.world.container.empty()) {
    title_ += " --container " + options_.world.container;
  } else if (!options_.world.where.root.empty()) {
    title_ += " --root " + options_.world.where.root;
  }
  for (const std::string& place : places_) title_ += " " + place;
  if (options_.world.live.pid != 0) title_ += " --pid " + std::to_string(options_.world.live.pid);
  if (!options_.world.live.core.empty()) title_ += " --core " + options_.world.live.core;
  const Result<PackedPlaces> packed = enter_packed_places(options_.world, places_);
  if (!packed) return report_error(packed.error());
  WorldHere world(options_.world);
  if (options_.format != ScanFormat::JsonLines && !options_.quiet) world.report_driver();
  const Result<std::vector<std::string>> places = find_places(world, options_.world, places_, *packed);
  if (!places) return report_error(places.error());
  const Result<Excuses> excuses = read_excuses(options_, *places);
  if (!excuses) return report_error(excuses.error());

  if (options_.by_layers) {
    const std::shared_ptr<const Place> place = settings_here(options_.world).where.place;
    if (!place || !place->layers) {
      return refuse_usage("scan", "--layers asks about the layers of an image: as PLACE or --root");
    }
  }
  const SurveyOptions options = survey_options(*excuses);
  Result<Survey> found = judge(*places, options);
  if (!found) return report_error(found.error());
  if (const auto error = apply_excuses(*found, *excuses)) {
    report_error(*error);
    return Exit::Failure;
  }
  const std::string root = options_.world.where.root.empty() ? "/" : options_.world.where.root;
  SurveyReport report{*found, root, options_.strict ? Strict::Yes : Strict::No};
  report.empty = options_.allows_empty ? EmptyTree::Allowed : EmptyTree::Refused;
  for (const std::string& file : {excuses->policy.path, excuses->baseline.path}) {
    if (!file.empty()) report.ruled_by.push_back(file);
  }
  if (const auto error = add_layers(report, *places, options)) return report_error(*error);
  add_to_page(report, options);
  if (write_html_file(document_of(report), options_.world, title_, DataForm::Lines) != Exit::Good) return Exit::Failure;
  if (const auto error = write(report, *anchor)) {
    report_error(*error);
    return Exit::Failure;
  }
  if (found->is_interrupted) finish(Exit::Usage);
  switch (answer_of(report)) {
    case SurveyAnswer::Good: finish(Exit::Good);
    case SurveyAnswer::Fails: finish(Exit::Problem);
    case SurveyAnswer::NotKnown: finish(Exit::Usage);
  }
  finish(Exit::Failure);
}

OptionList ScanInvocation::options() {
  OptionList list = {
      {.names = {"PLACE"}, .into = &places_},
      {.names = {"--format"},
       .value = "FORMAT",
       .into = one_of<ScanFormat>(options_.format, {{"text", ScanFormat::Text},
                                                    {"json", ScanFormat::JsonLines},
                                                    {"sarif", ScanFormat::Sarif},
                                                    {"junit", ScanFormat::Junit},
                                                    {"github", ScanFormat::Github},
                                                    {"dot", ScanFormat::Dot},
                                                    {"html", ScanFormat::Html}}),
       .choices = {"text", "json", "sarif", "junit", "github", "dot", "html"}},
      {.names = {"-o", "--output"}, .value = "FILE", .into = &options_.output},
      {.names = {"--anchor", "--sarif-anchor"}, .value = "FILE:LINE", .into = &options_.anchor},
      {.names = {"-q", "--quiet"}, .into = &options_.quiet},
      {.names = {"--progress"}, .into = &options_.tells_progress},
      {.names = {"--baseline"}, .value = "FILE", .into = own_file(options_.baseline)},
      {.names = {"--write-baseline"}, .value = "FILE", .into = &options_.new_baseline},
      {.names = {"--config"}, .value = "FILE", .into = own_file(options_.config)},
      {.names = {"--layers"}, .into = &options_.by_layers},
      {.names = {"--no-fixes"}, .into = &options_.has_no_fixes},
      {.names = {"--memory"}, .value = "MIB", .into = &options_.memory_mib, .range = ValueRange{1, 1 << 24}},
      {.names = {"--allow-empty"}, .into = &options_.allows_empty},
      strict_option(options_.strict),
      only_option(options_.only),
      language_option(options_.world.language),
      html_option(options_.world),
      dlopen_option(options_.dlopen),
      jobs_option(options_.jobs),
  };
  append(list, live_options(options_.world));
  append(list, place_options(options_.world));
  append(list, driver_options(options_.world));
  return list;
}

}  // namespace

const Subcommand kScan = {"scan", invoke<ScanInvocation>};

}  // namespace soresolve::tool
