// Turns settings (root, environment, program, file) into a System and a Process, and walks. Each assumption is a note
// in the result. Source: execve(2), ld.so(8) for AT_SECURE; how Python opens its extension modules: host/python.cc. The
// rules of the loader are in lib/loader; nothing of a file is run.
#include "soresolve/world.h"
#include "symbols/settle_openings.h"

#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/user.h"
#include "host/host.h"
#include "loader/cpu.h"
#include "loader/live_process.h"
#include "loader/load.h"
#include "loader/loader_rules.h"
#include "loader/process.h"
#include "loader/system.h"
#include "soresolve/symbols.h"
#include "world/text_file.h"

namespace soresolve {
namespace {

std::string current_directory() {
  char path[4096];
  return ::getcwd(path, sizeof path) != nullptr ? std::string(path) : std::string("/");
}

std::string kernel_platform() {
  const unsigned long address = ::getauxval(AT_PLATFORM);
  return address == 0 ? std::string() : reinterpret_cast<const char*>(address);
}

std::string kernel_release() {
  utsname kernel;
  return ::uname(&kernel) == 0 ? kernel.release : std::string();
}

/// What the loader reads, and what tells where the interpreters are.
bool is_of_interest(std::string_view entry) {
  constexpr std::string_view kNames[] = {
      "GLIBC_TUNABLES=", "PATH=", "HOME=", "VIRTUAL_ENV=", "CONDA_PREFIX=", "PYENV_ROOT="};
  return entry.starts_with("LD_") || std::any_of(std::begin(kNames), std::end(kNames),
                                                 [&](std::string_view name) { return entry.starts_with(name); });
}

Error usage_error(std::string message) { return {ErrorCode::Usage, {}, {}, std::move(message)}; }

/// For a library name nothing says which machine is meant: the host's, else the first that the root
/// has a loader for.
constexpr std::uint16_t kMachines[] = {
#if defined(__aarch64__)
    183, 62,
#else
    62, 183,
#endif
    3,   40, 21, 22, 243, 258, 20, 8, 43};

/// Is a file that can be read at its path to be read there? Not where the process itself may not open it any more.
enum class KeepsLink : std::uint8_t { No, Yes };

/// Decides where the file of an object can be read: at its path, if that is still what is mapped. Is it a
/// library at all? Code of something else can be mapped as well, where only addresses tell what is loaded.
Result<bool> find_mapped_file(const FileSystem& files, KeepsLink keeps_link, LiveObject& object, const std::string& who,
                              std::vector<std::string>& notes) {
  if (object.is_dynamic_loader) return true;
  const Result<FileStatus, Errno> there = files.status(object.path);
  const bool is_same = !object.is_deleted && there && there->id.inode == object.inode;
  Result<OpenedObject> opened =
      is_same ? open_object(files, object.path, object.name) : Result<OpenedObject>(Unexpected{Error{}});
  const bool is_at_path = is_same && (opened || opened.error().code != ErrorCode::Unreadable);
  if (!is_at_path) opened = open_object(*host_file_system(), object.mapped_at, object.name);
  const auto cannot_tell = [&](const std::string& why) {
    return Unexpected{Error{ErrorCode::Unreadable, {}, {}, "cannot tell: " + who + why}};
  };
  if (!opened && opened.error().code == ErrorCode::NotFound) {
    return cannot_tell(" changed while it was read: " + object.name + " is no longer mapped");
  }
  if (!opened && opened.error().code == ErrorCode::Unreadable) {
    return cannot_tell(" has " + object.name + " mapped, " +
                       (is_same ? "whose file" : "as it was before it was removed or replaced, and that") +
                       " cannot be read: " + opened.error().message +
                       " (that takes root: CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE)");
  }
  if (!opened || !opened->elf.has_dynamic) {
    notes.push_back(who + " has " + object.name +
                    " mapped, which is no library: " + (opened ? "it is not dynamic" : opened.error().message));
    return false;
  }
  const FileId mapped = opened->file->status().id;
  const bool can_follow = keeps_link == KeepsLink::Yes && host_file_system()->open(object.mapped_at);
  if (is_at_path && !can_follow) object.mapped_at.clear();
  // Some file systems give mappings other numbers than files.
  if (is_at_path || (there && there->id == mapped)) return true;
  if (mapped.inode != object.inode)
    return cannot_tell(" changed while it was read: " + object.name + " is no longer mapped");
  notes.push_back(object.name + (there ? " has been replaced" : " has been removed") + " since " + who +
                  " loaded it: the file that it has mapped is what counts");
  return true;
}

}  // namespace

/// The settings as they were read, and what questions share.
struct World::State {
  explicit State(WorldSettings settings) : settings_(std::move(settings)) {}

