// soresolve explain: what a message means, and what the files here say to it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/path.h"
#include "base/pieces.h"
#include "base/text.h"
#include "compare/compare_log.h"
#include "compare/loader_log.h"
#include "diagnose/diagnose.h"
#include "diagnose/hosts.h"
#include "explanation.h"
#include "failed_process.h"
#include "loader/process.h"
#include "loader/system.h"
#include "meaning.h"
#include "missing_function.h"
#include "packages/what_brings.h"
#include "python/environment_needers.h"
#include "python/environments.h"
#include "report/explain_report.h"
#include "report/pages.h"
#include "soresolve/report.h"
#include "subcommand.h"
#include "world/next_step.h"
#include "world_options.h"

namespace soresolve::tool {
namespace {

constexpr std::size_t kMaxAnswers = 3;  ///< a log of a failed start repeats itself in other words

/// What was given: the messages in it, and the log of a loader.
struct Given {
  std::vector<Recognised> messages;
  std::vector<LoggedProcess> processes;
};

/// To the end; `name` stands in errors.
Result<Given> read_messages(int descriptor, const std::string& name) {
  MessageReader reader;
  LoaderLogReader log;
  std::array<char, 64 << 10> buffer;
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return Unexpected{Error{ErrorCode::Unreadable, name, {}, std::strerror(errno)}};
    }
    if (count == 0) return Given{reader.finish(), log.finish()};
    const std::string_view part(buffer.data(), static_cast<std::size_t>(count));
    reader.read(part);
    log.read(part);
  }
}

/// Asks what a message leads to of the files here.
class Analyst {
 public:
  explicit Analyst(const WorldOptions& options) : options_(as_it_failed(options)), world_(options_) {}

  void look_up(const Recognised& message) {
    asks_ = &message;
    if (!names_judged_file(message)) {
      is_left_open_ = is_left_open_ || message.known->weight == Weight::Cause;
      return;
    }
    switch (message.known->lookup) {
      case Lookup::None: return look_up_import(message);
      case Lookup::Plugin: return look_up_plugin(message);
      case Lookup::Search: return look_up_search(message);
      case Lookup::Open: return look_up_library(message, Needer::Irrelevant);
      case Lookup::Version: return look_up_version(message);
      case Lookup::Start: return look_up_start(message);
      case Lookup::Program: return look_up_program(message);
      case Lookup::Machine: return add({"soresolve doctor"}, [&] { return doctor_answer(options_); });
    }
  }

  /// What a process did, against what is predicted for its program here.
  void look_up_log(const LoggedProcess& process) {
    if (answers_.size() == kMaxAnswers) return;
    LookupAnswer answer;
    answer.command = "LD_DEBUG, " + shell_word(std::to_string(process.pid));
    if (!process.program.empty()) answer.command += ": " + shell_path(process.program);
    std::string file = process.program;
    if (const std::string found = world_.program_named(process.program); !found.empty()) file = found;
    const Result<Resolution> run = world_.resolve(file);
    std::optional<LogComparison> comparison;
    if (run && !process.program.empty()) {
      const Result<Bindings>& bindings = run->bindings();
      comparison = compare_with_log(process, run->map(), bindings ? &*bindings : nullptr);
    }
    answer.is_good = comparison && comparison->difference.empty() && comparison->missing.empty();
    answer.page = loader_log_page(process, comparison ? &*comparison : nullptr);
    if (options_.json) answer.data = loader_log_json(process, comparison ? &*comparison : nullptr);
    answers_.push_back(std::move(answer));
  }

  /// Is there a message whose files are not here?
  [[nodiscard]] bool is_left_open() const { return is_left_open_; }
  [[nodiscard]] const std::vector<LookupAnswer>& answers() const { return answers_; }
  /// Commands that would tell more, where there are too many.
  [[nodiscard]] const std::vector<CommandText>& left_out() const { return left_out_; }

 private:
  enum class Needer : std::uint8_t { Unknown, Irrelevant };

