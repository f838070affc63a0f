// The world of a command line: what the library makes of the options, here on this host.
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/path.h"
#include "base/text.h"
#include "catalogue/named_files.h"
#include "command.h"
#include "cuda/driver_mount.h"
#include "descriptors.h"
#include "diagnose/cuda_rules.h"
#include "large_pages.h"
#include "loader/process.h"
#include "log.h"
#include "place/snapshot.h"
#include "subcommand.h"
#include "world/enter_place.h"

extern char** environ;

namespace soresolve::tool {

namespace {

/// The root of this command line: opened once, however many Worlds are made of it, and anew where something else is to
/// lie below it. nullptr: it cannot be, and the first World tells why.
std::shared_ptr<const Place> place_here(const WorldSettings& options) {
  static std::shared_ptr<const Place> opened;
  static std::string opened_root;
  static PlaceOptions opened_with;
  PlaceOptions place_options = place_options_of(options);
  if (opened && opened_root == options.where.root && opened_with == place_options) return opened;
  opened_with = place_options;
  place_options.jobs = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  Result<Place> place = open_place(options.where.root, place_options);
  if (!place) return nullptr;
  for (const std::string& note : place->notes) {
    write_error("soresolve: warning: " + Text::escaped(options.where.root + ": " + note) + "\n");
  }
  opened = std::make_shared<const Place>(std::move(*place));
  opened_root = options.where.root;
  return opened;
}

/// A host in a file, likewise opened once.
void open_driver(DriverSettings& driver) {
  static std::shared_ptr<const FileSystem> opened;
  static std::string opened_path;
  const Result<FileStatus, Errno> status = host_file_system()->status(driver.driver);
  if (!status || status->kind != FileKind::Regular) return;
  if (!opened || opened_path != driver.driver) {
    Result<Place> place = open_place(driver.driver);
    if (!place) return;
    opened = std::move(place->files);
    opened_path = driver.driver;
  }
  driver.files = opened;
}

/// Which lines are wanted, where --trace or SORESOLVE_LOG says so.
struct LogChoice {
  bool is_made = false;
  std::shared_ptr<Log> log = {};  ///< nullptr: none are wanted
};

LogChoice choose_log(const WorldOptions& options) {
  if (options.trace) return {true, make_log(LogLevel::Trace)};
  const char* const variable = std::getenv("SORESOLVE_LOG");
  const std::string_view word = variable == nullptr ? "" : variable;
  if (word == "trace") return {true, make_log(LogLevel::Trace)};
  if (word == "debug") return {true, make_log(LogLevel::Debug)};
  if (word == "info") return {true, make_log(LogLevel::Info)};
  if (word == "warning") return {true, make_log(LogLevel::Warning)};
  if (word == "off") return {true, nullptr};
  if (!word.empty()) {
    write_error("soresolve: warning: SORESOLVE_LOG is trace, debug, info, warning or off, not '" + Text::escaped(word) +
                "'\n");
  }
  return {};
}

/// That of this command line.
const LogChoice& log_choice(const WorldOptions& options) {
  static const LogChoice choice = choose_log(options);
  return choice;
}

/// What programs that are started here inherit. Where the kernel sets AT_SECURE for us, because of set-uid or of
/// capabilities of our file, our own loader has taken LD_LIBRARY_PATH and others out; /proc has them still.
std::vector<std::string> environment_here() {
  std::vector<std::string> entries;
  if (::getauxval(AT_SECURE) != 0) {
    std::ifstream file("/proc/self/environ", std::ios::binary);
    for (std::string entry; std::getline(file, entry, '\0');) entries.push_back(std::move(entry));
    if (!entries.empty()) return entries;
  }
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

}  // namespace

WorldSettings settings_here(const WorldOptions& options) {
  insist_on_descriptors();
  WorldSettings settings = options;
  settings.log = log_choice(options).log;
  if (options.where.is_recorded) return settings;
  settings.host = read_host_facts();
  settings.start.inherited = environment_here();
  if (!options.where.root.empty() && !options.where.files && !options.where.place && options.live.pid == 0)
    settings.where.place = place_here(settings);
  open_driver(settings.driver);
  return settings;
}

namespace {

void report_warnings(const std::vector<Error>& warnings) {
  for (const Error& warning : warnings) {
    write_error("soresolve: warning: " + Text::escaped(warning.to_string()) + "\n");
  }
}

/// The snapshot that is the root; the process has one at most.
std::shared_ptr<const SnapshotFiles>& watched() {
  static std::shared_ptr<const SnapshotFiles> files;
  return files;
}

}  // namespace

void watch_for_unrecorded(const WorldOptions& options) {
  watched() = std::dynamic_pointer_cast<const SnapshotFiles>(options.where.files);
}

bool report_unrecorded() {
  if (watched() == nullptr) return false;
  const std::vector<std::string> paths = watched()->unrecorded();
  if (paths.empty()) return false;
  const std::string more = paths.size() == 1 ? "" : " and " + std::to_string(paths.size() - 1) + " more";
  write_error("soresolve: warning: not recorded in the snapshot: " + Text::escaped(paths.front() + more) +
              "; the answer may differ from that on the machine. To hold it, there: soresolve snapshot -o FILE " +
              Text::escaped(paths.front()) + "\n");
  watched() = nullptr;
  return true;
}

namespace {

/// For one file after the other.
WorldSettings settings_with_store(const WorldOptions& options) {
  WorldSettings settings = settings_here(options);
  settings.store = make_object_store();
  if (options.verbose && !log_choice(options).is_made) settings.log = make_log(LogLevel::Info);
  return settings;
}

}  // namespace

WorldHere::WorldHere(const WorldOptions& options) : world_(settings_with_store(options)), language_(options.language) {}

Result<Resolution> WorldHere::resolve(const std::string& file, const ResolveOptions& options) {
  Result<Resolution> run = world_.resolve(file, options);
  report_warnings(world_.take_warnings());
  return run;
}

Result<Answer> WorldHere::ask(Question question) {
  const std::string asked = question.file;
  Result<Answer> answer = soresolve::ask(world_, std::move(question));
  if (answer && answer->run() != nullptr) prepare_heap(answer->run()->map());
  if (answer) report_warnings(answer->warnings());
  report_warnings(world_.take_warnings());
  if (answer || answer.error().code != ErrorCode::NotFound || world_.root_name().empty()) return answer;
  // A file beside the root was meant, as it would be inside.
  Error error = answer.error();
  const bool is_beside =
      error.path == asked && asked.find('/') != std::string::npos && ::access(asked.c_str(), F_OK) == 0;
  if (is_beside && !asked.starts_with('/')) {
    error.message += "; beside the root there is one: soresolve why --root . --base " +
                     shell_path(world_.root_name()).text() + " " + shell_path(asked).text();
  }
  return Unexpected{std::move(error)};
}

Result<Resolution> WorldHere::resolve_running() {
  Result<Resolution> run = world_.resolve_running();
  report_warnings(world_.take_warnings());
  return run;
}

void WorldHere::report_driver() {
  const std::shared_ptr<const DriverMount> driver = world_.driver();
  if (driver == nullptr) return;
  for (const Statement& note : driver_notes(*driver))
    write_error("soresolve: " + Text::escaped(sentence(note, language_of(language_))) + "\n");
}

Result<OpenedLibrary> WorldHere::open_library(const std::string& name, std::optional<BareName> bare_name) {
  Result<OpenedLibrary> library = world_.open_library(name, bare_name);
  report_warnings(world_.take_warnings());
  return library;
}

Result<std::string> WorldHere::absolute(const std::string& file) {
  const Result<std::shared_ptr<const FileSystem>> files = world_.files();  // for the current directory
  if (!files) return Unexpected{files.error()};
  return world_.absolute(file);
}

std::vector<std::string> WorldHere::files_named_in(const Recognised& message) {
  const Result<std::shared_ptr<const FileSystem>> files = world_.files();
  return files ? named_files(**files, world_.cwd(), message) : std::vector<std::string>();
}

std::string WorldHere::program_named(const std::string& name) {
  const Result<std::shared_ptr<const FileSystem>> files = world_.files();
  if (!files || name.empty()) return {};
  const auto is_file = [&](const std::string& path) {
    const Result<FileStatus, Errno> status = (*files)->status(absolute_path(path, world_.cwd()));
    return status && status->kind == FileKind::Regular;
  };
  if (name.find('/') != std::string::npos) return is_file(name) ? name : std::string();
  for (const std::string directory : {"/usr/local/bin/", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"}) {
    if (is_file(directory + name)) return directory + name;
  }
  return {};
}

namespace {

/// Of the one command line that this process has; empty: errors are no data.
std::string_view& command_in_json() {
  static std::string_view command;
  return command;
}

void write_json_error(const Error& error) {
  if (command_in_json().empty()) return;
  document_of(ErrorReport{command_in_json(), error}).data([](std::string_view part) { write_json(part); });
}

}  // namespace

void answer_errors_in_json(std::string_view command) { command_in_json() = command; }

Exit report_error(const Error& error) {
  write_error("soresolve: " + Text::escaped(error.to_string()) + "\n");
  write_json_error(error);
  return Exit::Usage;
}

Exit refuse_usage(std::string_view command, const Text& message) {
  const Text name = "soresolve " + Text::escaped(command);
  write_error(name + ": " + message + "\n" + name + ": see --help\n");
  write_json_error({ErrorCode::Usage, {}, {}, message.str()});
  return Exit::Usage;
}

Exit refuse_missing(const Subcommand& asked, const Text& message) {
  const Text name = "soresolve " + Text::escaped(asked.name);
  write_error(name + ": " + message + ", for example:\n");
  for (const Example& example : asked.words().examples) write_error("  " + Text::escaped(example.command) + "\n");
  write_error(name + ": see --help\n");
  write_json_error({ErrorCode::Usage, {}, {}, message.str()});
  return Exit::Usage;
}

Exit report_not_dynamic(const Text& before, const Error& error) {
  write_error(before + "not a dynamic executable\n");
  write_json_error(error);
  return Exit::Problem;
}

Output shown(const Answer& answer, View how) {
  const AnswerStatus status = status_of(answer, how);
  Output output = {status == AnswerStatus::Good      ? Exit::Good
                   : status == AnswerStatus::Problem ? Exit::Problem
                                                     : Exit::Usage,
                   view(answer, how)};
  how.form = CheckForm::Whole;
  how.detail = Detail::Folded;
  how.objects = View::Objects::Drawn;
  output.browsed = how.as == View::As::Check ? view(answer, how) : output.document;
  output.verdict = answer.verdict();
  return output;
}

}  // namespace soresolve::tool
