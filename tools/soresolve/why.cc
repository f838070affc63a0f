// soresolve why: what is missing or surprising, and every attempt that was made.
#include "diagnose/rpath_entries.h"
#include "progress.h"
#include "report/rpath_report.h"
#include "soresolve/remedies.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

struct RpathFacts {
  Resolution run;
  std::vector<RpathTag> tags = {};
};

Output shown_why(const Answer& answer, const WorldOptions& options, RemedyOptions fixes, Strict strict) {
  View how = {.as = View::As::Why, .detail = detail_of(options), .strict = strict, .fixes = std::move(fixes)};
  Progress progress("looking for libraries");
  how.fixes.goes_on = [&](std::size_t entries) { return progress.step(entries); };
  static_cast<void>(answer.diagnosis_with_fixes(how.fixes));
  progress.clear();
  how.fixes.goes_on = {};
  return shown(answer, how);
}

Question question_about(const std::string& file, DlopenLevel later) {
  return {.file = file, .later = later, .attempts = Attempts::Record};
}

class WhyInvocation final : public Invocation {
 public:
  OptionList options() override;
  std::vector<std::string>* plain_words() override { return &files_; }

  Exit run() override {
    if (const auto exit = complete_files(kWhy, options_, files_, typed())) return *exit;
    WorldHere world(options_);
    for (std::string& directory : remedies_.search) {
      Result<std::string> path = world.absolute(directory);
      if (!path) return report_error(path.error());
      directory = std::move(path).value();
    }
    const Headings headings = options_.json ? Headings::None : Headings::OfSeveral;
    if (wants_rpath_) {
      answer_each(files_, headings,
                  [&](const std::string& file) { return print(rpath_answer(world, file), options_, {}); });
    }
    if (std::optional<Result<Answer>> answer = answer_about_second(world)) {
      answer_each({files_.front()}, headings, [&](const std::string& file) { return print_one(file, *answer); });
    }
    if (const auto exit = refuse_many_pages("why", options_, files_.size())) return *exit;
    answer_each(files_, headings,
                [&](const std::string& file) { return print_one(file, world.ask(question_about(file, dlopen_))); });
  }

 private:
  Result<Output> rpath_answer(WorldHere& world, const std::string& file) {
    Result<Resolution> run = world.resolve(file, {.attempts = Attempts::Record});
    if (!run) return Unexpected{std::move(run).error()};
    const auto facts = std::make_shared<RpathFacts>(RpathFacts{*std::move(run)});
    facts->tags = read_rpaths(facts->run.map());
    const RpathReport report{facts->run.map(), facts->tags, std::string(facts->run.file())};
    return Output{Exit::Good, document_of(report), {}, facts};
  }

  /// `why FILE SONAME`: of two words the second is a library name if FILE or what it loads needs it, or if it is no
  /// file; otherwise both are files. nullopt: they are.
  std::optional<Result<Answer>> answer_about_second(WorldHere& world) {
    if (files_.size() != 2) return std::nullopt;
    const bool is_file = world.has_file(files_[1]);
    Result<Answer> answer = world.ask(question_about(files_[0], dlopen_));
    const bool is_asked = !is_file || (answer && answer->asks_for(files_[1]));
    if (!is_asked) return std::nullopt;
    return answer ? answer->about(files_[1]) : std::move(answer);
  }

  Output print_one(const std::string& file, const Result<Answer>& answer) {
    if (!answer) return print(Unexpected{answer.error()}, options_, {});
    return print(shown_why(*answer, options_, remedies_, strict()), options_, page_title("why", options_, file));
  }

  [[nodiscard]] Strict strict() const { return is_strict_ ? Strict::Yes : Strict::No; }

  WorldOptions options_;
  DlopenLevel dlopen_ = DlopenLevel::Known;
  bool is_strict_ = false;
  bool wants_rpath_ = false;
  RemedyOptions remedies_;
  std::vector<std::string> files_;
};

OptionList WhyInvocation::options() {
  OptionList list = {
      files_option(files_),
      strict_option(is_strict_),
      {.names = {"--rpath"}, .into = &wants_rpath_},
      language_option(options_.language),
      html_option(options_),
      dlopen_option(dlopen_),
  };
  append(list, driver_options(options_));
  append(list, world_options(options_));
  list.push_back(
      {.names = {"--fix-for"},
       .value = "KIND",
       .into = one_of<FixFor>(
           remedies_.fix_for,
           {{"env", FixFor::Environment}, {"system", FixFor::System}, {"file", FixFor::File}, {"all", FixFor::All}}),
       .choices = {"env", "system", "file", "all"}});
  list.push_back({.names = {"--search"}, .value = "DIR", .into = &remedies_.search});
  return list;
}

}  // namespace

const Subcommand kWhy = {"why", invoke<WhyInvocation>};

Result<Output> why_answer(WorldHere& world, const WorldOptions& options, const std::string& file,
                          const std::string& about, BareName bare_name) {
  Question question = question_about(file, DlopenLevel::Known);
  question.process = options.process;
  question.process->bare_name = bare_name;
  question.about = about;
  const Result<Answer> answer = world.ask(std::move(question));
  if (!answer) return Unexpected{answer.error()};
  return shown_why(*answer, options, {}, Strict::No);
}

}  // namespace soresolve::tool