  /// Are the files here those that the message is about? A path that it names counts, not another file that its
  /// traceback leads to; and what musl's loader said is not answered by glibc's. Where no file is named, the shell
  /// shows whose system this is.
  bool names_judged_file(const Recognised& message) {
    constexpr std::string_view kShell = "/bin/sh";
    const std::string needer(message.captured(message.captured("consumer").empty() ? "requirer" : "consumer"));
    constexpr std::string_view kOfProgram = ": error while loading shared libraries: ";
    const std::string program(message.text.substr(0, std::min(message.text.find(kOfProgram), message.text.size())));
    const bool names_program = program.size() != message.text.size() && program.find('/') != std::string::npos;
    if (message.known->lookup == Lookup::Search && names_program && !world_.has_file(program)) return false;
    if (message.known->lookup == Lookup::Search && needer.find('/') != std::string::npos && !world_.has_file(needer))
      return false;
    if (message.known->lookup == Lookup::Search && names_absent_files(message)) return false;
    if (!message.known->id.starts_with("musl-") || message.known->lookup == Lookup::None) return true;
    for (const std::string_view name :
         {message.captured("requirer"), message.captured("object"), message.captured("program"), kShell}) {
      const std::string file(name);
      if (file.empty() || !world_.has_file(file)) continue;
      const Result<Resolution> run = world_.resolve(file);
      if (run) return run->map().system->rules.libc == Libc::Musl;
    }
    return false;
  }

  /// Does its line name files by absolute paths, of which none is here? Then it is of another machine, and that the
  /// library is found from here says nothing about the process of the message.
  bool names_absent_files(const Recognised& message) {
    constexpr std::string_view kBefore = " \t'\"(<[=";
    constexpr std::string_view kBehind = " \t\r\n'\"()<>[],;:";
    const std::string_view text = message.text;
    bool names_one = false;
    for (std::size_t at = text.find('/'); at != std::string_view::npos; at = text.find('/', at)) {
      const std::size_t end = std::min(text.find_first_of(kBehind, at), text.size());
      const std::string_view path = text.substr(at, end - at);
      const bool is_absolute = at == 0 || kBefore.find(text[at - 1]) != std::string_view::npos;
      at = end;
      if (!is_absolute || path.find('/', 1) == std::string_view::npos || path == message.captured("library")) continue;
      if (world_.has_file(std::string(path))) return false;
      names_one = true;
    }
    return names_one;
  }

  void look_up_search(const Recognised& message) {
    std::string library(message.captured("library"));
    const std::vector<std::string> files = world_.files_named_in(message);
    std::string needer = needer_of(library, files);
    if (needer.empty() && library.find('/') != std::string::npos) {
      // Python code may give a path for what others need by name (torch/__init__.py:_preload_cuda_deps).
      const std::string name(file_name_of(library));
      needer = needer_of(name, files);
      if (!needer.empty()) library = name;
    }
    const std::string needed_by(message.captured("consumer"));
    const bool is_bare = !needed_by.empty() && needed_by.find('/') == std::string::npos;
    // One answer more would not be shown: who needs the library is not looked for.
    if (needer.empty() && answers_.size() < kMaxAnswers && (is_bare || is_import_error(message))) {
      if (const std::optional<Assumed> assumed = needer_in_environment(library, needed_by))
        return ask_assumed(library, *assumed, needed_by);
    }
    if (needer.empty()) {
      const bool is_needer_named = !message.captured("consumer").empty() || !message.captured("requirer").empty();
      const bool is_open = !is_needer_named && library.find('/') == std::string::npos;
      return look_up_library(message, is_open ? Needer::Unknown : Needer::Irrelevant);
    }
    add({asking("why ") + shell_path(needer) + " " + shell_path(library)},
        [&] { return why_answer(world_, options_, needer, library); });
  }

  /// A module that Python has not found: where the package has it for another Python alone, its import says so.
  void look_up_import(const Recognised& message) {
    const std::string_view module = message.captured("module");
    const std::string top(module.substr(0, module.find('.')));
    if (top.empty() || answers_.size() == kMaxAnswers) return;
    WorldOptions options = options_;
    options.process.asked_as = AskedAs::Import;
    const Result<Resolution> run = world_.resolve(top, {.process = options.process});
    const PythonImport* const import = run ? run->import() : nullptr;
    if (import == nullptr || import->other_python.empty()) return;
    add({asking("why ") + "--import " + shell_word(top)}, [&] { return why_answer(world_, options, top, {}); });
  }

