// soresolve who: who needs a library or a symbol of a tree.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/small_file.h"
#include "input.h"
#include "packed_places.h"
#include "progress.h"
#include "report/page.h"
#include "report/survey_reader.h"
#include "report/who_report.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "survey/who.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

/// Set by SIGINT: what is known by then is printed.
std::atomic<bool> is_ended = false;
extern "C" void end_search(int) { is_ended.store(true, std::memory_order_relaxed); }

Page interrupted_page() {
  Page page;
  page.line(bad(say("scan-interrupted")));
  return page;
}

/// A name with a slash is a path, unless it is one of C++ ("operator/(…)").
bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos && name.find("operator/") == std::string::npos;
}

class WhoInvocation final : public Invocation {
 public:
  OptionList options() override;
  Exit run() override;

 private:
  Result<WhoAnswer> answer(const Survey& survey, const SurveyOptions& options);
  Exit report(const WhoReport& report);
  Exit answer_from_file();
  Exit report_unknown(const WhoAnswer& answer) const;
  Exit report_what_is_unused(const Survey& survey, const SurveyOptions& options) const;

  WorldOptions world_;
  WhoOptions who_;
  DlopenLevel dlopen_ = DlopenLevel::Known;
  unsigned jobs_ = std::max(1u, std::thread::hardware_concurrency());
  bool is_quiet_ = false;
  bool by_needs_ = false;
  bool is_unused_ = false;
  std::string from_;
  std::string name_;
  std::vector<std::string> places_;
};

/// A library first: names of libraries and of symbols hardly ever meet.
Result<WhoAnswer> WhoInvocation::answer(const Survey& survey, const SurveyOptions& options) {
  WhoAnswer found = who_needs(survey, name_);
  if (found.copies.empty() && !is_path(name_) && !by_needs_) {
    Result<WhoAnswer> symbol = who_references(survey, name_, settings_here(world_), options);
    if (!symbol || symbol->is_defined) return symbol;
  }
  if (found.copies.empty() || by_needs_) return found;
  if (std::optional<Error> error = add_bindings(found, survey, settings_here(world_), options)) {
    return Unexpected{std::move(*error)};
  }
  return found;
}

Exit WhoInvocation::report(const WhoReport& report) {
  who_.detail = detail_of(world_);
  if (!is_quiet_) write_document(document_of(report, who_), world_);
  if (report.answer.is_interrupted || unread_count(report.survey, report.answer) != 0) finish(Exit::Usage);
  finish(report.answer.needer_count() + report.answer.binder_count() == 0 ? Exit::Problem : Exit::Good);
}

/// The JSON Lines of a scan say who needs what, and nothing of symbols.
Exit WhoInvocation::answer_from_file() {
  if (is_unused_ || !places_.empty() || !world_.where.root.empty()) {
    return refuse_usage("who", "--from takes a NAME, no PLACE, no --root and no --unused");
  }
  std::error_code error;
  const std::unique_ptr<FileSystem> files = host_file_system();
  const std::string absolute = std::filesystem::absolute(from_, error).string();
  const Result<std::string> text = read_text_file(*files, absolute, from_);
  if (!text) return report_error(text.error());
  const Result<ReadSurvey> read = read_survey(*text, from_);
  if (!read) return report_error(read.error());
  const WhoAnswer answer = who_needs(read->survey, name_);
  if (answer.copies.empty()) return report_unknown(answer);
  return report({read->survey, answer, read->root});
}

Exit WhoInvocation::report_unknown(const WhoAnswer& answer) const {
  if (answer.is_interrupted) {
    write_page(interrupted_page(), world_);
    finish(Exit::Usage);
  }
  std::string near;
  for (const std::string& name : answer.near) near += (near.empty() ? "; similar names: " : ", ") + name;
  return report_error(Error{ErrorCode::NotFound, name_, {}, "no library, file or symbol of this name is here" + near});
}

Exit WhoInvocation::report_what_is_unused(const Survey& survey, const SurveyOptions& options) const {
  const Result<Unused> unused = find_unused(survey, settings_here(world_), options);
  if (!unused) return report_error(unused.error());
  const UnusedReport report{survey, *unused, world_.where.root.empty() ? "/" : world_.where.root};
  if (!is_quiet_) write_document(document_of(report, detail_of(world_)), world_);
  if (unused->is_interrupted || unread_count(survey) != 0) finish(Exit::Usage);
  finish(unused->files.empty() ? Exit::Good : Exit::Problem);
}

Exit WhoInvocation::run() {
  if (is_unused_ && !name_.empty()) places_.insert(places_.begin(), std::exchange(name_, {}));
  if (!is_unused_ && name_.empty()) {
    return refuse_missing(kWho, "NAME is required");
  }
  if (!from_.empty()) return answer_from_file();
  if (places_.empty() && world_.where.root.empty()) {
    return refuse_missing(kWho, "PLACE or --root is required");
  }
  if (const auto exit = name_input(kWho, world_, places_)) return *exit;
  const Result<PackedPlaces> packed = enter_packed_places(world_, places_);
  if (!packed) return report_error(packed.error());
  WorldHere world(world_);
  const Result<std::vector<std::string>> places = find_places(world, world_, places_, *packed);
  if (!places) return report_error(places.error());
  if (is_path(name_)) {
    const Result<std::string> path = world.absolute(name_);
    if (!path) return report_error(path.error());
    const Result<std::shared_ptr<const FileSystem>> files = world.files();
    if (!files) return report_error(files.error());
    const Result<std::string, Errno> real = (*files)->real_path(*path);
    name_ = real ? *real : *path;
  }
  std::signal(SIGINT, end_search);
  SurveyOptions options;
  options.jobs = jobs_;
  options.dlopens = dlopen_;
  options.looks_for = SurveyLooksFor::Edges;
  options.stop = &is_ended;
  SurveyBar bar;
  options.progress = [&bar](const SurveyProgress& now) { bar.show(now); };
  const Result<Survey> found = survey(settings_here(world_), *places, options);
  bar.clear();
  options.progress = {};
  if (!found) return report_error(found.error());
  if (is_unused_) return report_what_is_unused(*found, options);
  const Result<WhoAnswer> known = answer(*found, options);
  if (!known) return report_error(known.error());
  if (known->copies.empty() && !known->is_defined) return report_unknown(*known);
  return report(
      {*found, *known, world_.where.root.empty() ? "/" : world_.where.root, settings_here(world_).where.place});
}

OptionList WhoInvocation::options() {
  OptionList list = {
      {.names = {"NAME"}, .into = &name_},
      {.names = {"PLACE"}, .into = &places_},
      {.names = {"-d", "--depth"}, .value = "N", .into = &who_.max_depth},
      {.names = {"--by-needs"}, .into = &by_needs_},
      {.names = {"--from"}, .value = "FILE", .into = own_file(from_)},
      {.names = {"--unused"}, .into = &is_unused_},
      {.names = {"-q", "--quiet"}, .into = &is_quiet_},
      language_option(world_.language),
      dlopen_option(dlopen_),
      jobs_option(jobs_),
  };
  append(list, place_options(world_));
  return list;
}

}  // namespace

const Subcommand kWho = {"who", invoke<WhoInvocation>};

}  // namespace soresolve::tool
