// The options that several subcommands share: the analysed world, the process that opens the file, and the output.
#include "world_options.h"

#include <unistd.h>

#include <utility>

#include "child_process/child_process.h"
#include "cuda/driver_mount.h"
#include "host/container.h"
#include "input.h"
#include "meaning.h"
#include "world/enter_place.h"
#include "world/open_words.h"

namespace soresolve::tool {

void append(OptionList& list, OptionList more) {
  for (Option& option : more) list.push_back(std::move(option));
}

Option colour_option(std::string& colour) {
  return {.names = {"--color", "--colour"}, .value = "WHEN", .into = &colour, .choices = {"auto", "always", "never"}};
}

Option verbose_option(WorldOptions& options) { return {.names = {"-v", "--verbose"}, .into = &options.verbose}; }
Option trace_option(WorldOptions& options) { return {.names = {"--trace"}, .into = &options.trace}; }

Option language_option(std::string& language) {
  return {.names = {"--lang"}, .value = "LANG", .into = &language, .choices = {"en", "zh"}};
}

Option html_option(WorldOptions& options) { return {.names = {"--html"}, .value = "FILE", .into = &options.html}; }

std::string page_title(std::string_view name, const WorldOptions& options, const std::string& file) {
  const bool is_import = options.process.asked_as == AskedAs::Import;
  const std::string root = !options.container.empty()   ? " --container " + options.container
                           : options.where.root.empty() ? ""
                                                        : " --root " + options.where.root;
  return "soresolve " + std::string(name) + root + (is_import ? " --import " : " ") + file;
}

std::optional<Exit> refuse_many_pages(std::string_view name, const WorldOptions& options, std::size_t file_count) {
  if (options.html.empty() || file_count <= 1) return std::nullopt;
  return refuse_usage(name, "--html takes the answer about one file; for many: soresolve scan --html");
}

Option dlopen_option(DlopenLevel& level) {
  return {.names = {"--dlopen"},
          .value = "HOW",
          .into = one_of<DlopenLevel>(level, {{"none", DlopenLevel::None},
                                              {"notes", DlopenLevel::Notes},
                                              {"known", DlopenLevel::Known},
                                              {"strings", DlopenLevel::Strings}}),
          .choices = {"none", "notes", "known", "strings"}};
}

Option jobs_option(unsigned& jobs) {
  return {.names = {"-j", "--jobs"}, .value = "N", .into = &jobs, .range = ValueRange{1, 256}};
}

Option only_option(std::string& only) {
  return {.names = {"--only"}, .value = "WHAT", .into = &only, .choices = {"loader"}};
}

Option strict_option(bool& is_strict) { return {.names = {"--strict"}, .into = &is_strict}; }

namespace {

std::optional<std::string> take_root(WorldOptions& options, const std::string& word) {
  if (!options.container.empty()) return std::string("--container names the root already");
  options.where.root = word;
  if (word == "-") {
    Result<PlaceOnInput> input = open_input();
    if (!input) return input.error().to_string();
    options.where.root = std::move(input->path);
    if (input->snapshot) {
      if (const auto error = enter_snapshot(options, std::move(input->snapshot), "standard input")) {
        return error->to_string();
      }
    }
  }
  if (const std::optional<Error> error = enter_place(options)) return error->to_string();
  watch_for_unrecorded(options);
  return std::nullopt;
}

/// Its files become the root, and its process the one of an image.
std::optional<std::string> take_container(WorldOptions& options, const std::string& word) {
  if (!options.where.root.empty()) return std::string("--root names the root already");
  const Environment environment(child::environment_here());
  const ContainerStores stores = container_stores(environment, static_cast<std::uint32_t>(::geteuid()));
  const Result<Container> container = find_container(stores, word);
  if (!container) return container.error().to_string();
  Result<Place> place = open_container(*container, stores);
  if (!place) return place.error().to_string();
  for (const std::string& note : place->notes) {
    write_error("soresolve: warning: " + Text::escaped(container->name + ": " + note) + "\n");
  }
  options.container = container->name;
  options.has_layers = container->pid == 0 && container->layers.size() > 1;
  options.where.place = std::make_shared<const Place>(std::move(*place));
  options.where.root = directory_of_container(*container, stores);
  return std::nullopt;
}

}  // namespace

OptionList place_options(WorldOptions& options) {
  return {
      {.names = {"--root"}, .value = "PLACE", .into = TakeOnce{[&options](const std::string& word) {
                                                return take_root(options, word);
                                              }}},
      {.names = {"--container"}, .value = "NAME", .into = TakeOnce{[&options](const std::string& word) {
                                                    return take_container(options, word);
                                                  }}},
      {.names = {"--base"}, .value = "PLACE", .into = &options.where.place_options.bases},
      {.names = {"--platform"}, .value = "OS/ARCH", .into = &options.where.place_options.platform},
      {.names = {"--cache"}, .value = "DIR", .into = &options.where.place_options.cache},
      {.names = {"--verify"}, .into = WhenGiven{[&options] { options.where.place_options.verify = Verify::All; }}},
      {.names = {"--env"}, .value = "K=V", .into = &options.start.env},
      {.names = {"--clean-env"}, .into = &options.start.clean_env},
      {.names = {"--cwd"}, .value = "DIR", .into = &options.start.cwd},
      {.names = {"--cpu"}, .value = "NAME", .into = &options.machine.cpu},
      {.names = {"--user"}, .value = "USER", .into = &options.start.user},
      {.names = {"--secure"}, .into = WhenGiven{[&options] { options.start.secure = AtSecure::Yes; }}},
      {.names = {"--no-secure"}, .into = WhenGiven{[&options] { options.start.secure = AtSecure::No; }}},
      {.names = {"--glibc"}, .value = "X.Y", .into = &options.machine.glibc},
      {.names = {"--json"}, .into = &options.json},
      colour_option(options.colour),
      verbose_option(options),
      trace_option(options),
  };
}

namespace {

std::optional<std::string> take_exe(ProcessSettings& process, const std::string& word) {
  const bool is_none = word == "none";
  process.opened_by = is_none ? OpenedBy::None : OpenedBy::WhoFits;
  process.exe = is_none ? std::string() : word;
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

std::optional<std::string> take_import(WorldOptions& options, const std::string& word) {
  options.process.asked_as = AskedAs::Import;
  options.import_module = word;
  return std::nullopt;
}

}  // namespace

OptionList world_options(WorldOptions& options) {
  ProcessSettings& process = options.process;
  OptionList list = {
      {.names = {"--exe"}, .value = "FILE", .into = TakeOnce{[&process](const std::string& word) {
                                              return take_exe(process, word);
                                            }}},
      {.names = {"--loaded"}, .value = "FILE", .into = TakeEach{[&process](const std::string& word) {
                                                 return take_loaded(process, word);
                                               }}},
      {.names = {"--rtld"},
       .value = "MODE",
       .into = TakeOnce{[&process](const std::string& words) { return take_mode(process, words); }},
       .choices = {"local", "global", "deepbind", "now", "lazy", "noload", "nodelete", "dlmopen"}},
      {.names = {"--caller"}, .value = "FILE", .into = &process.caller},
      {.names = {"--by-name"}, .into = WhenGiven{[&process] { process.bare_name = BareName::Library; }}},
      {.names = {"--import"}, .value = "MODULE", .into = TakeOnce{[&options](const std::string& word) {
                                                   return take_import(options, word);
                                                 }}},
      {.names = {"--python"}, .value = "ENV", .into = &process.python},
  };
  append(list, live_options(options));
  append(list, place_options(options));
  return list;
}

OptionList live_options(WorldOptions& options) {
  return {
      {.names = {"--pid"}, .value = "N", .into = &options.live.pid, .range = ValueRange{1, 1 << 22}},
      {.names = {"--core"}, .value = "FILE", .into = own_file(options.live.core)},
  };
}

bool is_about_process(const WorldOptions& options, const std::vector<std::string>& files) {
  const bool has_process = options.live.pid != 0 || !options.live.core.empty();
  return has_process && files.size() == 1 && files.front().empty();
}

void report_notes(const LinkMap& map, const WorldOptions& options) {
  if (options.json) return;
  for (const Statement& note : map.notes) {
    write_error("soresolve: note: " + Text::escaped(sentence(note, language_of(options.language))) + "\n");
  }
}

OptionList driver_options(WorldOptions& options) {
  return {
      {.names = {"--driver"}, .value = "DRIVER", .into = &options.driver.driver},
      {.names = {"--driver-mode"},
       .value = "MODE",
       .into = TakeOnce{[&options](const std::string& word) -> std::optional<std::string> {
         Result<DriverSettings> settings = with_driver_mode(options.driver, word);
         if (!settings) return settings.error().message;
         options.driver = std::move(settings).value();
         return std::nullopt;
       }}},
  };
}

Option files_option(std::vector<std::string>& files) {
  return {.names = {"FILE"}, .into = &files, .is_left_to_world = true};
}

namespace {

/// PLACE//FILE: the place becomes the root. A directory does not count: two slashes in a path are one.
void take_place(WorldOptions& options, std::vector<std::string>& files) {
  if (!options.where.root.empty() || options.live.pid != 0 || files.empty()) return;
  const std::size_t slashes = files.front().find("//", 1);
  if (slashes == std::string::npos) return;
  const std::string place = files.front().substr(0, slashes);
  const Result<FileStatus, Errno> status = host_file_system()->status(place);
  if (!status || (status->kind != FileKind::Regular && !host_file_system()->status(place + "/oci-layout"))) return;
  if (const std::optional<std::string> failure = take_root(options, place)) {
    options.where.root = place;  // the World tells why
  }
  for (std::string& file : files) {
    if (file.starts_with(place + "//")) file.erase(0, slashes + 1);
  }
}

}  // namespace

Environment environment_of(const WorldOptions& options) {
  Environment environment;
  const bool is_own = options.start.inherits() && options.where.root.empty();
  if (is_own) {
    for (const std::string& entry : options.where.is_recorded ? options.start.inherited : child::environment_here())
      environment.add(entry);
  }
  for (const std::string& entry : options.start.env) environment.add(entry);
  return environment;
}

std::optional<Exit> complete_files(const Subcommand& asked, WorldOptions& options, std::vector<std::string>& files,
                                   std::span<char* const> typed) {
  take_place(options, files);
  if (const auto exit = name_input(asked, options, files)) return exit;
  if (const auto exit = follow_meaning(asked, options, files, typed)) return exit;
  const bool is_import = options.process.asked_as == AskedAs::Import;
  const bool takes_name = &asked == &kWhy;  // the library that is to be explained
  if (is_import && (files.empty() || (takes_name && files.size() == 1))) {
    files.insert(files.begin(), options.import_module);
    return std::nullopt;
  }
  if (is_import) return refuse_usage(asked.name, "--import stands instead of FILE");
  if (!files.empty()) return std::nullopt;
  if (options.live.pid != 0 || !options.live.core.empty() || !options.where.root.empty()) {
    files.emplace_back();
    if (options.live.pid != 0 || !options.live.core.empty() || (&asked != &kCheck && &asked != &kWhy)) {
      return std::nullopt;
    }
    // An entry point that is a script leaves what the image runs to the command behind it.
    Result<std::vector<std::string>> programs = WorldHere(options).entry_points();
    if (programs && programs->size() > 1) files = *std::move(programs);
    return std::nullopt;
  }
  return refuse_missing(asked, "FILE is required");
}

}  // namespace soresolve::tool