  /// A plug-in that was found and did not load: in the directory that the message names, else in the environment's
  /// packages and the system's directories of its host.
  void look_up_plugin(const Recognised& message) {
    const HostRow* const host = host_of_title(message.known->printer.en);
    const std::string plugin(message.captured("plugin"));
    if (host == nullptr || plugin.empty() || plugin.find('/') != std::string::npos) return;
    std::string file(host->plugin_file);
    if (const std::size_t at = file.find("{plugin}"); at != std::string::npos) file.replace(at, 8, plugin);
    std::vector<std::string> places;
    if (const std::string place(message.captured("place")); place.starts_with('/')) places.push_back(place);
    const Result<std::shared_ptr<const FileSystem>> files = world_.files();
    const Result<Resolution> run = world_.resolve("libc.so.6");
    if (files && run && places.empty()) {
      const Process& its = *run->map().process;
      const auto sites = active_site_directories(**files, its.environment, its.cwd, options_.process.python);
      for (const std::string_view below : Pieces(host->plugin_places, '|')) {
        if (below.starts_with('/')) places.emplace_back(below);
        for (const std::string& site : sites) places.push_back(path_in(site, below));
      }
    }
    for (const std::string& place : places) {
      const std::string path = path_in(place, file);
      if (world_.has_file(path)) return ask_why(path, message);
    }
  }

  /// A file of the active environment that lacks a library.
  struct Assumed {
    std::string file;
    std::string module;  ///< whose import ends so; empty: that of the file's name ends otherwise, or it is no module
  };

  void ask_assumed(const std::string& library, const Assumed& assumed, std::string_view named) {
    const bool is_import = !assumed.module.empty();
    const CommandText subject = is_import ? "--import " + shell_word(assumed.module) : shell_path(assumed.file);
    LookupAnswer answer{asking("why ") + subject + " " + shell_path(library)};
    answer.assumed = named.empty() ? say("needer-assumed", {{"library", library}, {"needer", assumed.file}})
                                   : say("needer-by-name", {{"name", named}, {"needer", assumed.file}});
    WorldOptions options = options_;
    if (is_import) options.process.asked_as = AskedAs::Import;
    add(std::move(answer),
        [&] { return why_answer(world_, options, is_import ? assumed.module : assumed.file, library); });
  }

  /// Does Python say so, or nobody, of a library that is given by its name alone? Whoever names the file that needs it
  /// leaves nothing to assume, and a traceback through files that are not here is another machine's.
  bool is_import_error(const Recognised& message) {
    const std::string_view library = message.captured("library");
    if (library.empty() || library.find('/') != std::string_view::npos) return false;
    if (!message.captured("consumer").empty() || !message.captured("requirer").empty()) return false;
    const bool is_elsewhere = std::any_of(
        message.frames.begin(), message.frames.end(),
        [&](const TracebackFrame& frame) { return frame.file.starts_with('/') && !world_.has_file(frame.file); });
    if (is_elsewhere) return false;
    const std::string_view text = message.text;
    return text.starts_with(library) || text.find("ImportError: ") != std::string_view::npos ||
           text.find("OSError: ") != std::string_view::npos;
  }

  /// The first file of the active environment, of that name where it is not empty, that needs the library and does not
  /// get it: as a module that is imported, with what its package imports before, else by itself.
  std::optional<Assumed> needer_in_environment(const std::string& library, std::string_view named) {
    constexpr std::size_t kMostTried = 16;
    ProcessSettings process = options_.process;
    process.bare_name = BareName::Library;
    const Result<Resolution> alone = world_.resolve(library, {.process = process});
    if (!alone) return std::nullopt;
    const Process& its = *alone->map().process;
    const FileSystem& files = *alone->map().system->files;
    const std::vector<std::string> sites =
        active_site_directories(files, its.environment, its.cwd, options_.process.python);
    process = options_.process;
    process.asked_as = AskedAs::Import;
    if (!environment_) environment_.emplace(files, sites);
    for (const std::string& file : environment_->needers_of(files, library, kMostTried)) {
      if (!named.empty() && file_name_of(file) != named) continue;
      const std::string module = named.empty() ? module_name(sites, file) : std::string();
      if (!module.empty()) {
        const Result<Resolution> run = world_.resolve(module, {.process = process});
        const PythonImport* const import = run ? run->import() : nullptr;
        if (import != nullptr && import->exception.find(library + ": ") != std::string::npos)
          return Assumed{file, module};
      }
      if (lacks(file, library)) return Assumed{file, {}};
    }
    // What is being built or tried out lies in the current directory.
    constexpr std::size_t kMostHere = 64;
    const Result<std::vector<std::string>, Errno> here = files.list_directory(its.cwd);
    std::size_t tried = 0;
    for (const std::string& name : here ? *here : std::vector<std::string>()) {
      if (name.find(".so") == std::string::npos || name == library) continue;
      if (++tried > kMostHere) break;
      if (lacks("./" + name, library)) return Assumed{"./" + name, {}};
    }
    return std::nullopt;
  }

