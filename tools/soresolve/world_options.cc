// The options that several subcommands share: the analysed world, the process that opens the file, and the output.
#include "world_options.h"

#include <utility>

namespace soresolve::tool {

void append(OptionList& list, OptionList more) {
  for (Option& option : more) list.push_back(std::move(option));
}

Option colour_option(std::string& colour) {
  return {.names = {"--color", "--colour"},
          .value = "WHEN",
          .into = &colour,
          .description = "auto (on a terminal, unless NO_COLOR is set), always or never",
          .choices = {"auto", "always", "never"},
          .group = "Output"};
}

Option language_option(std::string& language) {
  return {.names = {"--lang"},
          .value = "LANG",
          .into = &language,
          .description = "en or zh (default: the locale's)",
          .choices = {"en", "zh"},
          .group = "Output"};
}

Option dlopen_option(DlopenLevel& level) {
  const std::string default_of_none = level == DlopenLevel::None ? "; the default" : "";
  const std::string default_of_known = level == DlopenLevel::Known ? "; the default" : "";
  return {.names = {"--dlopen"},
          .value = "HOW",
          .into = one_of<DlopenLevel>(level, {{"none", DlopenLevel::None},
                                              {"notes", DlopenLevel::Notes},
                                              {"known", DlopenLevel::Known},
                                              {"strings", DlopenLevel::Strings}}),
          .description = "what is opened later: none" + default_of_none +
                         ", notes (what files say themselves), known (and what is known of packages" +
                         default_of_known + "), strings (and names among constants)",
          .choices = {"none", "notes", "known", "strings"}};
}

Option jobs_option(unsigned& jobs) {
  return {
      .names = {"-j", "--jobs"}, .value = "N", .into = &jobs, .description = "threads", .range = ValueRange{1, 256}};
}

OptionList place_options(WorldOptions& options) {
  constexpr std::string_view group = "The analysed world";
  return {
      {.names = {"--root"},
       .value = "DIR",
       .into = &options.root,
       .description = "analyse DIR as if chrooted in it; paths are inside it",
       .group = group},
      {.names = {"--env"},
       .value = "K=V",
       .into = &options.env,
       .description = "environment entry; replaces the inherited environment",
       .group = group},
      {.names = {"--clean-env"},
       .into = &options.clean_env,
       .description = "start from an empty environment",
       .group = group},
      {.names = {"--cwd"},
       .value = "DIR",
       .into = &options.cwd,
       .description = "current directory of the process",
       .group = group},
      {.names = {"--cpu"},
       .value = "NAME",
       .into = &options.cpu,
       .description = "processor, such as x86-64-v3 (default: this machine's)",
       .group = group},
      {.names = {"--user"},
       .value = "USER",
       .into = &options.user,
       .description = "who starts the program, by the system's etc/passwd and etc/group (default: who asks): decides "
                      "which files it may open, and whether set-uid, set-gid and file capabilities set AT_SECURE",
       .group = group},
      {.names = {"--secure"},
       .into = WhenGiven{[&options] { options.secure = AtSecure::Yes; }},
       .description = "with AT_SECURE, whatever the program's mode",
       .group = group},
      {.names = {"--no-secure"},
       .into = WhenGiven{[&options] { options.secure = AtSecure::No; }},
       .description = "without AT_SECURE, though the program is set-uid, set-gid or has capabilities",
       .group = group},
      {.names = {"--glibc"},
       .value = "X.Y",
       .into = &options.glibc,
       .description = "rules of this glibc release instead of the loader's own",
       .group = group},
      {.names = {"--json"}, .into = &options.json, .description = "print JSON (schema soresolve/1)", .group = "Output"},
      colour_option(options.colour),
      {.names = {"-v", "--verbose"},
       .into = &options.verbose,
       .description = "unfold everything; trace lines on standard error",
       .group = "Output"},
  };
}

namespace {

std::optional<std::string> take_exe(ProcessSettings& process, const std::string& word) {
  const bool is_nobody = word == "none";
  process.opened_by = is_nobody ? OpenedBy::Nobody : OpenedBy::WhoFits;
  process.exe = is_nobody ? std::string() : word;
  return std::nullopt;
}

std::optional<std::string> take_loaded(ProcessSettings& process, const std::string& word) {
  Result<OpenRequest> loaded = parse_loaded(word);
  if (!loaded) return loaded.error().message;
  process.loaded.push_back(std::move(loaded).value());
  return std::nullopt;
}

std::optional<std::string> take_mode(ProcessSettings& process, const std::string& words) {
  const Result<OpenMode> mode = parse_open_mode(words);
  if (!mode) return mode.error().message;
  process.mode = *mode;
  return std::nullopt;
}

}  // namespace

OptionList world_options(WorldOptions& options) {
  constexpr std::string_view group = "The process that opens FILE";
  ProcessSettings& process = options.process;
  OptionList list = {
      {.names = {"--exe"},
       .value = "FILE",
       .into = TakeOnce{[&process](const std::string& word) { return take_exe(process, word); }},
       .description = "the program that opens FILE with dlopen; a script stands for its interpreter. For an "
                      "extension module of Python its interpreter is found; none: look at FILE alone",
       .group = group},
      {.names = {"--loaded"},
       .value = "FILE",
       .into = TakeEach{[&process](const std::string& word) { return take_loaded(process, word); }},
       .description =
           "what the process has opened before; repeatable, in order, each with its own closure. MODE:FILE, with the "
           "words of --rtld and caller=FILE, say how: global,deepbind:libx.so",
       .group = group},
      {.names = {"--rtld"},
       .value = "MODE",
       .into = TakeOnce{[&process](const std::string& words) { return take_mode(process, words); }},
       .description =
           "how FILE is opened; words with commas between them: local or global, deepbind, now or lazy, noload (only "
           "if it is loaded), nodelete, dlmopen (in a namespace of its own)",
       .choices = {"local", "global", "deepbind", "now", "lazy", "noload", "nodelete", "dlmopen"},
       .group = group},
      {.names = {"--caller"},
       .value = "FILE",
       .into = &process.caller,
       .description = "the object whose code calls dlopen (default: the program); its RUNPATH counts for a "
                      "library name",
       .group = group},
      {.names = {"--by-name"},
       .into = WhenGiven{[&process] { process.bare_name = BareName::Library; }},
       .description = "a FILE without a slash is a library name for dlopen, also where the current directory has a "
                      "file of that name (./FILE is that file)",
       .group = group},
      {.names = {"--pid"},
       .value = "N",
       .into = &options.pid,
       .description = "a live process: its program, environment, directory, root and what it has mapped",
       .range = ValueRange{1, 1 << 22},
       .group = group},
  };
  append(list, place_options(options));
  return list;
}

Option files_option(std::vector<std::string>& files, const std::string& what) {
  return {.names = {"FILE"}, .into = &files, .description = what + "; with --pid it can be left out"};
}

std::optional<Exit> complete_files(std::string_view name, const WorldOptions& options,
                                   std::vector<std::string>& files) {
  if (!files.empty()) return std::nullopt;
  if (options.pid != 0) {
    files.emplace_back();
    return std::nullopt;
  }
  const Text command = "soresolve " + Text::escaped(name);
  write_error(command + ": FILE is required\n" + command + " see --help\n");
  return Exit::Usage;
}

}  // namespace soresolve::tool
