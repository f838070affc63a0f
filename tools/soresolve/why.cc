// soresolve why: what is missing or surprising, and every attempt that was made.
#include <set>

#include "base/path.h"
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

template <class Tell, class Done>
Exit answer(const WorldOptions& options, DlopenLevel level, const Subject& subject, const RemedyOptions& remedies,
            Strict strict, Tell tell, Done done) {
  const LinkMap& map = subject.run.map();
  const std::string& asked = subject.asked;
  prepare_heap(map);
  Dlopens dlopens = subject.run.checked_dlopens(level).dlopens;
  if (const auto& unchecked = subject.run.checked_dlopens(level).unchecked) dlopens.damaged.push_back(*unchecked);
  Diagnosis diagnosis = diagnose(subject.run, asked, std::move(dlopens));
  RemedyOptions limited = remedies;
  limited.import = subject.run.import();
  limited.import_end = subject.run.import_end();
  if (subject.run.import() != nullptr) limited.import_wheel = subject.run.import()->wheel;
  Progress progress("looking for libraries");
  limited.goes_on = [&](std::size_t entries) { return progress.step(entries); };
  find_remedies(subject.run, diagnosis, limited);
  progress.clear();
  const PythonImport* const import = subject.run.import();
  tell(document_of(WhyReport{map, diagnosis, subject.run.file(), import}, detail_of(options)));
  const bool is_asked_lost = !asked.empty() && diagnosis.asked_requests.empty() && diagnosis.dlopens.list.empty();
  const bool fails =
      diagnosis.answer == Verdict::Fails || (diagnosis.answer == Verdict::Depends && strict == Strict::Yes);
  const bool is_import_lost = import != nullptr && !import->exception.empty();
  return done(fails || is_asked_lost || is_import_lost ? Exit::Problem : Exit::Good);
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
    Exit written = Exit::Good;
    const auto write = [this, &written](const Document& document) {
      written = write_html_file(document, options_, page_title("why", options_, files_.front()));
      write_document(document, options_);
    };
    if (wants_rpath_) {
      for_each_file(files_, options_.json ? Headings::None : Headings::OfSeveral,
                    [&](const std::string& file, auto done) { return answer_rpath(world, file, done); });
    }
    if (const std::optional<Result<Subject>> subject = take_asked(world, dlopen_, files_)) {
      if (!*subject) {
        const Exit told = answer_refusal(world, files_.front(), subject->error(), write);
        return worse(told, written);
      }
      return answer(options_, dlopen_, **subject, remedies_, strict(), write,
                    [&written](Exit last) -> Exit { finish(worse(last, written)); });
    }
    if (const auto exit = refuse_many_pages("why", options_, files_.size())) return *exit;
    for_each_file(files_, options_.json ? Headings::None : Headings::OfSeveral,
                  [&](const std::string& file, auto done) {
      Result<Resolution> run = world.resolve(file, with_attempts());
      if (!run) {
        const Exit told = answer_refusal(world, file, run.error(), write);
        return done(worse(told, written));
      }
      return answer(options_, dlopen_, {std::move(*run), {}}, remedies_, strict(), write,
                    [&](Exit last) { return done(worse(last, written)); });
    });
  }

 private:
  template <class Done>
  Exit answer_rpath(WorldHere& world, const std::string& file, Done done) {
    const Result<Resolution> run = world.resolve(file, with_attempts());
    if (!run) return report_error(run.error());
    const std::vector<RpathTag> tags = read_rpaths(run->map());
    write_document(document_of(RpathReport{run->map(), tags, std::string(run->file())}), options_);
    return done(Exit::Good);
  }

  template <class Write>
  Exit answer_refusal(WorldHere& world, const std::string& file, const Error& error, const Write& write) {
    return answer_failure(world, RefusalReport::Command::Why, file, error,
                          [&](const RefusalReport& report) { write(document_of(report, detail_of(options_))); });
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

Result<Told> tell_why(WorldHere& world, const WorldOptions& options, const std::string& file, const std::string& asked,
                      BareName bare_name) {
  ResolveOptions how = with_attempts();
  how.process = options.process;
  how.process->bare_name = bare_name;
  Result<Resolution> run = world.resolve(file, how);
  if (!run) return told_refusal(world, RefusalReport::Command::Why, options, file, run.error());
  Told told;
  told.exit = answer(
      options, DlopenLevel::Known, {std::move(*run), asked}, {}, Strict::No,
      [&](const Document& document) {
    if (options.json)
      told.data = to_json(document);
    else
      told.page = document.page();
      },
      [](Exit last) { return last; });
  return told;
}

}  // namespace soresolve::tool