  bool lacks(const std::string& file, const std::string& library) {
    const Result<Resolution> run = world_.resolve(file);
    if (!run) return false;
    const std::vector<NeedRef> requests = requests_for(run->map(), library);
    return std::any_of(requests.begin(), requests.end(), [&](const NeedRef& request) {
      const Need* const need = run->map().find_need(request);
      if (need == nullptr || need->target == kNoObject) return need != nullptr;
      return run->map().objects[need->target].role == ObjectRole::Placeholder;
    });
  }

  /// As dlopen would, from a program without search paths.
  void look_up_library(const Recognised& message, Needer needer) {
    const std::string library(message.captured("library"));
    // By itself it is judged in a process of its own word size.
    if (message.known->problem == ProblemCode::WrongClass && !program_of_host(message).empty())
      return ask_why(library, message);
    // No file of a library has the name of a package.
    if (library.empty() || (library.find(".so") == std::string::npos && what_brings(library))) return;
    add({asking("why ") + by_name(library) + shell_path(library),
         {},
         {},
         {},
         false,
         needer == Needer::Unknown,
         library},
        [&] { return why_answer(world_, options_, library, {}, BareName::Library); });
  }

  /// A message is about a library name, which dlopen does not look for in the current directory: the option that a
  /// command takes to say so.
  CommandText by_name(const std::string& library) {
    return library.find('/') == std::string::npos && world_.has_file(library) ? "--by-name " : CommandText();
  }

  void look_up_version(const Recognised& message) {
    const std::string requirer(message.captured("requirer"));
    const std::string object(message.captured("object"));
    if (world_.has_file(requirer)) {
      LoadersMessage what = loaders_message(message);
      what.file = requirer;
      what.provider = object;
      return ask_process(requirer, what, message);
    }
    const std::string version(message.captured("version"));
    if (!world_.has_file(object)) return;
    add({"soresolve symvers " + by_name(object) + shell_path(object) + " --need " + shell_word(version)},
        [&] { return symvers_answer(world_, options_, object, version, BareName::Library); });
  }

  /// The object that the message names, in the process of what the traceback's import opened where that has loaded it:
  /// by itself it is judged only as far as it can be. An import that loads another file says nothing about this one.
  void look_up_start(const Recognised& message) {
    const std::string object(message.captured("object"));
    const std::vector<std::string> files = world_.files_named_in(message);
    const auto opened = std::find_if(files.begin(), files.end(),
                                     [&](const std::string& file) { return file != object && loads(file, object); });
    LoadersMessage what = loaders_message(message);
    what.file = object;
    if (tell_missing_function(message)) return;
    if (opened != files.end()) return ask_process(*opened, what, message);
    if (world_.has_file(object)) return ask_process(object, what, message);
    // A name without a place may be that of any file of the traceback's.
    if (object.find('/') == std::string::npos && !files.empty()) ask_why(files.front(), message);
  }

  /// A symbol that the program looked up in a library that loads. Who binds it is not missing anything.
  bool tell_missing_function(const Recognised& message) {
    const std::string file(message.captured("object"));
    if (!message.captured("version").empty() || answers_.size() == kMaxAnswers) return false;
    std::optional<MissingFunctionReport> found = find_missing_function(world_, file, message.captured("symbol"));
    if (!found) return false;
    add({asking("why ") + shell_path(file)}, [&]() -> Result<Output> {
      Result<Output> answer = why_answer(world_, options_, file, {}, BareName::Library);
      if (!answer) return answer;
      answer->exit = Exit::Problem;
      if (!options_.json) answer->document = document_of(std::move(*found));
      return answer;
    });
    return true;
  }

