// Options that several subcommands share, output with escapes on a terminal, colour, width, language, exit statuses.
// CLI11 parses; option texts are the source of --help and the man pages. No subcommand's own logic is here.
#include "command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include "output/output.h"
#include "reference.h"
#include "report/paint.h"
#include "spelling.h"

namespace soresolve::tool {
namespace {

/// An answer that cannot be written ends the program (see output.h); a message on standard error is lost.
void write_to(int descriptor, std::string_view text) {
  const int error = output::write_all(descriptor, text);
  if (error != 0 && descriptor == STDOUT_FILENO) output::end_unwritten("soresolve", error);
}

void write_harmless_to_terminal(int descriptor, std::string_view text) {
  if (::isatty(descriptor) == 1) return write_to(descriptor, printable_lines(text));
  write_to(descriptor, text);
}

}  // namespace

Exit worse(Exit a, Exit b) { return std::max(a, b); }

void finish(Exit status) {
  if (const int error = output::close_standard_output()) output::end_unwritten("soresolve", error);
  _exit(static_cast<int>(status));
}

void write_out(std::string_view text) { write_to(STDOUT_FILENO, text); }
void write_error(std::string_view text) { write_to(STDERR_FILENO, printable_lines(text)); }
void write_as_loader(std::string_view text) { write_harmless_to_terminal(STDOUT_FILENO, text); }
void write_error_as_loader(std::string_view text) { write_harmless_to_terminal(STDERR_FILENO, text); }
void write_heading(std::string_view file) { write_out(printable(file) + ":\n"); }

bool wants_colour(const WorldOptions& options) {
  if (options.colour != "auto") return options.colour == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && ::isatty(STDOUT_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

std::size_t text_width() {
  constexpr std::size_t kNarrowest = 40;
  constexpr std::size_t kWidest = 100;  // longer lines are hard to read
  std::size_t width = 0;
  if (const char* columns = std::getenv("COLUMNS")) {
    std::from_chars(columns, columns + std::strlen(columns), width);
  }
  winsize window = {};
  if (width == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) width = window.ws_col;
  return width == 0 ? kWidest : std::clamp(width, kNarrowest, kWidest);
}

void add_colour_option(CLI::App& app, std::string& colour) {
  app.add_option("--color,--colour", colour, "auto (on a terminal, unless NO_COLOR is set), always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("Output");
}

void add_place_options(CLI::App& app, WorldOptions& options) {
  const char* group = "The analysed world";
  app.add_option("--root", options.root, "analyse DIR as if chrooted in it; paths are inside it")
      ->type_name("DIR")
      ->group(group);
  app.add_option("--env", options.env, "environment entry; replaces the inherited environment")
      ->type_name("K=V")
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--clean-env", options.clean_env, "start from an empty environment")->group(group);
  app.add_option("--cwd", options.cwd, "current directory of the process")->type_name("DIR")->group(group);
  app.add_option("--cpu", options.cpu, "processor, such as x86-64-v3 (default: this machine's)")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--user", options.user,
                 "who starts the program, by the system's etc/passwd and etc/group (default: who asks): decides "
                 "which files it may open, and whether set-uid, set-gid and file capabilities set AT_SECURE")
      ->type_name("USER")
      ->group(group);
  app.add_flag_callback(
         "--secure", [&options] { options.secure = AtSecure::Yes; }, "with AT_SECURE, whatever the program's mode")
      ->group(group);
  app.add_flag_callback(
         "--no-secure", [&options] { options.secure = AtSecure::No; },
         "without AT_SECURE, though the program is set-uid, set-gid or has capabilities")
      ->group(group);
  app.add_option("--glibc", options.glibc, "rules of this glibc release instead of the loader's own")
      ->type_name("X.Y")
      ->group(group);
  app.add_flag("--json", options.json, "print JSON (schema soresolve/1)")->group("Output");
  add_colour_option(app, options.colour);
  app.add_flag("-v,--verbose", options.verbose, "unfold everything; trace lines on standard error")->group("Output");
}

void add_world_options(CLI::App& app, WorldOptions& options) {
  const char* process = "The process that opens FILE";
  app.add_option_function<std::string>(
         "--exe",
         [&process_settings = options.process](const std::string& word) {
    const bool is_nobody = word == "none";
    process_settings.opened_by = is_nobody ? OpenedBy::Nobody : OpenedBy::WhoFits;
    process_settings.exe = is_nobody ? std::string() : word;
         },
         "the program that opens FILE with dlopen; a script stands for its interpreter. For an "
         "extension module of Python its interpreter is found; none: look at FILE alone")
      ->type_name("FILE")
      ->group(process);
  app.add_option_function<std::vector<std::string>>(
         "--loaded",
         [&options](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      Result<OpenRequest> loaded = parse_loaded(word);
      if (!loaded) throw CLI::ValidationError("--loaded", loaded.error().message);
      options.process.loaded.push_back(std::move(loaded).value());
    }
         },
         "what the process has opened before; repeatable, in order, each with its own closure. MODE:FILE, with the "
         "words of --rtld and caller=FILE, tells how: global,deepbind:libx.so")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(process);
  app.add_option_function<std::string>(
         "--rtld",
         [&options](const std::string& words) {
    Result<OpenMode> mode = parse_open_mode(words);
    if (!mode) throw CLI::ValidationError("--rtld", mode.error().message);
    options.process.mode = *mode;
         },
         "how FILE is opened; words with commas between them: local or global, deepbind, now or lazy, noload (only if "
         "it is loaded), nodelete, dlmopen (in a namespace of its own)")
      ->type_name("MODE:{local,global,deepbind,now,lazy,noload,nodelete,dlmopen}")
      ->group(process);
  app.add_option("--caller", options.process.caller,
                 "the object whose code calls dlopen (default: the program); its RUNPATH counts for a "
                 "library name")
      ->type_name("FILE")
      ->group(process);
  app.add_option("--pid", options.pid,
                 "a live process: its program, environment, directory, root and what it has mapped")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 22))
      ->group(process);
  add_place_options(app, options);
}