  Result<Resolution> resolve(const std::string& file, const ResolveOptions& options);
  Result<std::shared_ptr<const System>> system();
  Result<OpenedLibrary> open_library(const std::string& name, std::optional<BareName> bare_name);
  bool has_file(const std::string& name);
  Result<std::shared_ptr<const FileSystem>> files();

  std::optional<Error> read_settings();
  std::optional<Error> prepare_live();
  std::optional<Error> prepare_environment();
  Result<std::shared_ptr<const System>> system_for(const std::string& loader_path, const User& user);
  /// What load() wants for one file.
  struct Prepared;
  Result<Prepared> prepare(const std::string& file);
  Result<Prepared> prepare_library_name(const std::string& name);
  /// What a word of the command line means: a file of the analysed world, or a library name.
  struct Target {
    std::string name;                                       ///< inside the root
    std::optional<OpenedObject> opened;                     ///< none: it is no file here
    std::optional<Environment> environment = std::nullopt;  ///< if a script has changed it
  };
  Result<Target> find_target(const std::string& file);
  Result<Prepared> prepare_alone(const std::string& file, Target target);
  Result<Prepared> prepare_in_process(Target target, const AssumedProgram& program);
  Result<AssumedProgram> choose_program(const Target& target);
  [[nodiscard]] bool is_process_named() const;
  [[nodiscard]] std::string name_to_open(const std::string& word) const;
  /// Of the question that is being answered: is the word a library name, whatever files there are?
  [[nodiscard]] bool is_library_name(const std::string& word) const;
  [[nodiscard]] std::optional<std::string> note_on_bare_name(const std::string& word) const;
  std::optional<Error> add_live_objects(Prepared& prepared);
  std::optional<Error> fill_process(Prepared& prepared, const Environment& environment);
  Result<OpenedObject> open_live_program() const;
  [[nodiscard]] std::shared_ptr<const FileSystem> files_of(const User& user) const;
  Result<ExecIdentity> identity_of(const ElfObject& object, const File& file, const std::string& name,
                                   Prepared& prepared) const;

  WorldSettings settings_;
  ProcessSettings process_;  ///< of the question that is being answered
  bool is_prepared_ = false;
  std::shared_ptr<const FileSystem> files_;
  std::string root_;
  std::string cwd_;
  Environment environment_;
  GlibcVersion release_;
  std::optional<LiveProcess> live_;
  User user_;  ///< who starts the program
  /// Has the user been named, so that others than who asks may open the files?
  bool is_user_named_ = false;
  struct KnownSystem {
    std::string loader_path;
    User user;
    std::shared_ptr<const System> system;
  };
  std::vector<KnownSystem> systems_;
  std::vector<Error> warnings_;
};

struct World::State::Prepared {
  std::shared_ptr<const System> system;
  Process process;
  std::string file;                   ///< as the loader is given it
  std::vector<OpenRequest> openings;  ///< what the process opens; the last one is the file asked about
  std::vector<std::string> notes;     ///< what was assumed about the process
  OpenedObject opened;                ///< the file; empty for a library name
  bool is_dynamic = true;             ///< false: no PT_DYNAMIC, the kernel runs it without a loader