  static LoadersMessage loaders_message(const Recognised& message) {
    LoadersMessage what;
    what.program = message.captured("program");
    what.word = message.captured(message.captured("symbol").empty() ? "version" : "symbol");
    what.problem = message.known->problem;
    return what;
  }

  /// Of the file, if that fails as the message says; else of the process that does; else of one that has taken another
  /// file; else of the file all the same.
  void ask_process(const std::string& file, const LoadersMessage& what, const Recognised& message) {
    WorldOptions options = options_;
    std::optional<WorldHere> newer;
    CommandText asked = asking("why ");
    if (what.problem == ProblemCode::ExecStack && takes_exec_stack(file)) {
      options.machine.glibc = "2.41";
      newer.emplace(options);
      asked += "--glibc 2.41 ";
    }
    WorldHere& world = newer ? *newer : world_;
    const Result<Answer> alone = world.ask({.file = file});
    if (alone && fails_alike(*alone, what))
      return add({asked + shell_path(file)}, [&] { return failing(why_answer(world, options, file, {})); });
    if (const std::optional<ProcessQuestion> process = find_failed_process(world, options, what)) {
      options.process = process->process;
      LookupAnswer answer{asked + process->words};
      const bool is_loaded_before = !what.provider.empty() && !process->process.exe.empty();
      if (is_loaded_before) {
        answer.assumed = say("process-loads-before",
                             {{"program", process->process.exe}, {"library", what.provider}, {"file", what.file}});
      }
      return add(std::move(answer), [&] { return failing(why_answer(world, options, process->file, {})); });
    }
    if (const std::optional<OtherLibraryPath> other = find_other_path(world_, options_, what))
      return tell_other_path(*other, what);
    ask_why(file, message);
  }

  /// What a message says is not answered by leaving it to another process.
  static Result<Output> failing(Result<Output> answer) {
    if (answer && answer->verdict == Verdict::Depends) answer->exit = Exit::Problem;
    return answer;
  }

  /// The loader here is one that gives it what the loader of the message refuses: that was of glibc 2.41 or newer.
  bool takes_exec_stack(const std::string& file) {
    const Result<Resolution> run = world_.resolve(file);
    return run && options_.machine.glibc.empty() && !run->map().system->rules.refuses_exec_stack;
  }

  void tell_other_path(const OtherLibraryPath& other, const LoadersMessage& what) {
    const CommandText command =
        asking("why ") + "--env " + shell_word("LD_LIBRARY_PATH=" + other.directory) + " " + shell_path(other.program);
    const WorldOptions options = with_library_path(options_, other.directory);
    WorldHere world(options);
    add({command}, [&]() -> Result<Output> {
      Result<Output> answer = why_answer(world, options, other.program, {});
      if (!answer || options.json) return answer;
      answer->document =
          document_of(OtherPathReport{other.program, what.word, other.there, other.here, other.directory, other.script,
                                      package_in_environment(other.there), package_in_environment(other.program)});
      return answer;
    });
  }

  /// Is the file of that path in the process that opens `file`?
  bool loads(const std::string& file, const std::string& path) {
    const Result<Resolution> run = world_.resolve(file);
    if (!run) return false;
    const FileSystem& system = *run->map().system->files;
    const Result<FileStatus, Errno> wanted = system.status(absolute_path(path, run->map().process->cwd));
    const std::vector<LoadedObject>& objects = run->map().objects;
    return std::any_of(objects.begin(), objects.end(), [&](const LoadedObject& object) {
      if (path.find('/') == std::string::npos)
        return file_name_of(object.path) == path || object.requested_name == path;
      return wanted && object.role != ObjectRole::Placeholder && object.status.id == wanted->id;
    });
  }

  /// What execve refuses; nothing can be told of a program that is not here.
  void look_up_program(const Recognised& message) {
    const std::string program = world_.program_named(std::string(message.captured("program")));
    if (program.empty()) return;
    add({asking("why ") + shell_path(program)}, [&] { return why_answer(world_, options_, program, {}); });
  }

