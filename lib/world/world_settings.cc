// Settings in words become typed ones: the root, the environment, the user, the release. What a person can write
// wrongly is refused here, with the word that is wrong. Source: ld.so(8) for what of an environment counts.
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/path.h"
#include "base/pieces.h"
#include "base/steady_file_system.h"
#include "base/user.h"
#include "cuda/driver_mount.h"
#include "loader/loader_rules.h"
#include "soresolve/place.h"
#include "world/enter_place.h"
#include "world/open_words.h"
#include "world/text_file.h"
#include "world/world_state.h"

namespace soresolve {
namespace {

/// Where there is nothing: in a directory that has been removed the kernel finds no name either.
constexpr std::string_view kRemovedDirectory = "/(the working directory has been removed)";

std::string current_directory() {
  constexpr std::size_t kMostBytes = 1 << 20;
  std::string path(4096, '\0');
  while (::getcwd(path.data(), path.size()) == nullptr) {
    if (errno != ERANGE || path.size() >= kMostBytes) return std::string(kRemovedDirectory);
    path.resize(path.size() * 2);
  }
  return path.c_str();
}

std::string kernel_platform() {
  const unsigned long address = ::getauxval(AT_PLATFORM);
  return address == 0 ? std::string() : reinterpret_cast<const char*>(address);
}

std::string kernel_release() {
  utsname kernel;
  return ::uname(&kernel) == 0 ? kernel.release : std::string();
}

}  // namespace

Error usage_error(std::string message) { return {ErrorCode::Usage, {}, {}, std::move(message)}; }

bool is_of_interest(std::string_view entry) {
  constexpr std::string_view kNames[] = {"GLIBC_TUNABLES=",
                                         "PATH=",
                                         "HOME=",
                                         "VIRTUAL_ENV=",
                                         "CONDA_PREFIX=",
                                         "PYENV_ROOT=",
                                         "PYENV_VERSION=",
                                         "PYTHONHOME=",
                                         "PYTHONPATH=",
                                         "PYTHONNOUSERSITE=",
                                         "PYTHONUSERBASE=",
                                         "TORCH_USE_RTLD_GLOBAL=",
                                         "BNB_CUDA_VERSION=",
                                         "_FAISS_WHEEL_DISABLE_CUDA_PRELOAD=",
                                         "NVIDIA_DRIVER_CAPABILITIES="};
  return entry.starts_with("LD_") || std::any_of(std::begin(kNames), std::end(kNames),
                                                 [&](std::string_view name) { return entry.starts_with(name); });
}

HostFacts read_host_facts() { return {current_directory(), kernel_platform(), kernel_release(), calling_user()}; }

Result<OpenMode> parse_open_mode(std::string_view words) {
  OpenMode mode;
  bool is_local = false, is_global = false, is_deep = false, is_now = false, is_lazy = false;
  for (std::string_view rest = words;;) {
    const std::string_view word = rest.substr(0, rest.find(','));
    if (word == "local")
      is_local = true;
    else if (word == "global")
      is_global = true;
    else if (word == "deepbind")
      is_deep = true;
    else if (word == "now")
      is_now = true;
    else if (word == "lazy")
      is_lazy = true;
    else if (word == "noload")
      mode.only_if_loaded = true;
    else if (word == "nodelete")
      mode.stays = true;
    else if (word == "dlmopen")
      mode.into = OpenInto::NewNamespace;
    else
      return Unexpected{usage_error("'" + std::string(word) +
                                    "' is no way to open a library: local, global, deepbind, now, "
                                    "lazy, noload, nodelete, dlmopen")};
    if (word.size() == rest.size()) break;
    rest.remove_prefix(word.size() + 1);
  }
  if (is_local && is_global) return Unexpected{usage_error("local and global contradict each other")};
  if (is_now && is_lazy) return Unexpected{usage_error("now and lazy contradict each other")};
  mode.scope = is_global ? (is_deep ? OpenScope::GlobalDeepBind : OpenScope::Global)
                         : (is_deep ? OpenScope::DeepBind : OpenScope::Local);
  if (is_lazy) mode.bind_time = BindTime::AsAsked;
  return mode;
}

Result<OpenRequest> parse_loaded(std::string_view text) {
  OpenRequest request;
  request.file = text;
  const std::size_t colon = text.find(':');
  // A file can have a colon in its name, too.
  if (colon == std::string_view::npos || text.substr(0, colon).empty()) return request;
  constexpr std::string_view kCaller = "caller=";
  std::string words;
  std::string caller;
  for (std::string_view rest = text.substr(0, colon);;) {
    const std::string_view word = rest.substr(0, rest.find(','));
    if (word.starts_with(kCaller))
      caller = word.substr(kCaller.size());
    else
      words += (words.empty() ? "" : ",") + std::string(word);
    if (word.size() == rest.size()) break;
    rest.remove_prefix(word.size() + 1);
  }
  if (!words.empty()) {
    Result<OpenMode> mode = parse_open_mode(words);
    const bool is_path = words.find_first_not_of("abcdefghijklmnopqrstuvwxyz,") != std::string::npos;
    if (!mode && is_path) return request;
    if (!mode) return Unexpected{std::move(mode).error()};
    request.mode = *mode;
  }
  request.caller = std::move(caller);
  request.file = text.substr(colon + 1);
  return request;
}

std::optional<Error> World::State::prepare_environment() {
  std::vector<std::string> entries = settings_.start.env;
  for (const std::string& entry : entries) {
    if (entry.find('=') == std::string::npos) {
      return usage_error("--env takes NAME=VALUE, not '" + entry + "'");
    }
  }
  if (settings_.start.inherits()) {
    const std::vector<std::string>& inherited = live_                       ? live_->environment.entries()
                                                : place_ && place_->process ? place_->process->env
                                                                            : settings_.start.inherited;
    std::copy_if(inherited.begin(), inherited.end(), std::back_inserter(entries), is_of_interest);
  }
  environment_ = Environment(std::move(entries));
  return std::nullopt;
}

PlaceOptions place_options_of(const WorldSettings& settings) {
  PlaceOptions options = settings.where.place_options;
  options.python = settings.process.python;
  options.env = settings.start.env;
  if (settings.start.env.empty() && settings.start.clean_env) options.env = {"PATH="};
  options.inherited = settings.start.inherited;
  return options;
}

/// The tree that is looked at.
std::optional<Error> World::State::prepare_files() {
  const PlaceOptions& options = settings_.where.place_options;
  if (settings_.where.files) {
    if (settings_.where.is_recorded && (!options.bases.empty() || !options.platform.empty())) {
      return usage_error("a snapshot is a whole machine: --base and --platform do not go with it");
    }
    files_ = settings_.where.files;
    return std::nullopt;
  }
  if (root_.empty()) {
    if (!options.bases.empty() || !options.platform.empty()) {
      return usage_error("--base and --platform are about a --root: name one");
    }
    files_ = host_file_system();
    return std::nullopt;
  }
  if (live_ && !live_->is_dump) {
    Result<std::unique_ptr<FileSystem>> rooted = rooted_file_system(root_);
    if (!rooted) return std::move(rooted).error();
    files_ = std::move(rooted).value();
    return std::nullopt;
  }
  place_ = settings_.where.place;
  if (!place_) {
    Result<Place> place = open_place(root_, place_options_of(settings_));
    if (!place) return std::move(place).error();
    place_ = std::make_shared<const Place>(std::move(*place));
    for (const std::string& note : place_->notes) warnings_.push_back({ErrorCode::Malformed, root_, {}, note});
  }
  files_ = place_->files;
  return std::nullopt;
}

/// Who starts the program: whoever is named, the user of an image, who asks.
std::optional<Error> World::State::prepare_user() {
  user_ = live_ ? live_->user : settings_.host.user;
  const bool is_named = !settings_.start.user.empty();
  if (is_named && live_) {
    return usage_error(std::string(live_->is_dump ? "--core" : "--pid") +
                       " says whose process it is: --user does not go with it");
  }
  std::string name = settings_.start.user;
  if (!is_named && place_ && place_->process) name = place_->process->user.substr(0, place_->process->user.find(':'));
  if (name.empty()) return std::nullopt;
  Result<User> user = find_user(*files_, name);
  if (!user && is_named) return std::move(user).error();
  if (!user) {
    warnings_.push_back(
        {ErrorCode::NotFound, root_, {}, "its User '" + name + "' is not in its etc/passwd: left aside"});
    return std::nullopt;
  }
  user_ = std::move(user).value();
  is_user_named_ = true;
  return std::nullopt;
}

/// Programs that start the command behind their own options: of init(8)'s kind, and those that change the user.
static bool is_runner(std::string_view name) {
  constexpr std::string_view kRunners[] = {"catatonit", "dumb-init", "env",  "gosu",
                                           "setpriv",   "su-exec",   "tini", "tini-static"};
  return std::find(std::begin(kRunners), std::end(kRunners), name) != std::end(kRunners);
}

/// Does a shell script end by starting its arguments: `exec "$@"`, perhaps through a runner?
static bool starts_arguments(std::string_view script) {
  for (const std::string_view line : lines_in(script)) {
    const std::vector<std::string_view> words = words_in(line);
    if (words.size() < 2 || words.front() != "exec") continue;
    const std::string_view last = words.back();
    const bool is_all = last == "\"$@\"" || last == "$@" || last == "\"${@}\"" || last == "${@}";
    if (is_all && (words.size() == 2 || is_runner(file_name_of(words[1])))) return true;
  }
  return false;
}

/// Where the command begins that the runner at `at` starts: behind its options and, of env, assignments; of those that
/// change the user, behind his name.
static std::size_t behind_runner(const std::vector<std::string>& command, std::size_t at) {
  const std::string_view runner = file_name_of(command[at]);
  const bool takes_user = runner == "gosu" || runner == "su-exec";
  for (++at; at < command.size(); ++at) {
    if (command[at] == "--") return at + 1;
    const bool is_assignment = runner == "env" && command[at].find('=') != std::string::npos;
    if (!command[at].starts_with('-') && !is_assignment) break;
  }
  return takes_user ? at + 1 : at;
}

/// What the shell starts for `sh -c TEXT`, where that is plain; empty: it is not.
static std::string plain_command(std::string_view text) {
  if (text.find_first_of(";&|<>$`()\\\"'*?[]{}#!\n") != std::string_view::npos) return {};
  const std::vector<std::string_view> words = words_in(text);
  const std::size_t first = !words.empty() && words.front() == "exec" ? 1 : 0;
  return first < words.size() && words[first].find('=') == std::string_view::npos ? std::string(words[first])
                                                                                  : std::string();
}

/// As execvp(3) finds it; a name with a slash is none that PATH is searched for.
std::optional<std::string> World::State::program_in_path(const std::string& name) const {
  if (name.find('/') != std::string::npos) return name;
  const std::string path(environment_.value("PATH").value_or(kContainerPath));
  for (const std::string_view directory : pieces_in(path, ':')) {
    std::string candidate = absolute_path(path_in(directory, name), cwd_);
    const Result<FileStatus, Errno> status = files_->status(candidate);
    if (status && status->kind == FileKind::Regular && (status->mode & 0111) != 0) return candidate;
  }
  return std::nullopt;
}

Result<std::vector<std::string>> World::State::entry_points() {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  std::vector<std::string> programs;
  if (!place_ || !place_->process) return programs;  // what has no name is refused by who opens it
  const std::vector<std::string>& command = place_->process->command;
  if (command.empty()) {
    return Unexpected{usage_error("FILE is required: the image names neither Entrypoint nor Cmd")};
  }
  const std::string user = place_->process->user.substr(0, place_->process->user.find(':'));
  if (!user.empty() && !is_user_named_) {
    return Unexpected{
        Error{ErrorCode::NotFound,
              root_,
              {},
              "its User '" + user + "' is not in its etc/passwd: nothing of it is started; --user names another"}};
  }
  constexpr int kMostSteps = 8;
  constexpr std::size_t kScriptBytes = std::size_t{1} << 18;
  constexpr std::string_view kShells[] = {"ash", "bash", "dash", "sh"};
  std::size_t at = 0;
  for (int step = 0; step < kMostSteps && at < command.size(); ++step) {
    std::optional<std::string> program = program_in_path(command[at]);
    // A later word that is no program is one that the script has a meaning for.
    if (!program && !programs.empty()) break;
    if (!program) {
      return Unexpected{
          Error{ErrorCode::NotFound, command.front(), {}, "is what the image starts, and is not in its PATH"}};
    }
    programs.push_back(*std::move(program));
    const std::string_view name = file_name_of(programs.back());
    const bool is_shell = std::find(std::begin(kShells), std::end(kShells), name) != std::end(kShells);
    if (is_runner(name)) {
      at = behind_runner(command, at);
      continue;
    }
    if (is_shell && at + 2 < command.size() && command[at + 1] == "-c") {
      const std::string word = plain_command(command[at + 2]);
      if (std::optional<std::string> next = word.empty() ? std::nullopt : program_in_path(word))
        programs.push_back(*next);
      break;
    }
    const std::string script = start_of_file(*files_, absolute_path(programs.back(), cwd_), kScriptBytes);
    const bool goes_on = script.starts_with("#!") && starts_arguments(script);
    if (!goes_on || at + 1 == command.size() || command[at + 1].starts_with('-')) break;
    // It may put something before its arguments: then what is no program here need not be one.
    const std::optional<std::string> next = program_in_path(command[at + 1]);
    const bool is_there = next && files_->status(absolute_path(*next, cwd_));
    if (!is_there && script.find("set -- ") != std::string::npos) break;
    ++at;
  }
  return programs;
}

std::optional<Error> World::State::read_settings() {
  if (is_prepared_) return std::nullopt;
  if (auto error = enter_place(settings_)) return error;
  root_ = settings_.where.root;
  if (auto error = prepare_live()) return error;
  if (auto error = prepare_files()) return error;
  if (settings_.where.known && !live_) files_ = steady_files(std::move(files_), settings_.where.known);
  const bool has_own_cwd = place_ && place_->process && place_->process->cwd.starts_with('/');
  cwd_ = !settings_.start.cwd.empty() ? settings_.start.cwd
         : live_                      ? live_->cwd
         : has_own_cwd                ? place_->process->cwd
         : root_.empty()              ? settings_.host.cwd
                                      : "/";
  if (!cwd_.starts_with('/')) cwd_ = absolute_path(cwd_, settings_.host.cwd);
  if (auto error = prepare_environment()) return error;
  if (auto error = prepare_user()) return error;
  if (!settings_.machine.glibc.empty()) {
    release_ = parse_glibc_version(settings_.machine.glibc);
    constexpr GlibcVersion kOldest{2, 28};
    constexpr GlibcVersion kBeyond{3, 0};
    if (release_ < kOldest || !(release_ < kBeyond)) {
      return usage_error("--glibc takes a release from 2.28 on, such as 2.31, not '" + settings_.machine.glibc + "'");
    }
  }
  if (auto error = prepare_driver()) return error;
  is_prepared_ = true;
  return std::nullopt;
}

/// The files and the environment as a container on that host has them.
std::optional<Error> World::State::prepare_driver() {
  if (settings_.driver.driver.empty() && settings_.driver.files == nullptr) {
    if (settings_.driver.mode == DriverMode::Toolkit && settings_.driver.release.empty()) return std::nullopt;
    return usage_error("--driver-mode says how a driver is passed in: --driver names it");
  }
  if (live_) return usage_error("--pid says which driver there is: --driver does not go with it");
  DriverSettings host = settings_.driver;
  if (host.files == nullptr) {
    const Result<FileStatus, Errno> status = host_file_system()->status(host.driver);
    if (status && status->kind == FileKind::Regular) {
      Result<Place> place = open_place(host.driver);
      if (!place) return std::move(place).error();
      host.files = std::move(place->files);
    }
  }
  Result<MountedDriver> mounted = mount_driver(files_, host, environment_, release_);
  if (!mounted) return std::move(mounted).error();
  files_ = std::move(mounted->files);
  driver_ = std::move(mounted->mount);
  if (!driver_->library_path) return std::nullopt;
  std::vector<std::string> entries = environment_.entries();
  std::erase_if(entries, [](const std::string& entry) { return entry.starts_with("LD_LIBRARY_PATH="); });
  entries.push_back("LD_LIBRARY_PATH=" + *driver_->library_path);
  environment_ = Environment(std::move(entries));
  return std::nullopt;
}

}  // namespace soresolve