  void settle();
  /// Walks the dependencies and makes the openings; uses the rest up.
  Result<LinkMap> walk(LoadOptions options);
};

/// What is said to be loaded and cannot be: the process goes on without it.
void World::State::Prepared::settle() {
  const Result<std::vector<FailedOpening>> failed =
      settle_openings(system, std::make_shared<const Process>(process), file, openings, Settle::BeforeLast);
  if (!failed) return;  // loading says the same, where it matters
  for (const FailedOpening& one : *failed) {
    if (one.is_process_over) continue;
    notes.push_back(openings[one.index].file + " is not loaded before, because its own dlopen fails: " + one.message);
  }
}

Result<LinkMap> World::State::Prepared::walk(LoadOptions options) {
  options.openings = std::move(openings);
  Result<LinkMap> map =
      load(system, std::make_shared<const Process>(std::move(process)), file, std::move(opened), options);
  if (map) map->notes.insert(map->notes.begin(), notes.begin(), notes.end());
  return map;
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

/// What a live process says comes first; options can replace its environment and directory.
std::optional<Error> World::State::prepare_live() {
  if (settings_.pid == 0) return std::nullopt;
  if (!settings_.root.empty() || !process_.exe.empty()) {
    return usage_error("--pid gives root and program: --root and --exe do not go with it");
  }
  Result<LiveProcess> live = read_live_process(settings_.pid);
  if (!live) return std::move(live).error();
  live_ = std::move(live).value();
  root_ = live_->root;
  return std::nullopt;
}

std::optional<Error> World::State::prepare_environment() {
  std::vector<std::string> entries = settings_.env;
  for (const std::string& entry : entries) {
    if (entry.find('=') == std::string::npos) {
      return usage_error("--env takes NAME=VALUE, not '" + entry + "'");
    }
  }
  if (entries.empty() && !settings_.clean_env) {
    const std::vector<std::string>& inherited = live_ ? live_->environment.entries() : settings_.inherited;
    std::copy_if(inherited.begin(), inherited.end(), std::back_inserter(entries), is_of_interest);
  }
  environment_ = Environment(std::move(entries));
  return std::nullopt;
}

std::optional<Error> World::State::read_settings() {
  if (is_prepared_) return std::nullopt;
  root_ = settings_.root;
  if (auto error = prepare_live()) return error;
  if (settings_.files) {
    files_ = settings_.files;
  } else if (root_.empty()) {
    files_ = host_file_system();
  } else {
    Result<std::unique_ptr<FileSystem>> rooted = rooted_file_system(root_);
    if (!rooted) return std::move(rooted).error();
    files_ = std::move(rooted).value();
  }
  cwd_ = !settings_.cwd.empty() ? settings_.cwd : live_ ? live_->cwd : root_.empty() ? settings_.host.cwd : "/";
  if (!cwd_.starts_with('/')) cwd_ = absolute_path(cwd_, settings_.host.cwd);
  if (auto error = prepare_environment()) return error;
  user_ = live_ ? live_->user : settings_.host.user;
  if (!settings_.user.empty()) {
    if (live_) return usage_error("--pid says whose process it is: --user does not go with it");
    Result<User> user = find_user(*files_, settings_.user);
    if (!user) return std::move(user).error();
    user_ = std::move(user).value();
    is_user_named_ = true;
  }
  if (!settings_.glibc.empty()) {
    release_ = parse_glibc_version(settings_.glibc);
    constexpr GlibcVersion kOldest{2, 28};
    constexpr GlibcVersion kBeyond{3, 0};
    if (release_ < kOldest || !(release_ < kBeyond)) {
      return usage_error("--glibc takes a release from 2.28 on, such as 2.31, not '" + settings_.glibc + "'");
    }
  }
  is_prepared_ = true;
  return std::nullopt;
}

/// The files as the process can open them. Who asks opens them as the kernel lets him, without our help.
std::shared_ptr<const FileSystem> World::State::files_of(const User& user) const {
  const User& self = settings_.host.user;
  const bool is_self = user.uid == self.uid && user.gid == self.gid && user.groups == self.groups &&
                       user.passes_modes == self.passes_modes;
  return is_self ? files_ : files_as_user(files_, user);
}

/// Whom the kernel makes of the user when it starts this program, and whether it sets AT_SECURE. In a tree
/// that is only laid out here nothing is said by how it is mounted.
Result<ExecIdentity> World::State::identity_of(const ElfObject& object, const File& file, const std::string& name,
                                               Prepared& prepared) const {
  ExecIdentity identity{user_, false, {}};
  if (live_) return identity;
  const std::string path = absolute_path(name, cwd_);
  if (is_user_named_) {
    const auto seen = files_as_user(files_, user_);
    const Result<FileStatus, Errno> reached = seen->status(path);
    const bool is_program = object.has_interp;
    // What has no execute bit at all was unpacked without them.
    const bool is_allowed = reached && ((is_program && (reached->mode & 0111) == 0) ||
                                        may_access(user_, *reached, is_program ? Access::Execute : Access::Read));
    if (!is_allowed) {
      return Unexpected{
          Error{ErrorCode::Unreadable,
                name,
                {},
                describe(user_) + " may not " + (is_program ? "execute" : "read") + " it: Permission denied"}};
    }
  }
  if (!object.has_interp) return identity;
  const Nosuid nosuid = root_.empty() && !settings_.files ? Nosuid::Counts : Nosuid::Ignored;
  ExecIdentity started = identity_after_exec(user_, file, nosuid);
  if (!started.is_secure || settings_.secure == AtSecure::No) return identity;
  if (settings_.secure == AtSecure::AsStarted) {
    prepared.notes.push_back("assumed: AT_SECURE, because " + name + " is started by " + describe(user_) + " and " +
                             started.reason + "; --no-secure asks without it, --user USER for another user");
  }
  const User& self = settings_.host.user;
  if (!self.passes_modes && started.user.uid != self.uid) {
    prepared.notes.push_back("assumed: the process can open what " + describe(self) + " can: what only " +
                             describe(started.user) + " may read can be judged by root alone");
  }
  return started;
}

Result<std::shared_ptr<const System>> World::State::system_for(const std::string& loader_path, const User& user) {
  for (const KnownSystem& known : systems_) {
    if (known.loader_path == loader_path && known.user == user) return known.system;
  }
  const std::shared_ptr<const FileSystem> seen = files_of(user);
  Result<System> system = read_system(seen, loader_path, release_);
  if (!system && live_ && seen != files_) {
    // It has its loader, whether or not it may open it now.
    system = read_system(files_, loader_path, release_);
    if (system) system->files = seen;
  }
  if (!system) return Unexpected{std::move(system).error()};
  // The loader passes over a cache that it cannot use without a word; a person wants to know.
  if (system->cache_problem) warnings_.push_back(*system->cache_problem);
  if (system->preload_problem) warnings_.push_back(*system->preload_problem);
  systems_.push_back({loader_path, user, std::make_shared<const System>(std::move(system).value())});
  return systems_.back().system;
}

std::optional<Error> World::State::fill_process(Prepared& prepared, const Environment& environment) {
  Process& process = prepared.process;
  process.environment = environment;
  process.cwd = cwd_;
  process.secure |= settings_.secure == AtSecure::Yes || (live_ && live_->secure);
  if (live_) {
    // Without /proc in its root it does not learn where its program lies.
    process.has_proc = files_->status("/proc/stat").has_value() || files_->status("/proc/self/stat").has_value();
    if (live_->exe_is_deleted)
      process.exe_directory = live_->exe.substr(0, std::max<std::size_t>(live_->exe.rfind('/'), 1));
  }
  const ElfTarget& target = prepared.system->rules.target;
  if (settings_.cpu.empty()) {
    process.cpu = detect_host_cpu(target, settings_.host.platform);
  } else {
    Result<Cpu> cpu = cpu_by_name(settings_.cpu, target);
    if (!cpu) return std::move(cpu).error();
    process.cpu = std::move(cpu).value();
  }
  apply_tunables(process, prepared.system->rules);
  if (prepared.system->rules.tests_abi_note) process.os_release = settings_.host.kernel_release;
  return std::nullopt;
}

Result<OpenedLibrary> World::State::open_library(const std::string& name, std::optional<BareName> bare_name) {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  process_ = settings_.process;
  process_.bare_name = bare_name.value_or(process_.bare_name);
  if (!is_library_name(name)) {
    Result<OpenedObject> file = open_object(*files_, absolute_path(name, cwd_), name);
    if (file) return OpenedLibrary{std::move(file).value(), name};
    if (file.error().code != ErrorCode::NotFound || name.find('/') != std::string::npos) {
      return Unexpected{std::move(file).error()};
    }
  }
  Result<Prepared> prepared = prepare_library_name(name);
  if (!prepared) return Unexpected{std::move(prepared).error()};
  Result<LinkMap> map = prepared->walk({});
  if (!map) return Unexpected{std::move(map).error()};
  const std::vector<Need>& needs = map->main().needs;
  // ld.so is loaded before anything is looked for.
  const ObjectIndex found = needs.empty() ? kNoObject : needs.back().target;
  const bool is_loader = found != kNoObject && map->objects[found].role == ObjectRole::Loader;
  if (is_loader || (found != kNoObject && needs.back().resolution == HowFound::Mapped)) {
    LoadedObject& object = map->objects[found];
    std::string path(is_loader ? std::string_view(map->system->loader_path) : object.path);
    if (object.file) return OpenedLibrary{{std::move(object.file), std::move(object.elf)}, std::move(path)};
    // A map keeps so many files open and no more: then it is opened anew, and read anew with it.
    map->objects.clear();
    Result<OpenedObject> opened = open_object(*files_, absolute_path(path, cwd_), path);
    if (!opened) return Unexpected{std::move(opened).error()};
    return OpenedLibrary{std::move(opened).value(), std::move(path)};
  }
  const LoadFailure* failure = map->first_fatal();
  if (failure == nullptr) return Unexpected{Error{ErrorCode::NotFound, name, {}, "is no library that can be found"}};
  // dlerror's message says which file it is about.
  const bool is_elsewhere = failure->object != name;
  return Unexpected{Error{ErrorCode::NotFound, is_elsewhere ? name : std::string(), {}, failure->dlerror_message()}};
}

Result<std::shared_ptr<const FileSystem>> World::State::files() {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  return files_;
}

bool World::State::has_file(const std::string& name) {
  return !read_settings() && files_->status(absolute_path(name, cwd_)).has_value();
}

Result<World::State::Prepared> World::State::prepare_library_name(const std::string& name) {
  for (const std::uint16_t machine : kMachines) {
    for (const ElfClass elf_class : {ElfClass::Elf64, ElfClass::Elf32}) {
      ElfObject wanted;
      wanted.target = {elf_class, std::endian::little, machine, 0};
      const Result<std::string> loader = find_loader(*files_, wanted, name);
      if (!loader) continue;
      Result<std::shared_ptr<const System>> system = system_for(*loader, user_);
      if (!system) return Unexpected{std::move(system).error()};
      Prepared prepared;
      prepared.system = *system;
      prepared.file = name;
      prepared.process.start = Start::Dlopen;
      prepared.process.argv0 = name;
      if (auto error = fill_process(prepared, environment_)) return Unexpected{std::move(*error)};
      return prepared;
    }
  }
  return Unexpected{Error{ErrorCode::NoLoader, root_.empty() ? "/" : root_, {}, "no dynamic loader is installed here"}};
}

Result<World::State::Target> World::State::find_target(const std::string& file) {
  if (file.empty() && live_) {
    Result<OpenedObject> opened = open_live_program();
    if (!opened) return Unexpected{std::move(opened).error()};
    return Target{live_->exe, std::move(opened).value()};
  }
  Target target{file, std::nullopt};
  if (is_library_name(file)) return target;
  Result<OpenedObject> opened = open_object(*files_, absolute_path(file, cwd_), file);
  const std::string root = root_.ends_with('/') ? root_ : root_ + '/';
  if (!opened && opened.error().code == ErrorCode::NotFound) {
    if (!root_.empty() && file.starts_with(root)) {
      // The path as seen from outside the root.
      target.name = file.substr(root.size() - 1);
      opened = open_object(*files_, target.name, file);
    } else if (file.find('/') == std::string::npos && file.find(".so") != std::string::npos) {
      return target;
    }
  }
  if (opened) {
    target.opened = std::move(opened).value();
    return target;
  }
  // Whose process it is has been said: then what dlopen makes of the file is the answer.
  if (is_process_named()) return target;
  Error error = std::move(opened).error();
  if (error.code == ErrorCode::NotElf) {
    if (auto hint = text_file_hint(*files_, environment_, absolute_path(target.name, cwd_))) {
      error.message = std::move(*hint);
      error.offset.reset();
    }
  }
  return Unexpected{std::move(error)};
}

/// Has it been said whose process it is? Then dlopen's refusal of a file is the answer about it.
bool World::State::is_process_named() const { return live_ || (!process_.exe.empty() && process_.exe != "none"); }

/// As dlopen is given it: what exists here as a file is meant as one.
std::string World::State::name_to_open(const std::string& word) const {
  const bool is_path = word.find('/') != std::string::npos;
  return is_path || !files_->status(absolute_path(word, cwd_)) ? word : "./" + word;
}

bool World::State::is_library_name(const std::string& word) const {
  return process_.bare_name == BareName::Library && word.find('/') == std::string::npos;
}

/// Which of the two a name is taken for that is a library's and a file's, and how to ask about the other.
std::optional<std::string> World::State::note_on_bare_name(const std::string& word) const {
  const std::size_t so = word.rfind(".so");
  const bool looks_like_library = so != std::string::npos && so != 0 && word.find('/') == std::string::npos &&
                                  word.find_first_not_of(".0123456789", so + 3) == std::string::npos;
  if (!looks_like_library || !files_->status(absolute_path(word, cwd_))) return std::nullopt;
  return is_library_name(word) ? word + " is taken for a library name; the file in the current directory is ./" + word
                               : word + " is taken for the file ./" + word + "; --by-name asks about the library name";
}

/// The program that is to open the target; an empty path for none.
Result<AssumedProgram> World::State::choose_program(const Target& target) {
  if (live_) return AssumedProgram{live_->exe, {}, {}};
  if (process_.exe.empty() && process_.opened_by == OpenedBy::Nobody) return AssumedProgram{};
  if (!process_.exe.empty()) {
    Result<StartedProgram> program = started_program(*files_, environment_, absolute_path(process_.exe, cwd_));
    if (!program) return Unexpected{std::move(program).error()};
    if (program->path == absolute_path(process_.exe, cwd_)) return AssumedProgram{process_.exe, {}, {}};
    AssumedProgram assumed{std::move(program->path), process_.exe + " is a script for it", {}};
    std::vector<std::string> entries = program->environment.entries();
    std::erase_if(entries, [](const std::string& entry) { return !is_of_interest(entry); });
    if (entries != environment_.entries()) {
      assumed.reason += ", and env in it changes the environment";
      assumed.environment = Environment(std::move(entries));
    }
    return assumed;
  }
  // Something that can be started is asked about as such.
  if (!target.opened || target.opened->elf.has_interp) return AssumedProgram{};
  const std::string path = absolute_path(target.name, cwd_);
  if (!is_python_module(*files_, path)) return AssumedProgram{};
  auto python = find_python(*files_, environment_, path);
  if (!python) return AssumedProgram{{}, "it is an extension module of Python, but no interpreter is found here", {}};
  return std::move(*python);
}

Result<World::State::Prepared> World::State::prepare(const std::string& file) {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  if (file.empty() && !live_) return Unexpected{usage_error("the name of a file is empty")};
  Result<Target> target = find_target(file);
  if (!target) return Unexpected{std::move(target).error()};
  if (file.empty()) {
    const std::string name = target->name;
    return prepare_alone(name, std::move(target).value());
  }
  Result<AssumedProgram> program = choose_program(*target);
  if (!program) return Unexpected{std::move(program).error()};
  if (!program->path.empty()) {
    return prepare_in_process(std::move(target).value(), *program);
  }
  if (!process_.loaded.empty() || !process_.caller.empty() || process_.mode != OpenMode{}) {
    return Unexpected{usage_error("--loaded, --caller and --rtld describe a process: --exe names its program")};
  }
  Result<Prepared> prepared =
      target->opened ? prepare_alone(file, std::move(target).value()) : prepare_library_name(file);
  if (!prepared) return prepared;
  if (!program->reason.empty()) prepared->notes.push_back(program->reason);
  if (const auto note = note_on_bare_name(file)) prepared->notes.push_back(*note);
  return prepared;
}

Result<World::State::Prepared> World::State::prepare_alone(const std::string& file, Target target) {
  Prepared prepared;
  prepared.opened = std::move(*target.opened);
  const ElfObject& object = prepared.opened.elf;
  prepared.is_dynamic = object.has_dynamic;
  prepared.file = target.name;
  prepared.process.argv0 = file;
  if (live_ && live_->exe_is_deleted) {
    prepared.notes.push_back("the program of the process, " + live_->exe +
                             ", has been removed or replaced since: the file that it runs is what counts");
  }
  if (!object.has_dynamic) return prepared;
  Result<std::string> loader = find_loader(*files_, object, file);
  if (!loader) return Unexpected{std::move(loader).error()};
  Result<ExecIdentity> identity = identity_of(object, *prepared.opened.file, file, prepared);
  if (!identity) return Unexpected{std::move(identity).error()};
  prepared.process.secure = identity->is_secure;
  Result<std::shared_ptr<const System>> system = system_for(*loader, identity->user);
  if (!system) {
    Error error = system.error();
    if (error.code == ErrorCode::NoLoader && object.has_interp) {
      error.path = file;
      error.message =
          "the kernel would not start it: its interpreter (PT_INTERP) " + *loader + " cannot be opened here";
    }
    return Unexpected{std::move(error)};
  }
  prepared.system = *system;
  prepared.process.start = object.has_interp ? Start::Kernel : Start::Argument;
  // As ldd(1) does, so that the loader takes it for a path.
  if (prepared.process.start == Start::Argument && prepared.file.find('/') == std::string::npos) {
    prepared.file = "./" + prepared.file;
  }
  if (auto error = fill_process(prepared, target.environment.value_or(environment_)))
    return Unexpected{std::move(*error)};
  return prepared;
}

/// The program starts; then it opens what it is said to have loaded, and the file.
Result<World::State::Prepared> World::State::prepare_in_process(Target target, const AssumedProgram& program) {
  Result<OpenedObject> opened =
      live_ ? open_live_program() : open_object(*files_, absolute_path(program.path, cwd_), program.path);
  if (!opened) return Unexpected{std::move(opened).error()};
  if (!opened->elf.has_dynamic) {
    return Unexpected{
        Error{ErrorCode::NotElf, program.path, {}, "is not dynamic: no loader is there to open anything in it"}};
  }
  Result<Prepared> prepared =
      prepare_alone(program.path, {program.path, std::move(opened).value(), program.environment});
  if (!prepared) return prepared;
  if (target.opened && !target.opened->elf.has_dynamic && !is_process_named()) prepared->is_dynamic = false;
  // Python opens modules by absolute paths.
  const bool is_assumed = process_.exe.empty() && !live_;
  const std::string name = target.opened && is_assumed    ? absolute_path(target.name, cwd_)
                           : is_library_name(target.name) ? target.name
                                                          : name_to_open(target.name);
  if (is_assumed) {
    prepared->notes.push_back("assumed: opened by " + program.path + " (" + program.reason +
                              "); --exe FILE says otherwise, --exe none looks at the file alone");
  } else if (!program.reason.empty()) {
    prepared->notes.push_back("opened by " + program.path + ": " + program.reason);
  }
  // A module of Python is opened by its path, which the answer has.
  if (const auto note = note_on_bare_name(target.name); note && !is_assumed) prepared->notes.push_back(*note);
  if (auto error = add_live_objects(*prepared)) return Unexpected{std::move(*error)};
  for (OpenRequest loaded : process_.loaded) {
    loaded.file = name_to_open(loaded.file);
    prepared->openings.push_back(std::move(loaded));
  }
  prepared->openings.push_back({name, process_.mode, process_.caller});
  if (!process_.loaded.empty()) prepared->settle();
  return prepared;
}

/// The file that the process runs, whatever lies at its path now.
Result<OpenedObject> World::State::open_live_program() const {
  return open_object(*host_file_system(), live_->exe_file, live_->exe);
}

/// Which files the live process has mapped: those at their paths, or others that were there before.
std::optional<Error> World::State::add_live_objects(Prepared& prepared) {
  if (!live_) return std::nullopt;
  const std::string who = "process " + std::to_string(settings_.pid);
  LiveProcess live = *live_;
  live.objects.clear();
  std::vector<std::optional<std::size_t>> place = {0};  // by number before: without what is no library
  for (LiveObject object : live_->objects) {
    Result<bool> is_library = find_mapped_file(*files_, files_of(user_) == files_ ? KeepsLink::No : KeepsLink::Yes,
                                               object, who, prepared.notes);
    if (!is_library) return std::move(is_library).error();
    place.push_back(*is_library ? std::optional(live.objects.size() + 1) : std::nullopt);
    if (*is_library) live.objects.push_back(std::move(object));
  }
  for (LiveObject& object : live.objects) {
    if (object.loader) object.loader = place[*object.loader];
  }
  if (live.global) {
    live.global->clear();
    for (const std::size_t number : *live_->global) {
      if (place[number]) live.global->push_back(*place[number]);
    }
  }
  if (!live.is_in_load_order) {
    prepared.notes.push_back("the order in which " + who +
                             " has loaded its objects is guessed from their addresses: " + live.list_problem);
  }
  if (!live.global) {
    prepared.notes.push_back("what " + who + " has opened by itself is assumed to be opened with RTLD_LOCAL");
  }
  prepared.process.live = std::make_shared<const LiveProcess>(std::move(live));
  return std::nullopt;
}

Result<Resolution> World::State::resolve(const std::string& file, const ResolveOptions& options) {
  process_ = options.process.value_or(settings_.process);
  Result<Prepared> prepared = prepare(file);
  if (!prepared) return Unexpected{std::move(prepared).error()};
  if (!prepared->is_dynamic) {
    return Unexpected{
        Error{ErrorCode::NotDynamic, file, {}, "is not dynamic: it has no PT_DYNAMIC, so no loader is involved"}};
  }
  if (!options.openings.empty()) prepared->openings = options.openings;
  LoadOptions load_options;
  load_options.attempts = options.attempts;
  load_options.on_fatal = options.on_fatal;
  load_options.log = options.log;
  Result<LinkMap> map = prepared->walk(std::move(load_options));
  if (!map) return Unexpected{std::move(map).error()};
  return Resolution(std::move(*map), file.empty() ? prepared->file : file, options.jobs);
}

Result<std::shared_ptr<const System>> World::State::system() {
  if (auto error = read_settings()) return Unexpected{std::move(*error)};
  Result<Prepared> prepared = live_ ? prepare({}) : prepare_library_name("libc.so.6");
  if (!prepared) return Unexpected{std::move(prepared).error()};
  return std::move(prepared->system);
}

World::World(WorldSettings settings) : state_(std::make_unique<State>(std::move(settings))) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

Result<Resolution> World::resolve(const std::string& file, const ResolveOptions& options) {
  return state_->resolve(file, options);
}
Result<std::shared_ptr<const System>> World::system() { return state_->system(); }
Result<OpenedLibrary> World::open_library(const std::string& name, std::optional<BareName> bare_name) {
  return state_->open_library(name, bare_name);
}
bool World::has_file(const std::string& name) { return state_->has_file(name); }
Result<std::shared_ptr<const FileSystem>> World::files() { return state_->files(); }
const std::string& World::cwd() const { return state_->cwd_; }
std::string World::absolute(const std::string& file) const { return absolute_path(file, state_->cwd_); }
std::vector<Error> World::take_warnings() { return std::exchange(state_->warnings_, {}); }

}  // namespace soresolve