  void ask_why(const std::string& file, const Recognised& message) {
    const bool is_about_symbol = !message.captured("symbol").empty();
    WorldOptions options = options_;
    CommandText asked = asking("why ");
    if (const std::string program = program_of_host(message); !program.empty() && options.process.exe.empty()) {
      options.process.exe = program;
      asked += "--exe " + shell_path(program) + " ";
    }
    // The host has refused it, in a release that is not here.
    if (is_of_other_release(message) && depends_on_process(file, options)) {
      is_left_open_ = true;
      return;
    }
    add({asked + shell_path(file)}, [&] {
      Result<Output> answer = why_answer(world_, options, file, {});
      // A message that a symbol is missing is not answered by leaving it to someone else.
      if (answer && is_about_symbol && answer->verdict == Verdict::Depends) answer->exit = Exit::Problem;
      return answer;
    });
  }

  bool depends_on_process(const std::string& file, const WorldOptions& options) {
    const Result<Answer> answer = world_.ask({.file = file, .process = options.process});
    return answer && answer->verdict() == Verdict::Depends;
  }

  /// The program here that is the host of a message, where its words name one: perl, for "Can't load 'F' for module M".
  /// Python's modules have theirs by the environment that they lie in.
  std::string program_of_host(const Recognised& message) {
    const HostRow* const host = host_of_title(message.captured("host"));
    if (host == nullptr) return {};
    const std::string_view first = host->programs.substr(0, host->programs.find('|'));
    return first.empty() || first.find('*') != std::string_view::npos ? std::string()
                                                                      : world_.program_named(std::string(first));
  }

  /// The first of `files` in whose process the library is asked for.
  std::string needer_of(const std::string& library, const std::vector<std::string>& files) {
    if (library.empty()) return {};
    for (const std::string& file : files) {
      const Result<Resolution> run = world_.resolve(file);
      if (run && !requests_for(run->map(), library).empty()) return file;
    }
    return {};
  }

  /// "soresolve why ", with the interpreter that was named or has run.
  template <std::size_t N>
  [[nodiscard]] CommandText asking(const char (&subcommand)[N]) const {
    CommandText command = CommandText("soresolve ") + CommandText(subcommand);
    const std::string& python = options_.process.python;
    return python.empty() ? command : command + "--python " + shell_path(python) + " ";
  }

  template <class Query>
  void add(LookupAnswer answer, Query query) {
    const auto same = std::find_if(answers_.begin(), answers_.end(),
                                   [&](const LookupAnswer& other) { return other.command == answer.command; });
    if (same != answers_.end()) return same->about.push_back(asks_);
    if (answers_.size() == kMaxAnswers) {
      const bool is_known = std::find(left_out_.begin(), left_out_.end(), answer.command) != left_out_.end();
      if (!is_known) left_out_.push_back(std::move(answer.command));
      return;
    }
    answer.about.push_back(asks_);
    if (const Result<Output> found = query()) {
      if (options_.json) answer.data = to_json(found->document);
      if (!options_.json) answer.page = found->document.page();
      answer.is_good = found->exit == Exit::Good;
    } else {
      answer.error = found.error().to_string();
    }
    answers_.push_back(std::move(answer));
  }

  /// The process of a message has run here: no driver is to come.
  static WorldOptions as_it_failed(WorldOptions options) {
    options.process.host_driver = HostDriver::AsFound;
    return options;
  }

  WorldOptions options_;
  WorldHere world_;
  std::optional<EnvironmentNeeds> environment_;  ///< the active one, once it has been walked
  std::vector<LookupAnswer> answers_;
  std::vector<CommandText> left_out_;
  const Recognised* asks_ = nullptr;  ///< the message that is looked up
  bool is_left_open_ = false;
};

/// Do the files tell of every cause, and nothing is wrong with them any more?
bool is_fixed(const std::vector<Recognised>& messages, const std::vector<LookupAnswer>& answers) {
  const bool can_tell = std::none_of(messages.begin(), messages.end(), [](const Recognised& message) {
    return message.known->weight == Weight::Cause && message.known->lookup == Lookup::None;
  });
  return can_tell && !messages.empty() && !answers.empty() &&
         std::all_of(answers.begin(), answers.end(), [](const LookupAnswer& a) { return a.is_good; });
}

