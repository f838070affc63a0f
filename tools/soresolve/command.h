// What the subcommands share: exit status, output, and the options that shape the world.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "soresolve/catalogue.h"
#include "soresolve/dlopens.h"
#include "soresolve/document.h"
#include "soresolve/report.h"
#include "soresolve/world.h"

namespace soresolve::tool {

/// Exit status, the same for every subcommand.
enum class Exit : int {
  Good = 0,          ///< the answer is good
  Problem = 1,       ///< a problem was found
  Usage = 2,         ///< the question could not be asked
  Failure = 3,       ///< the tool itself failed
  NotConfirmed = 4,  ///< of confirm: there is nothing here to run it on
};

/// The worse of two: what a run over several files ends with.
Exit worse(Exit a, Exit b);

/// Ends the process. Everything is written; tearing down some hundred objects and their open files
/// would only take time. Where an answer turns out to be lost the status is Failure, and that is told.
[[noreturn]] void finish(Exit status);

/// On standard output. Ends the process when that cannot be done: quietly when the reader has gone.
void write_out(const Text& text);
void write_error(const Text& text);
/// A document of JSON, in which nothing is left that a terminal would obey.
void write_json(std::string_view json);

/// The loader's own words: byte for byte, so that they can be compared and used, but on a terminal
/// made harmless as all others are.
void write_as_loader(std::string_view text);
void write_error_as_loader(std::string_view text);

/// "FILE:" above the answer for one of several.
void write_heading(std::string_view file);

/// The options of the design's section "The command line".
struct WorldOptions : WorldSettings {
  bool json = false;
  bool verbose = false;
  bool trace = false;
  std::string colour = "auto";
  std::string import_module;  ///< of --import
  std::string container;      ///< of --container, whose files and process stand in `where`
  bool has_layers = false;    ///< its files are in several directories, and `where.root` is the upper one
  std::string language;       ///< of --lang, where it is offered (see language_option)
  std::string html;           ///< of --html, where it is offered: the file that gets the page
};

/// Colour on standard output, by the first that says so: --color, NO_COLOR, FORCE_COLOR (0: none), and on a terminal.
bool wants_colour(const WorldOptions& options);

/// How text is to look on standard output.
TextOptions text_options(const WorldOptions& options);
/// -v
Detail detail_of(const WorldOptions& options);

/// An answer on standard output: text for people, or with --json data.
void write_document(const Document& document, const WorldOptions& options);

/// With --html: a file for a browser, whole or not at all; `title` says what was asked. Failure where it cannot be
/// written, which is told.
Exit write_html_file(const Document& document, const WorldOptions& options, const std::string& title,
                     DataForm form = DataForm::Whole);

/// A page that has no data beside it, on standard output.
void write_page(const Page& page, const WorldOptions& options);

/// Columns for prose: COLUMNS, or the terminal's; between 40 and 100, which is also what a pipe gets.
std::size_t text_width();

/// The options, with what counts of this machine and its environment, and the log that --trace or SORESOLVE_LOG asks
/// for.
WorldSettings settings_here(const WorldOptions& options);

/// From now on finish() warns of what the snapshot that is the root does not hold, and the status is Usage at least,
/// since the answer is not that of the machine. Nothing, for other roots.
void watch_for_unrecorded(const WorldOptions& options);
/// On standard error: the paths that were asked for and are not in the snapshot. Were there any?
bool report_unrecorded();

/// A World of the host that soresolve runs on: with its environment, directory and processor.
/// Its warnings go to standard error; with -v also what its answers stand on, unless SORESOLVE_LOG says otherwise.
class WorldHere {
 public:
  explicit WorldHere(const WorldOptions& options);
  WorldHere(const WorldHere&) = delete;
  WorldHere& operator=(const WorldHere&) = delete;

  /// As World::resolve().
  Result<Resolution> resolve(const std::string& file, const ResolveOptions& options = {});
  /// As ask().
  Result<Answer> ask(Question question);
  /// As World::resolve_running().
  Result<Resolution> resolve_running();
  Result<OpenedLibrary> open_library(const std::string& name, std::optional<BareName> bare_name = std::nullopt);
  [[nodiscard]] bool has_file(const std::string& name) { return world_.has_file(name); }
  Result<std::shared_ptr<const FileSystem>> files() { return world_.files(); }
  /// As World::entry_points().
  Result<std::vector<std::string>> entry_points() { return world_.entry_points(); }
  /// Writes on standard error what was assumed of a host that --driver names, for answers that have no place for it.
  void report_driver();
  /// As World::owners().
  std::shared_ptr<const PackageOwners> owners() { return world_.owners(); }
  /// As a path of this world. The user's own files are none: they are relative to the directory that this program
  /// runs in, and are opened by the names that they were given. Fails as files().
  Result<std::string> absolute(const std::string& file);
  /// Files of this world that a message may be about (see named_files).
  std::vector<std::string> files_named_in(const Recognised& message);
  /// A program by the name that it was started with, as most shells would find it; empty: it is not here.
  std::string program_named(const std::string& name);

 private:
  World world_;
  std::string language_;
};

enum class Headings : std::uint8_t { None, OfSeveral };  ///< "FILE:" above each answer, if there are several

/// What a subcommand has found: printed by it, or a part of another one's answer (explain, run).
struct Output {
  Exit exit = Exit::Failure;
  Document document = {};                  ///< nothing: there is nothing to print
  Document browsed = {};                   ///< the one for --html, likewise
  std::shared_ptr<const void> facts = {};  ///< what both are made from, where they do not own it
  Verdict verdict = Verdict::Fails;        ///< of shown()
};

/// Prints it, after its file for a browser (--html), which has the title. Returns it with the exit status of both.
Output print(Result<Output> answer, const WorldOptions& options, const std::string& title);

/// Answers `print_answer(file)` for each file. The last one ends the process before its facts are torn down (see
/// finish).
template <class PrintAnswer>
[[noreturn]] void answer_each(const std::vector<std::string>& files, Headings headings, PrintAnswer print_answer) {
  Exit status = Exit::Good;
  for (const std::string& file : files) {
    if (headings == Headings::OfSeveral && files.size() > 1) write_heading(file);
    const Output answer = print_answer(file);
    status = worse(status, answer.exit);
    if (&file == &files.back()) finish(status);
  }
  finish(status);
}

/// With --json an error is an object on standard output as well, in place of the answer: from now on, for `command`.
void answer_errors_in_json(std::string_view command);
/// Tells why the question could not be asked.
Exit report_error(const Error& error);
/// The same for words of the command line: "soresolve COMMAND: MESSAGE", and where help is.
Exit refuse_usage(std::string_view command, const Text& message);
/// A file that no loader has anything to do with, in the words of ldd(1): `before`, then "not a dynamic executable".
Exit report_not_dynamic(const Text& before, const Error& error);

/// An answer as a command shows it, with the exit status. Of a page for the browser nothing is folded away.
Output shown(const Answer& answer, View how);
Result<Output> doctor_answer(const WorldOptions& options);
Result<Output> symvers_answer(WorldHere& world, const WorldOptions& options, const std::string& name,
                              const std::string& need, BareName bare_name);
/// `about`: the one library that is to be explained; empty: all.
Result<Output> why_answer(WorldHere& world, const WorldOptions& options, const std::string& file,
                          const std::string& about, BareName bare_name = BareName::File);

/// That of --lang; without it the locale's, by LC_ALL, LC_MESSAGES and LANG.
Language language_of(const std::string& option);

}  // namespace soresolve::tool