void add_files(CLI::App& app, std::vector<std::string>& files, const char* what) {
  app.add_option("FILE", files, std::string(what) + "; with --pid it can be left out");
}

std::optional<Exit> complete_files(const CLI::App& app, const WorldOptions& options, std::vector<std::string>& files) {
  if (!files.empty()) return std::nullopt;
  if (options.pid != 0) {
    files.emplace_back();
    return std::nullopt;
  }
  write_error("soresolve " + app.get_name() + ": FILE is required\nsoresolve " + app.get_name() +
              " --help tells more\n");
  return Exit::Usage;
}

void add_language_option(CLI::App& app, std::string& language) {
  app.add_option("--lang", language, "en or zh (default: the locale's)")
      ->type_name("LANG")
      ->check(CLI::IsMember({"en", "zh"}))
      ->group("Output");
}

Language language_of(const std::string& option) {
  if (const std::optional<Language> language = find_language(option)) return *language;
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* locale = std::getenv(variable);
    if (locale != nullptr && *locale != '\0') return language_of_locale(locale);
  }
  return Language::English;
}

void add_dlopen_option(CLI::App& app, DlopenLevel& level) {
  const std::map<std::string, DlopenLevel> levels = {{"none", DlopenLevel::None},
                                                     {"notes", DlopenLevel::Notes},
                                                     {"known", DlopenLevel::Known},
                                                     {"strings", DlopenLevel::Strings}};
  constexpr const char* kDefault = "; the default";
  app.add_option("--dlopen", level,
                 std::string("what is opened later: none") + (level == DlopenLevel::None ? kDefault : "") +
                     ", notes (what files say themselves), known (and what is known of packages" +
                     (level == DlopenLevel::Known ? kDefault : "") + "), strings (and names among constants)")
      ->type_name("HOW")
      ->transform(CLI::CheckedTransformer(levels).description("{none,notes,known,strings}"));
}

bool are_plain_files(int argc, char** argv) {
  return argc > 1 &&
         std::none_of(argv + 1, argv + argc, [](const char* word) { return word[0] == '-' || word[0] == '\0'; });
}

namespace {

/// What is wrong with the words of the command line: a value for an option that takes none, or words that are no
/// options of `app`, each with the option that may be meant.
std::string parse_error_text(const CLI::App& app, const CLI::ParseError& error, std::span<char*> words) {
  std::string text = error.what();
  std::vector<std::string> known;
  for (const OptionReference& option : describe(app).options) {
    known.insert(known.end(), option.names.begin(), option.names.end());
    if (!option.value.empty() || !option.choices.empty()) continue;
    for (const std::string& name : option.names) {
      const auto has_value = [&](std::string_view word) { return word.starts_with(name + "="); };
      if (name.starts_with("--") && std::any_of(words.begin(), words.end(), has_value)) return name + " takes no value";
    }
  }
  for (const std::string& word : app.remaining()) {
    if (word.starts_with("-")) text += did_you_mean(word.substr(0, word.find('=')), known);
  }
  return text;
}

}  // namespace

std::optional<Exit> parse_arguments(CLI::App& app, int argc, char** argv) {
  if (argc == 2 && argv[1] == kDescribe) throw Description{describe(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_out(help_text(describe(app), text_width()));
    return Exit::Good;
  } catch (const CLI::ParseError& error) {
    write_error("soresolve " + app.get_name() + ": " +
                printable(parse_error_text(app, error, {argv, static_cast<std::size_t>(argc)})) + "\nsoresolve " +
                app.get_name() + " --help tells more\n");
    return Exit::Usage;
  }
  return std::nullopt;
}

}  // namespace soresolve::tool