/// The variables that the rows of the messages name, as they are set here.
std::vector<std::string> variables_here(const std::vector<Recognised>& messages, const WorldOptions& options) {
  std::vector<std::string> set;
  const Environment environment = environment_of(options);
  for (const Recognised& message : messages) {
    const std::string name(message.known->variable);
    const std::string_view value = name.empty() ? std::string_view() : environment.value(name).value_or("");
    if (!value.empty()) set.push_back(name + "=" + std::string(value));
  }
  return set;
}

}  // namespace

Exit write_explanation(const std::vector<Recognised>& messages, const WorldOptions& options, Analysis analysis,
                       const std::vector<LoggedProcess>& processes) {
  Analyst analyst(options);
  if (analysis == Analysis::OfFilesHere) {
    for (const LoggedProcess& process : processes) analyst.look_up_log(process);
    for (const Recognised& message : messages) analyst.look_up(message);
  }
  const std::vector<LookupAnswer>& answers = analyst.answers();
  ExplainReport report{messages, answers, !analyst.is_left_open() && is_fixed(messages, answers),
                       language_of(options.language), detail_of(options)};
  if (analysis == Analysis::OfFilesHere) report.variables = variables_here(messages, options);
  write_document(document_of(report), options);
  for (const CommandText& command : analyst.left_out()) {
    write_error("soresolve: not looked up as well: " + Text::escaped(command.text()) + "\n");
  }
  if (messages.empty() && answers.empty()) return Exit::Usage;
  const bool is_good = messages.empty() && std::all_of(answers.begin(), answers.end(),
                                                       [](const LookupAnswer& answer) { return answer.is_good; });
  return is_good || report.is_fixed ? Exit::Good : Exit::Problem;
}

namespace {

class ExplainInvocation final : public Invocation {
 public:
  OptionList options() override {
    OptionList list = {
        {.names = {"MESSAGE"}, .into = &words_},
        {.names = {"--no-analysis"}, .into = &without_analysis_},
        language_option(options_.language),
    };
    append(list, world_options(options_));
    return list;
  }

  Exit run() override;

 private:
  [[nodiscard]] Exit explain_file(const std::string& path) const;
  [[nodiscard]] Exit explain(const Result<Given>& given) const;

  WorldOptions options_;
  std::vector<std::string> words_;
  bool without_analysis_ = false;
};

/// A log that was named rather than piped: no message is the name of a file.
bool is_log(const std::string& word) {
  const Result<FileStatus, Errno> status = host_file_system()->status(word);
  return status && status->kind == FileKind::Regular;
}

Exit ExplainInvocation::explain_file(const std::string& path) const {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return report_error({ErrorCode::Unreadable, path, {}, std::strerror(errno)});
  std::array<char, kElf.size()> first = {};
  const bool is_elf = ::pread(descriptor, first.data(), first.size(), 0) == static_cast<ssize_t>(kElf.size()) &&
                      std::string_view(first.data(), first.size()) == kElf;
  if (is_elf) {
    ::close(descriptor);
    return hand_on(kExplain, kWhy, {}, typed(), Text::escaped(path) + " is an ELF file, not a message");
  }
  const Result<Given> given = read_messages(descriptor, path);
  ::close(descriptor);
  return explain(given);
}

Exit ExplainInvocation::explain(const Result<Given>& given) const {
  if (!given) return report_error(given.error());
  return write_explanation(given->messages, options_, without_analysis_ ? Analysis::None : Analysis::OfFilesHere,
                           given->processes);
}

Exit ExplainInvocation::run() {
  const std::string text = joined(words_, " ");
  if (words_.size() == 1 && is_log(text)) return explain_file(text);
  const bool is_on_input = text.empty() || text == "-";
  if (is_on_input && ::isatty(STDIN_FILENO) == 1) {
    write_error("soresolve explain: paste the message, then end it with Ctrl-D on a line of its own\n");
  }
  return explain(is_on_input ? read_messages(STDIN_FILENO, "standard input") : Given{recognise(text), {}});
}

}  // namespace

const Subcommand kExplain = {"explain", invoke<ExplainInvocation>};

}  // namespace soresolve::tool
