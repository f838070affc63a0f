// soresolve why: what is missing or surprising, and every attempt that was made.
#include <set>

#include "base/path.h"
#include "diagnose/diagnose.h"
#include "diagnose/rpath_entries.h"
#include "large_pages.h"
#include "loader/process.h"
#include "loader/system.h"
#include "progress.h"
#include "report/rpath_report.h"
#include "soresolve/diagnose.h"
#include "soresolve/remedies.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

/// What is asked about one file.
struct Subject {
  Resolution run;
  std::string asked;  ///< the one library that is to be explained; empty: all
};

ResolveOptions with_attempts() { return {.attempts = Attempts::Record}; }

/// The one library that FILE or what it loads requires, or opens later, and that a name without its version or its
/// "lib" stands for: libhelper and helper for libhelper.so.1. `asked` itself where there is none, or more than one.
std::string library_meant(const Resolution& run, DlopenLevel level, const std::string& asked) {
  std::set<std::string> meant;
  const auto take = [&](std::string_view name) {
    const std::string_view last = file_name_of(name);
    for (const std::string& start : {asked, "lib" + asked}) {
      const bool is_start = last.starts_with(start) && last.size() > start.size();
      if (is_start && last.substr(start.size()).starts_with(start.ends_with(".so") ? "." : ".so")) meant.emplace(name);
    }
  };
  for (const LoadedObject& object : run.map().objects) {
    for (const Need& need : object.needs) take(need.name);
  }
  for (const Dlopen& opened : run.checked_dlopens(level).dlopens.list) {
    for (const auto& choice : opened.choices) take(choice.name);
  }
  return meant.size() == 1 ? *meant.begin() : asked;
}

/// `why FILE SONAME`: of two words the second is a library name if FILE or what it loads needs it, or if it is no
/// file; otherwise both are files. nullopt: they are.
std::optional<Result<Subject>> take_asked(WorldHere& world, DlopenLevel level, const std::vector<std::string>& files) {
  if (files.size() != 2) return std::nullopt;
  const bool is_file = world.has_file(files[1]);
  Result<Resolution> run = world.resolve(files[0], with_attempts());
  const bool is_asked = !is_file || (run && !requests_for(run->map(), files[1]).empty());
  if (!is_asked) return std::nullopt;
  if (!run) return Unexpected{std::move(run).error()};
  const bool is_known = !requests_for(run->map(), files[1]).empty();
  std::string asked = is_known ? files[1] : library_meant(*run, level, files[1]);
  return Subject{std::move(*run), std::move(asked)};
}

struct RpathFacts {
  Resolution run;
  std::vector<RpathTag> tags = {};
};

/// What is said of it; borrowed by documents.
struct WhyFacts {
  Subject subject;
  Diagnosis diagnosis = {};
};

Answer answer_of(const WorldOptions& options, DlopenLevel level, Subject asked_about, const RemedyOptions& remedies,
                 Strict strict) {
  const auto facts = std::make_shared<WhyFacts>(WhyFacts{std::move(asked_about)});
  const Subject& subject = facts->subject;
  const LinkMap& map = subject.run.map();
  const std::string& asked = subject.asked;
  prepare_heap(map);
  Dlopens dlopens = subject.run.checked_dlopens(level).dlopens;
  if (const auto& unchecked = subject.run.checked_dlopens(level).unchecked) dlopens.damaged.push_back(*unchecked);
  Diagnosis& diagnosis = facts->diagnosis = diagnose(subject.run, asked, std::move(dlopens));
  RemedyOptions limited = remedies;
  limited.import = subject.run.import();
  limited.import_end = subject.run.import_end();
  if (subject.run.import() != nullptr) limited.import_wheel = subject.run.import()->wheel;
  Progress progress("looking for libraries");
  limited.goes_on = [&](std::size_t entries) { return progress.step(entries); };
  find_remedies(subject.run, diagnosis, limited);
  progress.clear();
  const PythonImport* const import = subject.run.import();
  const Document document = document_of(WhyReport{map, diagnosis, subject.run.file(), import}, detail_of(options));
  const bool is_asked_missing = !asked.empty() && diagnosis.asked_requests.empty() && diagnosis.dlopens.list.empty();
  const bool fails =
      diagnosis.answer == Verdict::Fails || (diagnosis.answer == Verdict::Depends && strict == Strict::Yes);
  const bool is_import_missing = import != nullptr && !import->exception.empty();
  return {fails || is_asked_missing || is_import_missing ? Exit::Problem : Exit::Good, document, document, facts};
}

}  // namespace

namespace {

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
    remedies_.owners = world.owners();
    const Headings headings = options_.json ? Headings::None : Headings::OfSeveral;
    if (wants_rpath_) {
      answer_each(files_, headings,
                  [&](const std::string& file) { return print(rpath_answer(world, file), options_, {}); });
    }
    if (std::optional<Result<Subject>> subject = take_asked(world, dlopen_, files_)) {
      answer_each({files_.front()}, headings,
                  [&](const std::string& file) { return print_one(world, file, std::move(*subject)); });
    }
    if (const auto exit = refuse_many_pages("why", options_, files_.size())) return *exit;
    answer_each(files_, headings, [&](const std::string& file) {
      Result<Resolution> run = world.resolve(file, with_attempts());
      if (!run) return print_one(world, file, Unexpected{std::move(run).error()});
      return print_one(world, file, Subject{*std::move(run), {}});
    });
  }

 private:
  Result<Answer> rpath_answer(WorldHere& world, const std::string& file) {
    Result<Resolution> run = world.resolve(file, with_attempts());
    if (!run) return Unexpected{std::move(run).error()};
    const auto facts = std::make_shared<RpathFacts>(RpathFacts{*std::move(run)});
    facts->tags = read_rpaths(facts->run.map());
    const RpathReport report{facts->run.map(), facts->tags, std::string(facts->run.file())};
    return Answer{Exit::Good, document_of(report), {}, facts};
  }

  Answer print_one(WorldHere& world, const std::string& file, Result<Subject> subject) {
    Result<Answer> answer = subject
                                ? answer_of(options_, dlopen_, *std::move(subject), remedies_, strict())
                                : refusal_answer(world, RefusalReport::Command::Why, options_, file, subject.error());
    return print(std::move(answer), options_, page_title("why", options_, file));
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

Result<Answer> why_answer(WorldHere& world, const WorldOptions& options, const std::string& file,
                          const std::string& asked, BareName bare_name) {
  ResolveOptions how = with_attempts();
  how.process = options.process;
  how.process->bare_name = bare_name;
  Result<Resolution> run = world.resolve(file, how);
  if (!run) return refusal_answer(world, RefusalReport::Command::Why, options, file, run.error());
  return answer_of(options, DlopenLevel::Known, {*std::move(run), asked}, {}, Strict::No);
}

}  // namespace soresolve::tool
